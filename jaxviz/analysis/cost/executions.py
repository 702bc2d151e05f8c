"""The executions of eqns: iterations of loops, devices of a `shard_map`, and eqns that never run.

A `while` of a jaxpr or of StableHLO has a known number of iterations if it counts from one constant
to another.

Eqns that never run cost nothing. JAX omits unused results when it lowers a jaxpr. Before XLA
counts, it folds constant expressions and removes operations that change nothing. (Optax adds an
`eps_root` of 0 to each moment of Adam.) A `cond` with a constant index keeps one branch. Only
constants whose elements are all equal are followed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.cost.values import whole_number
from jaxviz.ops import row_of
from jaxviz.schema.graph import outside_in
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


Splat = float | None
"""The value of all elements of a constant; None if it is not computed here."""

_MOVED = (
    *("broadcast_in_dim", "reshape", "transpose", "slice", "rev", "reverse", "squeeze"),
    *("expand_dims", "copy", "convert", "convert_element_type"),
)
_COMPUTED: dict[str, Callable[..., float]] = {
    **dict.fromkeys(("add", "add_any"), operator.add),
    **dict.fromkeys(("sub", "subtract"), operator.sub),
    **dict.fromkeys(("mul", "multiply"), operator.mul),
    **dict.fromkeys(("neg", "negate"), operator.neg),
    **dict.fromkeys(_MOVED, lambda value: value),
    "square": lambda value: value * value,
    "clamp": lambda least, value, maximum: min(max(least, value), maximum),
}
_FOLDED = {
    *_COMPUTED,
    *("div", "divide", "rem", "remainder", "max", "maximum", "min", "minimum", "select"),
    *("select_n", "and", "or", "xor", "not", "abs", "sign", "integer_pow", "sqrt", "rsqrt"),
    *("round", "round_nearest_afz", "round_nearest_even", "exp", "exp2", "exponential", "log"),
    *("tanh", "logistic", "sin", "sine", "cos", "cosine", "tan", "cosh", "erf", "erfc"),
    *("compare", "eq", "ne", "lt", "le", "gt", "ge"),
}
"""Ops that XLA folds if all operands are constants. It does not fold others, such as `pow`, `floor`
and `log1p`."""
_NEUTRAL = {"add": 0, "add_any": 0, "mul": 1, "multiply": 1, "or": 0, "xor": 0}
"""The value of an operand, on either side, that changes nothing."""
_UNCHANGING = {*_NEUTRAL, "and", "sub", "subtract"}


_PRUNED = (
    *("jit", "pjit", "closed_call", "call", "eval_jaxpr", "remat2", "remat_opt", "cond"),
    *("custom_jvp_call", "custom_vjp_call", "shard_map"),
)
"""Calls that JAX lowers without unused results, and without operands that only these use."""
_ENTERED = (*_PRUNED, "scan")
"""Calls in which JAX removes unused eqns. In a `while`, it does so since 0.12."""
_PASSES = 3
"""The most passes over the graphs. If a body turns out to ignore an operand, further eqns around it
may be unused."""


class NeverRun:
    """The eqns that never run, since nothing needs their results; none in optimized HLO, from which
    XLA removed them."""

    def __init__(self, stage: schema.Stage) -> None:
        self.eqns: list[set[int]] = [set() for _ in stage.graphs]
        """For each graph, the indices of its eqns that never run."""
        self._graphs = stage.graphs
        self._is_jaxpr = stage.kind == "jaxpr"
        self._order = outside_in(stage.graphs)
        self._stage = stage
        self._cache: dict[int, _Folded] = {}
        self._needed_inputs = [set(graph.invars) for graph in stage.graphs]
        self._needed: list[set[int]] = []
        self._whole: set[int] = set()
        for _ in range(0 if stage.kind == "hlo" else _PASSES):
            if not self._visit_all():
                break

    def chosen(self, number: int, eqn: schema.Eqn) -> tuple[schema.Body, ...]:
        """The bodies that an eqn of a graph may run. A `cond` with a constant index runs only one:
        the last one if the index is out of range."""
        is_choice = row_of(eqn.op).name in ("cond", "case") and bool(eqn.invars)
        index = self._folded(number).value(eqn.invars[0]) if is_choice else None
        if index is None:
            return eqn.bodies
        last = len(eqn.bodies) - 1
        return (eqn.bodies[int(index) if 0 <= index <= last else last],)

    def _folded(self, number: int) -> _Folded:
        found = self._cache.get(number)
        if found is None:
            found = self._cache[number] = _Folded(self._stage, self._graphs[number])
        return found

    def _visit_all(self) -> bool:
        """Visits all graphs once, each before its bodies. Returns True if a body needs fewer
        operands than before."""
        self.eqns = [set() for _ in self._graphs]
        self._needed = [set() for _ in self._graphs]
        self._whole = set()
        self._need_results(0, whole=not self._is_jaxpr)
        more = False
        for number in self._order:
            taken = self._needed_inputs[number] & self._used(number)
            more = more or (number > 0 and len(taken) < len(self._needed_inputs[number]))
            self._needed_inputs[number] = taken
        return more and self._is_jaxpr

    def _need_results(self, number: int, whole: bool = True) -> None:
        """Records that all results of a graph are needed. With `whole`, JAX does not simplify the
        graph, nor the graphs that it calls."""
        self._needed[number].update(self._graphs[number].outvars)
        if whole:
            self._whole.add(number)

    def _used(self, number: int) -> set[int]:
        """The variables of a graph that are used. Visits its eqns from the last to the first."""
        eqns, folded, unneeded = self._graphs[number].eqns, self._folded(number), self.eqns[number]
        same, gone, whole = folded.same, folded.eqns, number in self._whole
        used = {same.get(var, var) for var in self._needed[number]}
        use, is_unused, replaced = used.update, used.isdisjoint, same.keys()
        at = len(eqns)
        for eqn in reversed(eqns):
            at -= 1
            if at in gone or (is_unused(eqn.outvars) and _is_removable(eqn, whole)):
                unneeded.add(at)
                continue
            operands = self._enter(number, eqn, used, whole) if eqn.bodies else eqn.invars
            if replaced and not replaced.isdisjoint(operands):
                operands = [same.get(var, var) for var in operands]
            use(operands)
        return used

    def _enter(self, number: int, eqn: schema.Eqn, used: set[int], whole: bool) -> Sequence[int]:
        """Records the results that an eqn needs from its bodies. Returns the operands that it
        uses."""
        op, bodies = row_of(eqn.op).name, self.chosen(number, eqn)
        is_pruned = not whole and op in _PRUNED
        if not is_pruned and len(bodies) == len(eqn.bodies):
            for body in bodies:
                self._need_results(body.graph, whole or op not in _ENTERED)
            return eqn.invars
        unused = {place for body in eqn.bodies for place in body.inputs}
        for body in bodies:
            graph = self._graphs[body.graph]
            if not is_pruned:
                self._need_results(body.graph)
            for var, result in zip(graph.outvars, body.outputs, strict=False):
                if result < 0 or eqn.outvars[result] in used:
                    self._needed[body.graph].add(var)
            for var, place in zip(graph.invars, body.inputs, strict=False):
                if var in self._needed_inputs[body.graph]:
                    unused.discard(place)
        return [var for place, var in enumerate(eqn.invars) if place not in unused]


def _is_removable(eqn: schema.Eqn, whole: bool) -> bool:
    """True if JAX removes an eqn without used results, or XLA does where JAX does not simplify
    (`whole`)."""
    if eqn.effects or not whole:
        return not eqn.effects
    return bool(eqn.outvars) and not eqn.bodies and row_of(eqn.op).name != "custom_call"


class _Folded:
    """The eqns of one graph that XLA folds, and their values."""

    def __init__(self, stage: schema.Stage, graph: schema.Graph) -> None:
        self.eqns: set[int] = set()
        self._avals, self._vars = stage.avals, graph.vars
        self._constants: dict[int, Splat] = {
            at: _number(var.name.partition(":")[0])
            for at, var in enumerate(graph.vars)
            if var.literal
        }
        self.value = self._constants.get
        self.same: dict[int, int] = {}
        """Maps each result that equals another variable to that variable."""
        uses_none = self._constants.keys().isdisjoint
        for at, eqn in enumerate(graph.eqns):
            operands = eqn.invars
            if operands and uses_none(operands):
                continue
            if eqn.bodies or len(eqn.outvars) != 1:
                continue
            if not operands:
                self._record_constant(eqn)
            elif self._fold(eqn):
                self.eqns.add(at)

    def _record_constant(self, eqn: schema.Eqn) -> None:
        """Records the value of a `constant` of StableHLO, if all its elements are equal."""
        if row_of(eqn.op).name == "constant":
            value = param_of(eqn.params, "value")
            if _number(value) is not None:
                self._constants[eqn.outvars[0]] = _number(value)

    def _fold(self, eqn: schema.Eqn) -> bool:
        """True if an eqn with constant operands is folded. Records its value."""
        op = row_of(eqn.op).name
        if op not in _FOLDED:
            return False
        made = eqn.outvars[0]
        if self._constants.keys() >= set(eqn.invars):
            operands = [self._constants[var] for var in eqn.invars]
            compute = None if None in operands else _COMPUTED.get(op)
            self._constants[made] = None if compute is None else compute(*operands)
            return op not in _MOVED  # its destination is still written
        equal = self._unchanged(op, eqn.invars, made)
        if equal is not None:
            self.same[made] = self.same.get(equal, equal)
        return equal is not None

    def _unchanged(self, op: str, operands: Sequence[int], made: int) -> int | None:
        """The operand that equals the result, because the other operand changes nothing."""
        if op not in _UNCHANGING or len(operands) != 2:
            return None
        left, right = map(self.value, operands)
        neutral = _NEUTRAL.get(op, 0)  # 0 is neutral if it is subtracted
        dtype = self._avals[self._vars[made].aval].dtype
        if op == "and":
            neutral = 1 if dtype == "bool" else -1
        if neutral not in (left, right) or dtype.startswith("c"):
            return None
        if neutral == right:
            return operands[0]
        return None if op in ("sub", "subtract") else operands[1]


@lru_cache(1024)
def _number(text: str) -> float | None:
    if text in ("True", "true", "False", "false"):
        return float(text in ("True", "true"))
    try:
        return float(text)
    except ValueError:
        return None
