"""One graph of a merged stage: the eqns of two graphs, those that are matched once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import words
from jaxviz.analysis.compare.binders import binder, by_place
from jaxviz.analysis.compare.bodies import Bodies
from jaxviz.analysis.compare.differing import Differing
from jaxviz.analysis.compare.match import Matched
from jaxviz.analysis.compare.sequences import woven
from jaxviz.analysis.compare.variables import Variables
from jaxviz.analysis.compare.words import Marked

if TYPE_CHECKING:
    from jaxviz.analysis.compare.merge import Merge

Two = tuple[int | None, int | None]
"""A place in the earlier graph, and the same in the later one; None where one has it not."""


class Joined:
    """Is made at once; asks `merge` for the numbers of bodies."""

    def __init__(self, merge: Merge, before: int, after: int, matched: Matched) -> None:
        self.merge = merge
        self.one = one = merge.before.graphs[before]
        self.other = other = merge.after.graphs[after]
        self.heads = merge.before.heads[before], merge.after.heads[after]
        self.variables = Variables(merge.tables, one, other)
        self.differing = Differing(merge.before, one, merge.after, other, self.variables)
        self.variables.match(one.constvars, other.constvars, matched.constvars)
        self.variables.match(one.invars, other.invars, matched.invars)
        self.marks: list[Marked | None] = []
        self.inputs = woven(len(one.invars), len(other.invars), matched.invars)
        self.results = woven(len(one.outvars), len(other.outvars), matched.outvars)
        self.order = woven(len(one.eqns), len(other.eqns), matched.eqns)
        self.consts = woven(len(one.constvars), len(other.constvars), matched.constvars)
        constvars = self._all(one.constvars, other.constvars, self.consts)
        invars = self._all(one.invars, other.invars, self.inputs)
        eqns = [self._eqn(a, b) for a, b in self.order]
        outvars = self._all(one.outvars, other.outvars, self.results)
        self.graph = replace(
            other,
            vars=self.variables.records,
            constvars=constvars,
            invars=invars,
            outvars=outvars,
            args=paths(one.args, other.args, self.inputs),
            results=paths(one.results, other.results, self.results),
            eqns=eqns,
            groups=[],
        )

    def _all(self, one: list[int], other: list[int], order: list[Two]) -> list[int]:
        return [self._var(one, other, a, b) for a, b in order]

    def _var(self, one: list[int], other: list[int], a: int | None, b: int | None) -> int:
        if b is not None:
            return self.variables.of_after(other[b])
        assert a is not None
        return self.variables.of_before(one[a])

    def _eqn(self, a: int | None, b: int | None) -> schema.Eqn:
        if a is None:
            assert b is not None
            return self._added(self.other.eqns[b])
        if b is None:
            return self._removed(self.one.eqns[a])
        return self._both(a, b)

    def _added(self, eqn: schema.Eqn) -> schema.Eqn:
        self.marks.append(Marked("added"))
        bodies = [replace(body, graph=self.merge.added(body.graph)) for body in eqn.bodies]
        invars = [*map(self.variables.of_after, eqn.invars)]
        outvars = [*map(self.variables.of_after, eqn.outvars)]
        return replace(eqn, invars=invars, outvars=outvars, bodies=bodies)

    def _removed(self, eqn: schema.Eqn) -> schema.Eqn:
        self.marks.append(Marked("removed"))
        bodies = [replace(body, graph=self.merge.removed(body.graph)) for body in eqn.bodies]
        invars = [*map(self.variables.of_before, eqn.invars)]
        outvars = [*map(self.variables.of_before, eqn.outvars)]
        return self.merge.moved(eqn, invars, outvars, bodies)

    def _both(self, a: int, b: int) -> schema.Eqn:
        one, other, variables = self.one.eqns[a], self.other.eqns[b], self.variables
        places = self._places(one.outvars, other.outvars)
        variables.match(one.outvars, other.outvars, places)
        if len(one.invars) == len(other.invars):
            invars = [*map(variables.operand, one.invars, other.invars)]
        else:
            invars = [*map(variables.of_after, other.invars)]
        outvars = [*map(variables.of_after, other.outvars)]
        outvars += [variables.of_before(v) for v in one.outvars if v not in variables.twins]
        bodies: list[schema.Body] = []
        if one.bodies or other.bodies:
            bodies = Bodies(self.merge, variables, one, other, invars, outvars).merged()
        alike = self.heads[0][a] == self.heads[1][b]
        self.marks.append(self.differing.mark(one, other, places, alike))
        params = other.params if alike else words.merged_params(one.params, other.params)
        return replace(other, invars=invars, outvars=outvars, params=params, bodies=bodies)

    def _places(self, before: list[int], after: list[int]) -> dict[int, int]:
        """Which results are which."""
        if len(before) == len(after):
            return dict(enumerate(range(len(after))))
        stages = self.merge.before.stage, self.merge.after.stage
        return by_place(
            [binder(stages[0], self.one, var, None) for var in before],
            [binder(stages[1], self.other, var, None) for var in after],
        )

    def returned(self) -> list[tuple[str, words.Both]]:
        """What both return, by its path, where it is not the same and nothing else says why."""
        pairs = [
            (path, self.one.outvars[a], self.other.outvars[b])
            for (a, b), path in zip(self.results, self.graph.results, strict=True)
            if a is not None and b is not None
        ]
        return [
            (path, self.variables.told(one, other))
            for path, one, other in pairs
            if self.variables.are_apart(one, other)
        ]

    def changes(self) -> Iterator[schema.Change]:
        """How inputs, results and the arrays that are closed over differ, of the program."""
        one, other, graph = self.one, self.other, self.graph
        yield from self._retyped(one.invars, other.invars, self.inputs, graph.args)
        yield from self._retyped(one.constvars, other.constvars, self.consts, None)
        yield from self._retyped(one.outvars, other.outvars, self.results, graph.results)
        yield from (words.change("unknown", path, *both) for path, both in self.returned())

    def _retyped(
        self, one: list[int], other: list[int], order: list[Two], where: list[str] | None
    ) -> Iterator[schema.Change]:
        avals, others = self.merge.before.stage.avals, self.merge.after.stage.avals
        for (a, b), path in zip(order, where or [""] * len(order), strict=True):
            old = None if a is None else avals[self.one.vars[one[a]].aval]
            new = None if b is None else others[self.other.vars[other[b]].aval]
            yield from words.changes(path, old, new)


def paths(one: list[str], other: list[str], order: list[Two]) -> list[str]:
    """Those of the later graph, and of what it has no more those of the earlier one."""
    return [other[b] if b is not None else one[a or 0] for a, b in order]
