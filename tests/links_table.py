"""Which eqns of a later stage were made for which eqns of the jaxpr, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz import schema

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
