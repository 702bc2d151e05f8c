"""One graph of a side, in the light of which of its inputs are which of the other side's."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from jaxviz import schema
from jaxviz.analysis.compare.values import Side

LITERAL, UNKNOWN = -1, -2


class View:
    """`seeds` are numbers of inputs and consts, `ends` those of results: the same for what is
    matched. Whatever is numbered here is so alike on both sides."""

    def __init__(
        self, side: Side, index: int, seeds: dict[int, int], ends: dict[int, list[int]]
    ) -> None:
        self.side = side
        self.graph: schema.Graph = side.graphs[index]
        self.heads = side.heads[index]
        self.ops = side.ops[index]
        self.seeds = seeds
        self.ends = ends

    @cached_property
    def made(self) -> dict[int, tuple[int, int]]:
        """Of each variable the eqn that makes it, and which of its results it is."""
        return {
            var: (at, place)
            for at, eqn in enumerate(self.graph.eqns)
            for place, var in enumerate(eqn.outvars)
        }

    @cached_property
    def users(self) -> defaultdict[int, list[tuple[int, int]]]:
        """Of each variable the eqns that read it, and as which operand."""
        users: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for at, eqn in enumerate(self.graph.eqns):
            for place, var in enumerate(eqn.invars):
                users[var].append((at, place))
        return users

    def computed(self) -> list[int]:
        """Of each eqn what it computes of the inputs."""
        return self._forward(self.heads, exact=True)

    def shaped(self) -> list[int]:
        """The same by ops alone, whatever their params and literals."""
        return self._forward(self.ops, exact=False)

    def _forward(self, heads: list[int], exact: bool) -> list[int]:
        of, variables = self.side.numbers.of, self.graph.vars
        values = dict(self.seeds)
        found: list[int] = []
        for at, eqn in enumerate(self.graph.eqns):
            key = [heads[at]]
            for var in eqn.invars:
                value = values.get(var)
                if value is None:
                    value = UNKNOWN
                    if variables[var].literal:
                        value = self.side.literal(self.graph, var) if exact else LITERAL
                    values[var] = value
                key.append(value)
            number = of(tuple(key))
            found.append(number)
            for place, var in enumerate(eqn.outvars):
                values[var] = of((number, place, "result")) if place else number
        return found

    def needed(self) -> list[int]:
        """Of each eqn what becomes of its results, by ops alone."""
        of = self.side.numbers.of
        uses: defaultdict[int, set[int]] = defaultdict(set)
        for var, ends in self.ends.items():
            uses[var].update(ends)
        found: list[int] = []
        for at in range(len(self.graph.eqns) - 1, -1, -1):
            eqn = self.graph.eqns[at]
            number = of((self.ops[at], *[tuple(sorted(uses.pop(v, ()))) for v in eqn.outvars]))
            found.append(number)
            for place, var in enumerate(eqn.invars):
                uses[var].add(of((number, place, "use")))
        return found[::-1]

    def nearby(self) -> list[int]:
        """Of each eqn what it does, what makes its operands and what reads its results."""
        of = self.side.numbers.of
        return [
            of(
                (
                    self.heads[at],
                    tuple([self.source(var) for var in eqn.invars]),
                    tuple(sorted({use for var in eqn.outvars for use in self.readers(var)})),
                )
            )
            for at, eqn in enumerate(self.graph.eqns)
        ]

    def source(self, var: int) -> int:
        """By what a variable is made."""
        if var in self.made:
            at, place = self.made[var]
            return self.side.numbers.of((self.heads[at], place, "made"))
        if var in self.seeds:
            return self.seeds[var]
        return self.side.literal(self.graph, var) if self.graph.vars[var].literal else UNKNOWN

    def readers(self, var: int) -> list[int]:
        of = self.side.numbers.of
        return [of((self.ops[at], place, "read")) for at, place in self.users[var]]
