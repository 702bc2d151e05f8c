"""Writes the symbolic sizes of an `Exported` into its types: `f32[b,8]` for `tensor<?x8xf32>`.

StableHLO has `?` for each size that is not a number, and computes it beside the arrays. JAX has the
sizes of arguments and results as expressions (`2*b + 1`). The sizes between them follow from these
by JAX's own arithmetic. A size that does not follow stays `?`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from jaxviz.capture.jaxprs.avals import dimension
from jaxviz.ops import row_of
from jaxviz.schema import Aval, Dimensions, Dot, Eqn, Graph, Stage
from jaxviz.schema.params import param_of

UNKNOWN = "?"
Sizes = list[Any]
"""The dimensions of an array; `UNKNOWN` for unknown ones."""


def with_sizes(stage: Stage, arguments: Sequence[Any], results: Sequence[Any]) -> Stage:
    """The stage with the sizes of its arguments, whose shapes are `arguments`, of its results,
    whose shapes are `results`, and of the values between them."""
    if UNKNOWN not in "".join(aval.text for aval in stage.avals):
        return stage
    sizes = _Sizes(stage)
    root = stage.graphs[0]
    for variables, shapes in ((root.invars, arguments), (root.outvars, results)):
        for var, shape in zip(variables, shapes, strict=False):
            sizes.learn(0, var, [*shape])
    sizes.follow()
    return sizes.written()


class _Sizes:
    """The known sizes of a stage's values, by graph and variable."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.shapes: dict[tuple[int, int], Sizes] = {}
        self.numbers: dict[tuple[int, int], Sizes] = {}
        """The elements of integer arrays, if they are sizes."""
        self._waiting = list(range(len(stage.graphs)))
        self._holders: dict[int, list[int]] = {}
        for number, graph in enumerate(stage.graphs):
            for eqn in graph.eqns:
                for body in eqn.bodies:
                    self._holders.setdefault(body.graph, []).append(number)

    def shape(self, graph: int, var: int) -> Sizes:
        record = self.stage.avals[self.stage.graphs[graph].vars[var].aval]
        return self.shapes.get((graph, var)) or [*(record.shape or ())]

    def learn(self, graph: int, var: int, sizes: Sizes) -> None:
        """Fills unknown sizes of a value from these."""
        own = self.shape(graph, var)
        if len(own) == len(sizes) and UNKNOWN in map(str, own):
            found = [b if a == UNKNOWN else a for a, b in zip(own, sizes, strict=True)]
            self._put(self.shapes, graph, var, found)

    def _put(self, table: dict[tuple[int, int], Sizes], graph: int, var: int, new: Sizes) -> None:
        if table.get((graph, var)) != new:
            table[graph, var] = new
            self._waiting.append(graph)
            if var in self.stage.graphs[graph].outvars:
                self._waiting += self._holders.get(graph, ())

    def follow(self) -> None:
        """Computes sizes, graph by graph, until no new ones follow."""
        seen = 0
        while seen < len(self._waiting) and seen < _MOST_STEPS * len(self.stage.graphs):
            graph = self._waiting[seen]
            seen += 1
            for eqn in self.stage.graphs[graph].eqns:
                with suppress(Exception):  # sizes that JAX cannot compute with stay unknown
                    self._eqn(graph, eqn)

    def _eqn(self, graph: int, eqn: Eqn) -> None:
        name = eqn.op.removeprefix("stablehlo.")
        self._bodies(graph, eqn)
        self._number(graph, eqn, name)
        if name in _ALL_ALIKE or row_of(eqn.op).family == "elementwise":
            self._same(*((graph, var) for var in (*eqn.invars, *eqn.outvars)))
        rule = _RULES.get(name)
        operands = [self.shape(graph, var) for var in eqn.invars]
        if name in _SHAPE_OPERAND and eqn.outvars:
            wanted = self.numbers.get((graph, eqn.invars[_SHAPE_OPERAND[name]]))
            if wanted is not None:
                self.learn(graph, eqn.outvars[0], wanted)
        if rule is not None and operands:
            for var in eqn.outvars:
                self.learn(graph, var, rule(operands, eqn.attributes))

    def _bodies(self, graph: int, eqn: Eqn) -> None:
        for body in eqn.bodies:
            inner: Graph = self.stage.graphs[body.graph]
            for var, at in zip(inner.invars, body.inputs, strict=True):
                if at >= 0:
                    self._same((graph, eqn.invars[at]), (body.graph, var))
                    numbers = self.numbers.get((graph, eqn.invars[at]))
                    is_carried = eqn.op != "call" and at < len(eqn.outvars)
                    if numbers is not None and not is_carried:
                        self._put(self.numbers, body.graph, var, numbers)
            for var, at in zip(inner.outvars, body.outputs, strict=True):
                if at >= 0:
                    self._same((graph, eqn.outvars[at]), (body.graph, var))

    def _same(self, *values: tuple[int, int]) -> None:
        """Learns that values have the same sizes."""
        for one in values:
            for other in values:
                self.learn(*one, self.shape(*other))

    def _number(self, graph: int, eqn: Eqn, name: str) -> None:
        """Learns the elements of an array of sizes."""
        if name not in _ARITHMETIC and name not in _PLACES:
            return
        variables = self.stage.graphs[graph].vars
        if not self.stage.avals[variables[eqn.outvars[0]].aval].dtype.startswith("int"):
            return
        operands = [self.numbers.get((graph, var)) for var in eqn.invars]
        if name == "constant":
            value = param_of(eqn.params, "value")
            found = [int(value)] if value.removeprefix("-").isdecimal() else None
        elif name == "get_dimension_size":
            along = eqn.attributes
            places = along.dimensions if isinstance(along, Dimensions) else ()
            found = [self.shape(graph, eqn.invars[0])[at] for at in places]
        elif name == "concatenate":
            lengths = [self.shape(graph, var) for var in eqn.invars]
            parts = [a or [UNKNOWN] * b[0] for a, b in zip(operands, lengths, strict=True)]
            found = [size for part in parts for size in part]
        elif name in _PLACES:
            found = operands[0] if operands else None
        else:
            both = [one[0] for one in operands if one is not None]
            found = [_ARITHMETIC[name](*both)] if len(both) == 2 and UNKNOWN not in both else None
        if found is not None and not all(one is UNKNOWN for one in found):
            self._put(self.numbers, graph, eqn.outvars[0], found)

    def written(self) -> Stage:
        """The stage with the sizes in its types."""
        avals = list(self.stage.avals)
        places = {(aval.text, aval.sharding): at for at, aval in reversed([*enumerate(avals)])}
        graphs = list(self.stage.graphs)
        for (graph, var), sizes in self.shapes.items():
            old = graphs[graph]
            aval = _sized(avals[old.vars[var].aval], sizes)
            at = places.setdefault((aval.text, aval.sharding), len(avals))
            if at == len(avals):
                avals.append(aval)
            variables = [*old.vars[:var], replace(old.vars[var], aval=at), *old.vars[var + 1 :]]
            graphs[graph] = replace(old, vars=variables)
        return replace(self.stage, avals=avals, graphs=graphs)


def _sized(aval: Aval, sizes: Sizes) -> Aval:
    shape = [dimension(size) for size in sizes]
    return replace(
        aval, text=f"{aval.text.partition('[')[0]}[{','.join(map(str, shape))}]", shape=shape
    )


_MOST_STEPS = 50
"""The limit of visits of a graph, on average."""
_ALL_ALIKE = {"select", "clamp", "sort"}
"""Ops whose operands and results of the same rank have the same sizes, like elementwise ops."""
_SHAPE_OPERAND = {"dynamic_broadcast_in_dim": 1, "dynamic_reshape": 1, "dynamic_iota": 0}
"""Ops with an operand that is the shape of their result."""
_PLACES = {
    "constant",
    "get_dimension_size",
    "concatenate",
    "reshape",
    "convert",
    "broadcast_in_dim",
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


def _transposed(operands: list[Sizes], along: Dimensions) -> Sizes:
    return [operands[0][at] for at in along.dimensions]


def _reduced(operands: list[Sizes], along: Dimensions) -> Sizes:
    return [size for at, size in enumerate(operands[0]) if at not in along.dimensions]


def _joined(operands: list[Sizes], along: Dimensions) -> Sizes:
    [dimension] = along.dimensions
    found = list(operands[0])
    each = [one[dimension] for one in operands]
    found[dimension] = UNKNOWN if UNKNOWN in map(str, each) else sum(each[1:], each[0])
    return found


def _product(operands: list[Sizes], dot: Dot) -> Sizes:
    left, right = operands
    rows = [size for at, size in enumerate(left) if at not in (*dot.lhs_batch, *dot.lhs)]
    columns = [size for at, size in enumerate(right) if at not in (*dot.rhs_batch, *dot.rhs)]
    return [*(left[at] for at in dot.lhs_batch), *rows, *columns]


_RULES: dict[str, Callable[[list[Sizes], Any], Sizes]] = {
    "transpose": _transposed,
    "reduce": _reduced,
    "concatenate": _joined,
    "dot_general": _product,
}
