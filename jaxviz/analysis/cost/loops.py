"""Finds how often eqns run their bodies: trips of loops, and devices of a `shard_map`."""

from __future__ import annotations

import math
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.cost.counted import Counted
from jaxviz.ops import row_of


class Runs(NamedTuple):
    """How often one run of an eqn runs its bodies."""

    trips: int | None
    """How often a loop runs, one trip after another; None where that is not known, and for what
    is no loop."""
    devices: int | None
    """On how many devices at once a `shard_map` runs, each on its own part; None where that is not
    known, 1 for all else."""

    @property
    def least(self) -> int:
        """How often the bodies run at least; exact where `trips` is known."""
        return (1 if self.trips is None else self.trips) * (self.devices or 1)


ONCE = Runs(None, 1)


class Loops:
    """What runs its bodies several times in one stage: its loops and its `shard_map`s."""

    def __init__(self, stage: schema.Stage, jaxpr: schema.Stage | None) -> None:
        self._counted = Counted(stage)
        self._hlo = stage.kind == "hlo"
        graphs = [] if jaxpr is None else jaxpr.graphs
        self._eqns = [eqn for graph in graphs for eqn in graph.eqns]

    def runs(self, graph: int, eqn: schema.Eqn) -> Runs:
        """How often `eqn`, which has bodies and stands in the graph of that number, runs them."""
        op = row_of(eqn.op).name
        if op == "scan" or (op == "while" and self._hlo):
            return Runs(eqn.trips, 1)
        if op == "while":
            return Runs(self._counted.trips(graph, eqn), 1)
        if op == "shard_map":
            return Runs(None, _devices(eqn))
        if op == "manual_computation":
            made_for = self._origin(eqn)
            return Runs(None, None if made_for is None else _devices(made_for))
        return ONCE

    def _origin(self, eqn: schema.Eqn) -> schema.Eqn | None:
        """The `shard_map` of the jaxpr that an op of a later stage was made for: the innermost of
        the eqns that its origin leads through."""
        known = [self._eqns[one] for one in eqn.origin if 0 <= one < len(self._eqns)]
        return next((one for one in reversed(known) if one.op == "shard_map"), None)


def _devices(eqn: schema.Eqn) -> int:
    """How many devices the eqn's mesh has along the axes that are split by hand."""
    said = eqn.attributes
    if not isinstance(said, schema.Manual):
        return 1
    return math.prod(axis.size for axis in said.mesh if axis.name in said.axes)
