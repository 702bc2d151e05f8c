"""Finds how often a `while` of a jaxpr or of StableHLO runs, where it counts from one constant to
another."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.cost.values import whole_number
from jaxviz.ops import row_of
from jaxviz.schema.params import param_of


class Counted:
    """The counting loops of one stage. Each graph is indexed once, when first looked at."""

    def __init__(self, stage: schema.Stage) -> None:
        self._graphs = stage.graphs
        self._makers: dict[int, dict[int, schema.Eqn]] = {}

    def trips(self, graph: int, loop: schema.Eqn) -> int | None:
        """How often `loop` runs, a `while` in the graph of that number. It is known where the
        condition is `counter < stop`, the body returns `counter + step`, and start, stop and step
        are constants; None otherwise."""
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
        """The constant that a body's variable is, made in the body or passed to it unchanged."""
        operand = self._input(body, var)
        if operand is None:
            return self._constant(body.graph, var)
        kept = operand not in self._carried(loop)
        return self._constant(graph, loop.invars[operand]) if kept else None

    def _carried(self, loop: schema.Eqn) -> range:
        """The operands that each trip replaces: the last ones in a jaxpr, the first ones in
        StableHLO."""
        constants = len(loop.invars) - len(loop.outvars)
        return range(constants if loop.op == "while" else 0, len(loop.invars))[: len(loop.outvars)]

    def _input(self, body: schema.Body, var: int) -> int | None:
        """The index of the eqn's operand that is passed in as this variable of the body."""
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
