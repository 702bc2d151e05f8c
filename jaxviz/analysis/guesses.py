"""Guesses at what an eqn of a later stage was made for, where neither JAX nor XLA says so.

They are made for what serves other eqns, where all of those agree, and where no eqn of the jaxpr
lies between that could have become it:

- a constant, and what spreads it, for the one eqn that uses it, if that one has a literal or
  belongs to those that JAX lowers with a constant;
- a copy between two eqns of which one uses the other's result as it is, for the one that uses it;
- a tuple for the loop or the branch that takes it apart; a part of a tuple for its maker.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.cost.families import ELEMENTWISE
from jaxviz.analysis.cost.values import plain

_SPREADS = frozenset(("broadcast", "broadcast_in_dim"))
_COPIES = frozenset(("copy", "bitcast", "copy_done"))
_PARTS = frozenset(("get_tuple_element",))
_PLAIN = ELEMENTWISE | {"dot_general", "conv_general_dilated", "transpose", "select_n", "reshape"}
"""Primitives that are lowered without a constant, unless they have a literal."""

Origin = tuple[int, ...]


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

    def uses(self, number: int, made: int) -> bool:
        """Whether it uses a result of the eqn `made` as it is."""
        makers = self._makers[number]
        return any(makers.get(var) == made for var in self._eqns[number][1].invars)

    def uses_input(self, number: int, path: str) -> bool:
        """Whether it uses that input of the program as it is."""
        return number < self._first and self._inputs.get(path, -1) in self._eqns[number][1].invars


class Guesses:
    """Of one graph."""

    def __init__(self, graph: schema.Graph, made: Made) -> None:
        self._graph = graph
        self._made = made
        self._origins: list[Origin] = [tuple(eqn.origin) for eqn in graph.eqns]
        self._ops = [plain(eqn.op) for eqn in graph.eqns]
        self._makers = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.outvars}
        self._users: list[set[int]] = [set() for _ in graph.eqns]
        for at, eqn in enumerate(graph.eqns):
            for var in eqn.invars:
                if var in self._makers:
                    self._users[self._makers[var]].add(at)
        self._paths = dict(zip(graph.invars, graph.args, strict=True))
        self._kept = {self._makers[var] for var in graph.outvars if var in self._makers}

    def graph(self) -> schema.Graph:
        order = range(len(self._origins))
        for at in reversed(order):
            if not self._origins[at] and at not in self._kept:
                self._origins[at] = self._for_users(at)
        for at in order:
            if not self._origins[at] and self._ops[at] in _PARTS:
                self._origins[at] = self._common(self._operands(at))
        eqns = [
            eqn if eqn.origin or not origin else replace(eqn, origin=list(origin), guess=True)
            for eqn, origin in zip(self._graph.eqns, self._origins, strict=True)
        ]
        return replace(self._graph, eqns=eqns)

    def _for_users(self, at: int) -> Origin:
        """Of what serves the eqns that use it; those come first."""
        op = self._ops[at]
        origin = self._common(self._users[at])
        if not origin or op == "tuple":
            return origin
        if op == "constant" or (op in _SPREADS and self._of_constant(at)):
            return origin if self._made.has_constant(origin[-1]) else ()
        if op in _COPIES:
            return origin if self._directly(at, origin) else ()
        return ()

    def _of_constant(self, at: int) -> bool:
        return all(made >= 0 and self._ops[made] == "constant" for made in self._operands(at))

    def _directly(self, at: int, origin: Origin) -> bool:
        """Whether the eqn that a copy is for uses what is copied as it is."""
        [var] = self._graph.eqns[at].invars
        if var not in self._makers:
            path = self._paths.get(var, "")
            return bool(path) and self._made.uses_input(origin[-1], path)
        made = self._makers[var]
        if self._ops[made] == "constant":
            return self._made.has_constant(origin[-1])
        before = self._origins[made]
        return bool(before) and self._made.uses(origin[-1], before[-1])

    def _operands(self, at: int) -> set[int]:
        """The eqns that make them, -1 for those that come from outside."""
        return {self._makers.get(var, -1) for var in self._graph.eqns[at].invars}

    def _common(self, around: Iterable[int]) -> Origin:
        """The origin that all of them have; empty where one has none, or they differ."""
        origins = {self._origins[at] if at >= 0 else () for at in around}
        return origins.pop() if len(origins) == 1 else ()
