"""Counts what a program does, from its records alone: floating-point operations and bytes moved.

One table of formulas serves all three stages, since the same op has a row in `jaxviz/ops` whatever
the stage calls it. Integer arithmetic is not counted. Optimized HLO is the program of one device,
so its numbers are those of one device, too.
"""

from jaxviz.analysis.cost.costed import costed

__all__ = ["costed"]
