"""The eqns of a stage that never run, and so cost nothing.

JAX omits unused results when it lowers a jaxpr. Before XLA counts, it folds constant expressions
and removes operations that change nothing. (Optax adds an `eps_root` of 0 to each moment of Adam.)
A `cond` with a constant index keeps one branch. Only constants whose elements are all equal are
followed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache

from jaxviz import schema
from jaxviz.ops import row_of
from jaxviz.schema.graph import outside_in
from jaxviz.schema.params import param_of

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
