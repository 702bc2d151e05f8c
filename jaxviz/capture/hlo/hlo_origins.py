"""Turns the numbers in an op's name into its origin: the eqn that it was made for, after the eqns
around that one."""

from __future__ import annotations

from jaxviz.schema import Eqn, Stage


class Origins:
    """Knows which eqn of a jaxpr stage holds which."""

    def __init__(self, jaxpr: Stage) -> None:
        numbered = [(graph, eqn) for graph, held in enumerate(jaxpr.graphs) for eqn in held.eqns]
        self._eqns = [eqn for _, eqn in numbered]
        self._graph = [graph for graph, _ in numbered]
        self._holders: list[set[int]] = [set() for _ in jaxpr.graphs]
        for number, eqn in enumerate(self._eqns):
            for body in eqn.bodies:
                self._holders[body.graph].add(number)

    def eqn(self, origin: list[int]) -> Eqn | None:
        return self._eqns[origin[-1]] if origin else None

    def of(self, numbers: list[int], around: list[int]) -> list[int]:
        """The origin of what is named after the eqns `numbers`, in a computation that is called
        by what was made for the eqn `around`."""
        return self._within(self._nested(numbers), around)

    def _nested(self, numbers: list[int]) -> list[int]:
        """As many of the numbers as lie within one another. XLA joins the names of ops that it
        makes one of: the first of them is taken."""
        chain: list[int] = []
        for number in numbers:
            if number >= len(self._eqns):
                break
            if chain and chain[-1] not in self._holders[self._graph[number]]:
                break
            chain.append(number)
        return chain

    def _within(self, origin: list[int], around: list[int]) -> list[int]:
        """With what is missing before it, where that is certain: XLA names what a reduction
        applies without what is around the reduction."""
        while origin and self._graph[origin[0]] != 0:
            if origin[0] in around:
                return around[: around.index(origin[0])] + origin
            holders = self._holders[self._graph[origin[0]]]
            known = holders.intersection(around) or holders
            if len(known) != 1:
                break
            origin = [*known, *origin]
        return origin
