"""Finds the origin of an instruction from the numbers in its op name: the eqn that it was made for,
after the eqns around that one. XLA may leave some of these out, and join several names."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz.schema import Eqn, Stage


class Origins:
    """Knows which eqns of a jaxpr hold which others in their bodies. Eqns go by their number
    through all graphs."""

    def __init__(self, jaxpr: Stage) -> None:
        numbered = [(graph, eqn) for graph, held in enumerate(jaxpr.graphs) for eqn in held.eqns]
        self._eqns = [eqn for _, eqn in numbered]
        self._graph = [graph for graph, _ in numbered]
        self._holders: list[set[int]] = [set() for _ in jaxpr.graphs]
        for number, eqn in enumerate(self._eqns):
            for body in eqn.bodies:
                self._holders[body.graph].add(number)

    def eqn(self, origin: tuple[int, ...]) -> Eqn | None:
        return self._eqns[origin[-1]] if origin else None

    def of(self, numbers: Sequence[int], around: tuple[int, ...]) -> tuple[int, ...]:
        """The origin of an instruction whose op name has `numbers`. `around` is the origin of the
        instruction that calls its computation."""
        return self.within(self.nested(numbers), around)

    def nested(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """The first of the numbers, as far as each eqn lies directly in the one before. If XLA made
        one instruction of several ops it joined their names: the first name is taken."""
        chain: list[int] = []
        for number in numbers:
            if number >= len(self._eqns):
                break
            if chain and chain[-1] not in self._holders[self._graph[number]]:
                break
            chain.append(number)
        return tuple(chain)

    def is_whole(self, origin: tuple[int, ...]) -> bool:
        """Whether no eqn is missing in front of an origin."""
        return not origin or self._graph[origin[0]] == 0

    def within(self, origin: tuple[int, ...], around: tuple[int, ...]) -> tuple[int, ...]:
        """The origin with the eqns that are missing in front of it, as far as only one is possible.
        XLA names the ops of a reducer without the eqns around the reduction."""
        while not self.is_whole(origin):
            if origin[0] in around:
                return (*around[: around.index(origin[0])], *origin)
            holders = self._holders[self._graph[origin[0]]]
            known = holders.intersection(around) or holders
            if len(known) != 1:
                break
            origin = (*known, *origin)
        return origin
