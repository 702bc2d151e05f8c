"""The number of executions of eqns: iterations of loops, devices of a `shard_map`.

A `while` of a jaxpr or of StableHLO has a known number of iterations if it counts from one constant
to another.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.cost.values import whole_number
from jaxviz.ops import row_of
from jaxviz.schema.params import param_of


class CountingLoops:
    """The counting loops of one stage. Each graph is indexed once, at its first use."""

    def __init__(self, stage: schema.Stage) -> None:
        self._graphs = stage.graphs
        self._makers: dict[int, dict[int, schema.Eqn]] = {}

    def trips(self, graph: int, loop: schema.Eqn) -> int | None:
        """The number of iterations of a `while` in the graph of a number. It is known if the
        condition is `counter < stop`, the body returns `counter + step`, and start, stop and step
        are constants; else None."""
        bodies = {body.label: body for body in loop.bodies}
        condition, body = bodies.get("condition"), bodies.get("body")
        if condition is None or body is None:
            return None
        test = self._maker(condition.graph, self._graphs[condition.graph].outvars[0])
        if test is None or not _is_less(test):
            return None
        counter = self._input(condition, test.invars[0])
        if counter is None or counter not in self._carried(loop):
            return None
        start = self._constant(graph, loop.invars[counter])
        stop = self._inside(graph, loop, condition, test.invars[1])
        step = self._step(graph, loop, body, counter)
        if start is None or stop is None or not step or step < 0:
            return None
        return max(0, -((start - stop) // step))

    def _step(self, graph: int, loop: schema.Eqn, body: schema.Body, counter: int) -> int | None:
        carry = self._carried(loop).index(counter)
        if carry not in body.outputs:
            return None
        result = self._graphs[body.graph].outvars[body.outputs.index(carry)]
        add = self._maker(body.graph, result)
        if (
            add is None
            or row_of(add.op).name != "add"
            or self._input(body, add.invars[0]) != counter
        ):
            return None
        return self._inside(graph, loop, body, add.invars[1])

    def _inside(self, graph: int, loop: schema.Eqn, body: schema.Body, var: int) -> int | None:
        """The constant value of a body's variable, if it is made in the body or passed
        unchanged."""
        operand = self._input(body, var)
        if operand is None:
            return self._constant(body.graph, var)
        is_carried = operand in self._carried(loop)
        return None if is_carried else self._constant(graph, loop.invars[operand])

    def _carried(self, loop: schema.Eqn) -> range:
        """The operands that each iteration replaces: the last ones in a jaxpr, the first ones in
        StableHLO."""
        constants = len(loop.invars) - len(loop.outvars)
        return range(constants if loop.op == "while" else 0, len(loop.invars))[: len(loop.outvars)]

    def _input(self, body: schema.Body, var: int) -> int | None:
        """The index of the operand that is passed as a variable of the body."""
        invars = self._graphs[body.graph].invars
        place = body.inputs[invars.index(var)] if var in invars else -1
        return None if place < 0 else place

    def _constant(self, graph: int, var: int) -> int | None:
        variable = self._graphs[graph].vars[var]
        if variable.literal:
            return whole_number(variable.name.partition(":")[0])
        maker = self._maker(graph, var)
        if maker is None or row_of(maker.op).name != "constant":
            return None
        return whole_number(param_of(maker.params, "value"))

    def _maker(self, graph: int, var: int) -> schema.Eqn | None:
        if graph not in self._makers:
            eqns = self._graphs[graph].eqns
            self._makers[graph] = {made: eqn for eqn in eqns for made in eqn.outvars}
        return self._makers[graph].get(var)


def _is_less(eqn: schema.Eqn) -> bool:
    direction = param_of(eqn.params, "comparison_direction")
    return eqn.op == "lt" or (row_of(eqn.op).name == "compare" and direction == "LT")


class Runs(NamedTuple):
    """The number of times that one execution of an eqn runs its bodies."""

    trips: int | None
    """The iterations of a loop; None if unknown, or if the eqn is no loop."""
    devices: int | None
    """The number of devices that run a `shard_map` at once, each on its own part; None if unknown,
    1 for other eqns."""

    @property
    def least(self) -> int:
        """The least number of runs of the bodies; exact if `trips` is known."""
        return (1 if self.trips is None else self.trips) * (self.devices or 1)


ONCE = Runs(None, 1)


class Loops:
    """The eqns of one stage that run their bodies several times: loops and `shard_map`s."""

    def __init__(self, stage: schema.Stage, jaxpr: schema.Stage | None) -> None:
        self._counted = CountingLoops(stage)
        self._hlo = stage.kind == "hlo"
        graphs = [] if jaxpr is None else jaxpr.graphs
        self._eqns = [eqn for graph in graphs for eqn in graph.eqns]

    def runs(self, graph: int, eqn: schema.Eqn) -> Runs:
        """The number of times that one execution of an eqn, in the graph of a number, runs its
        bodies."""
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
        """The innermost `shard_map` on the path of an op's origin."""
        path = [self._eqns[one] for one in eqn.origin if 0 <= one < len(self._eqns)]
        return next((one for one in reversed(path) if one.op == "shard_map"), None)


def _devices(eqn: schema.Eqn) -> int:
    """The number of devices along the manual axes of the eqn's mesh."""
    manual = eqn.attributes
    if not isinstance(manual, schema.Manual):
        return 1
    return math.prod(axis.size for axis in manual.mesh if axis.name in manual.axes)
