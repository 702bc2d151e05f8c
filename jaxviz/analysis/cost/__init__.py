"""The cost of a program, from its records alone: flops, transcendentals and bytes moved.

The rules are those of XLA's cost analysis (`hlo_cost_analysis.cc`), so each stage is comparable
with XLA's report, except that a loop counts once for each iteration. One table of formulas serves
all three stages, because an op has the same row in `jaxviz/ops` in each stage.

Optimized HLO is the program of one device, so its figures are those of one device. The figures of
the other stages are those of all devices together.
"""

from jaxviz.analysis.cost.stage_costs import with_costs

__all__ = ["with_costs"]
