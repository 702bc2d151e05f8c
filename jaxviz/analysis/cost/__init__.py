"""Counts what a program does, from its records alone: flops, transcendentals and bytes moved.

The rules are those of XLA's cost analysis (`hlo_cost_analysis.cc`), so that each stage can be held
against what XLA reports of it; but a loop is counted as often as it runs. One table of formulas
serves all three stages, since the same op has a row in `jaxviz/ops` whatever the stage calls it.

Optimized HLO is the program of one device, so its numbers are those of one device, too. The numbers
of the other stages are those of all devices together.
"""

from jaxviz.analysis.cost.costed import costed

__all__ = ["costed"]
