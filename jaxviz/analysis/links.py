"""What became of each eqn of the jaxpr, and what each later eqn was made from.

Eqns of the jaxpr go by their number: counted from 0 through all its graphs in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from jaxviz import schema

GLUE = frozenset(
    ("constant", "broadcast", "broadcast_in_dim", "iota", "convert", "copy", "bitcast", "tuple")
)
"""Ops that serve the ones around them: JAX and XLA add them, and often do not say for what."""
PARTS = frozenset(("get-tuple-element", "copy-done"))
"""They hand on what another one made."""


def guessed(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The stage with a guess for some eqns whose origin is not known.

    What serves others has the origin of all its users where they agree; a result of the whole
    graph, or what its users leave open, that of all who make its operands. Part of a tuple has
    the origin of the tuple's maker. Nothing else is guessed: an instruction that XLA made of
    several may lie between any two. Linear: one pass up and one down."""
    if stage.kind == "jaxpr" or jaxpr is None or stage.error is not None:
        return stage
    return replace(stage, graphs=[_Guesses(graph).graph() for graph in stage.graphs])


class _Guesses:
    """Of one graph."""

    def __init__(self, graph: schema.Graph) -> None:
        self._graph = graph
        self._origins = [tuple(eqn.origin) for eqn in graph.eqns]
        self._makers = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.outvars}
        self._users: list[set[int]] = [set() for _ in graph.eqns]
        for at, eqn in enumerate(graph.eqns):
            for var in eqn.invars:
                if var in self._makers:
                    self._users[self._makers[var]].add(at)
        self._kept = {self._makers[var] for var in graph.outvars if var in self._makers}

    def graph(self) -> schema.Graph:
        for at in reversed(range(len(self._origins))):
            if not self._origins[at] and self._is(at, GLUE) and at not in self._kept:
                self._origins[at] = self._common(self._users[at])
        for at in range(len(self._origins)):
            if not self._origins[at] and self._is(at, GLUE | PARTS):
                self._origins[at] = self._common(self._made_by(at))
        eqns = [
            eqn if eqn.origin or not origin else replace(eqn, origin=list(origin), guess=True)
            for eqn, origin in zip(self._graph.eqns, self._origins, strict=True)
        ]
        return replace(self._graph, eqns=eqns)

    def _is(self, at: int, ops: frozenset[str]) -> bool:
        return self._graph.eqns[at].op.rpartition(".")[2] in ops

    def _made_by(self, at: int) -> set[int]:
        operands = self._graph.eqns[at].invars
        return {self._makers.get(var, -1) for var in operands}

    def _common(self, around: Iterable[int]) -> tuple[int, ...]:
        """The origin that all of them have; empty where one has none, or they differ."""
        origins = {self._origins[at] if at >= 0 else () for at in around}
        return origins.pop() if len(origins) == 1 else ()


Place = tuple[int, int]
"""A graph of a stage, and an eqn of it."""


class Links:
    """Between the jaxpr and one later stage."""

    def __init__(self, stage: schema.Stage) -> None:
        self._graphs = stage.graphs
        self._made: dict[int, list[Place]] = {}
        for graph, held in enumerate(stage.graphs):
            for at, eqn in enumerate(held.eqns):
                for number in dict.fromkeys(eqn.origin):
                    self._made.setdefault(number, []).append((graph, at))

    def made_into(self, number: int) -> Sequence[Place]:
        """The eqns that were made for this eqn of the jaxpr, or for what it holds. None at all:
        it was folded into another, or removed."""
        return self._made.get(number, [])

    def made_from(self, graph: int, eqn: int) -> set[int]:
        """The eqns of the jaxpr that an eqn was made for, with all that it holds: of a fusion
        those that were fused."""
        found: set[int] = set()
        waiting = [self._graphs[graph].eqns[eqn]]
        seen: set[int] = set()
        while waiting:
            one = waiting.pop()
            found.update(one.origin[-1:])
            for body in one.bodies:
                if body.graph not in seen:
                    seen.add(body.graph)
                    waiting.extend(self._graphs[body.graph].eqns)
        return found
