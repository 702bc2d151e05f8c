"""The jaxpr, by the numbers of its eqns."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.ops import OPS

_ELEMENTWISE = {op.name for op in OPS if op.cost == "elementwise"}
_PLAIN = _ELEMENTWISE | {"dot_general", "conv_general_dilated", "transpose", "select_n", "reshape"}
"""Primitives that are lowered without a constant, unless they have a literal."""
_STILL = _ELEMENTWISE | {"convert_element_type", "select_n"}
"""Primitives that leave every element where it is."""


class Made:
    """What the eqns of the jaxpr make of what, by their numbers."""

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
        """Whether one is made for it when it is lowered."""
        graph, eqn = self._eqns[number]
        return eqn.op not in _PLAIN or any(graph.vars[var].literal for var in eqn.invars)

    def is_contraction(self, number: int) -> bool:
        return self._eqns[number][1].op in ("dot_general", "conv_general_dilated")

    def moves_nothing(self, number: int, has_more: bool) -> bool:
        """Whether it leaves elements where they are; `has_more` where another instruction was
        made for it: then a reduction is that one, and not what changes a shape."""
        op = self._eqns[number][1].op
        return op in _STILL or (has_more and op.startswith(("reduce_", "arg", "cum")))

    def uses(self, number: int, made: int) -> bool:
        """Whether it uses a result of the eqn `made` as it is."""
        makers = self._makers[number]
        return any(makers.get(var) == made for var in self._eqns[number][1].invars)

    def uses_input(self, number: int, path: str) -> bool:
        """Whether it uses that input of the program as it is."""
        return number < self._first and self._inputs.get(path, -1) in self._eqns[number][1].invars
