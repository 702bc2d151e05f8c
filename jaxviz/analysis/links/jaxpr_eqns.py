"""What the eqns of a jaxpr read and do, by their numbers."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.ops import OPS

_ELEMENTWISE = {op.name for op in OPS if op.cost == "elementwise"}
_WITHOUT_CONSTANT = _ELEMENTWISE | {
    "dot_general",
    "conv_general_dilated",
    "transpose",
    "select_n",
    "reshape",
}
"""Primitives that JAX lowers without a constant, unless they have a literal."""
_MOVES_NOTHING = _ELEMENTWISE | {"convert_element_type", "select_n"}
"""Primitives that leave every element where it is."""


class JaxprEqns:
    """The eqns of all graphs of a jaxpr, numbered from 0 in the order of the graphs."""

    def __init__(self, jaxpr: schema.Stage) -> None:
        self._eqns: list[tuple[schema.Graph, schema.Eqn]] = []
        self._makers: list[dict[int, int]] = []
        self._inputs = {
            path: var
            for var, path in zip(jaxpr.graphs[0].invars, jaxpr.graphs[0].args, strict=True)
        }
        self._first = len(jaxpr.graphs[0].eqns)
        for graph in jaxpr.graphs:
            start = len(self._eqns)
            makers = {v: start + at for at, eqn in enumerate(graph.eqns) for v in eqn.outvars}
            for eqn in graph.eqns:
                self._eqns.append((graph, eqn))
                self._makers.append(makers)

    def has_constant(self, number: int) -> bool:
        """Whether lowering an eqn makes a constant for it."""
        graph, eqn = self._eqns[number]
        return eqn.op not in _WITHOUT_CONSTANT or any(graph.vars[var].literal for var in eqn.invars)

    def is_contraction(self, number: int) -> bool:
        """Whether an eqn is a product of arrays, or a convolution."""
        return self._eqns[number][1].op in ("dot_general", "conv_general_dilated")

    def moves_nothing(self, number: int, has_more: bool) -> bool:
        """Whether an eqn leaves elements where they are. `has_more` says that another instruction
        was made for it, too: then that one is a reduction's, and not one that changes a shape."""
        op = self._eqns[number][1].op
        return op in _MOVES_NOTHING or (has_more and op.startswith(("reduce_", "arg", "cum")))

    def uses(self, number: int, made: int) -> bool:
        """Whether an eqn uses a result of the eqn `made` as it is."""
        makers = self._makers[number]
        return any(makers.get(var) == made for var in self._eqns[number][1].invars)

    def uses_input(self, number: int, path: str) -> bool:
        """Whether an eqn uses the program's input of that path as it is."""
        return number < self._first and self._inputs.get(path, -1) in self._eqns[number][1].invars
