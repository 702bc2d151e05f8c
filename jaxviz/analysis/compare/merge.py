"""The graphs of two stages as those of one, and how each of their eqns differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import words
from jaxviz.analysis.compare.joined import Joined
from jaxviz.analysis.compare.match import Matched
from jaxviz.analysis.compare.tables import Tables
from jaxviz.analysis.compare.values import Side
from jaxviz.analysis.compare.words import Marked

MOST = 4
"""A merged stage has at most about so many times the eqns of both: bodies that are shared, and
matched with ever others, are no longer compared then, but shown as removed and added."""


Both = tuple[schema.Eqn | None, schema.Eqn | None]
"""The eqns of the earlier and of the later stage that a merged one was made of."""


class Part(NamedTuple):
    """What a merged graph is made of: the graphs that both stages have alike, two that differ, or
    what one stage has alone."""

    kind: str
    """`same`, `both`, `added` or `removed`."""
    before: int
    after: int


class Merge:
    """Graphs in the order in which they are met, and of each the marks of its eqns, and from which
    eqns these were made."""

    def __init__(self, before: Side, after: Side, whole: Matched) -> None:
        self.before = before
        self.after = after
        self.tables = Tables(before.stage, after.stage)
        self.graphs: list[schema.Graph] = []
        self.marks: list[list[Marked | None]] = []
        self.eqns: list[list[Both]] = []
        root = Part("both", 0, 0)
        self._matched = {root: whole}
        self._parts = [root]
        self._known = {root: 0}
        self._room = MOST * sum(len(g.eqns) for side in (before, after) for g in side.graphs)
        self._returned: dict[int, list[words.Both]] = {}
        joined = self._join(0, 0, whole)
        self.changes = [*joined.changes()]
        while len(self.graphs) < len(self._parts):
            self._add(self._parts[len(self.graphs)])
        self._mark_holders()

    def added(self, graph: int) -> int:
        """The number of a graph that the later stage has alone."""
        return self._number(Part("added", -1, graph))

    def removed(self, graph: int) -> int:
        return self._number(Part("removed", graph, -1))

    def _same(self, graph: int) -> int:
        return self._number(Part("same", -1, graph))

    def both(
        self, before: int, after: int, matched: Callable[[], Matched]
    ) -> tuple[int, Matched | None] | None:
        """The number of what two graphs are merged to, and how they are matched, which is None
        where they are the same; None where there is no room for it."""
        if self.before.whole[before] == self.after.whole[after]:
            return self._same(after), None
        part = Part("both", before, after)
        if part not in self._known:
            if self._room <= 0:
                return None
            self._matched[part] = matched()
            self._room -= len(self._matched[part].eqns) + 1
        return self._number(part), self._matched[part]

    def _number(self, part: Part) -> int:
        found = self._known.setdefault(part, len(self._parts))
        if found == len(self._parts):
            self._parts.append(part)
        return found

    def _add(self, part: Part) -> None:
        match part:
            case Part("both", before, after):
                self._join(before, after, self._matched[part])
            case Part("removed", before, _):
                graph = self.before.graphs[before]
                pairs: list[Both] = [(eqn, None) for eqn in graph.eqns]
                self._append(self._as_before(graph), [Marked("removed")] * len(pairs), pairs)
            case Part("added", _, after):
                graph = self.after.graphs[after]
                pairs = [(None, eqn) for eqn in graph.eqns]
                merged = self._as_after(graph, self.added)
                self._append(merged, [Marked("added")] * len(pairs), pairs)
            case Part(_, _, after):
                graph = self.after.graphs[after]
                pairs = [(eqn, eqn) for eqn in graph.eqns]
                self._append(self._as_after(graph, self._same), [None] * len(pairs), pairs)

    def _join(self, before: int, after: int, matched: Matched) -> Joined:
        joined = Joined(self, before, after, matched)
        returned = joined.returned()
        if returned:
            self._returned[len(self.graphs)] = [both for _, both in returned]
        pairs = [
            (
                None if a is None else joined.one.eqns[a],
                None if b is None else joined.other.eqns[b],
            )
            for a, b in joined.order
        ]
        self._append(joined.graph, joined.marks, pairs)
        return joined

    def _mark_holders(self) -> None:
        """A body that returns its values in another order has no eqn that differs: the eqn that
        holds it does."""
        if not self._returned:
            return
        for graph, marks in zip(self.graphs, self.marks, strict=True):
            for at, eqn in enumerate(graph.eqns):
                found = [one for body in eqn.bodies for one in self._returned.get(body.graph, ())]
                if found:
                    told = [f"returns {', '.join(side)}" for side in zip(*found, strict=True)]
                    marks[at] = words.also(marks[at], *told)

    def _append(self, graph: schema.Graph, marks: list[Marked | None], eqns: list[Both]) -> None:
        self.graphs.append(graph)
        self.marks.append(marks)
        self.eqns.append(eqns)

    def _as_after(self, graph: schema.Graph, number: Callable[[int], int]) -> schema.Graph:
        eqns = [
            replace(eqn, bodies=numbered(eqn.bodies, number)) if eqn.bodies else eqn
            for eqn in graph.eqns
        ]
        return replace(graph, eqns=eqns, groups=[])

    def _as_before(self, graph: schema.Graph) -> schema.Graph:
        variables = [replace(var, aval=self.tables.aval(var.aval, None)) for var in graph.vars]
        eqns = [
            self.moved(eqn, eqn.invars, eqn.outvars, numbered(eqn.bodies, self.removed))
            for eqn in graph.eqns
        ]
        return replace(graph, vars=variables, eqns=eqns, groups=[])

    def moved(
        self, eqn: schema.Eqn, invars: list[int], outvars: list[int], bodies: list[schema.Body]
    ) -> schema.Eqn:
        """An eqn of the earlier stage. What it cost is no part of the later one's."""
        return replace(
            eqn,
            invars=invars,
            outvars=outvars,
            bodies=bodies,
            frame=self.tables.frame(eqn.frame),
            call=self.tables.frame(eqn.call),
            scope=self.tables.scope(eqn.scope),
            trips=None,
            cost=None,
        )


def numbered(bodies: list[schema.Body], number: Callable[[int], int]) -> list[schema.Body]:
    return [replace(body, graph=number(body.graph)) for body in bodies]
