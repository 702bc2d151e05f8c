"""The graphs of two stages as those of one merged stage, with a mark on each eqn that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.eqn_differences import (
    EqnDifferences,
    EqnMark,
    TextPair,
    leaf_changes,
    merged_params,
    with_change,
)
from jaxviz.analysis.compare.matching import GraphMatch, binder, by_place
from jaxviz.analysis.compare.merged_bodies import GraphPair, GraphPairs, MergedBodies
from jaxviz.analysis.compare.merged_variables import MergedTables, MergedVariables
from jaxviz.analysis.compare.sequences import woven
from jaxviz.analysis.compare.value_numbers import NumberedStage

Variables = tuple[int, ...]
Bodies = tuple[schema.Body, ...]
Places = tuple[int | None, int | None]
"""Where something is in the earlier graph and in the later one; None where it is not there."""
EqnPair = tuple[schema.Eqn | None, schema.Eqn | None]
"""The eqns of the earlier and the later stage that a merged eqn is made of."""


class MergedStage:
    """The merged graphs of two stages, in the order in which they are met.

    `marks` has for each graph the marks of its eqns, and `eqns` the eqns that these are made of.
    `root` is the first of them, and `changes` says how the inputs and results of the programs
    differ."""

    def __init__(self, before: NumberedStage, after: NumberedStage, programs: GraphMatch) -> None:
        self.tables = MergedTables(before.stage, after.stage)
        self.graphs: list[schema.Graph] = []
        self.marks: list[list[EqnMark | None]] = []
        self.eqns: list[list[EqnPair]] = []
        self._pairs = GraphPairs(before, after, programs)
        self._returned: dict[int, list[TextPair]] = {}
        self.root = self._merge(self._pairs.all[0])
        self.changes = [*self.root.changes()]
        while len(self.graphs) < len(self._pairs.all):
            self._add(self._pairs.all[len(self.graphs)])
        self._mark_holders()

    def _add(self, pair: GraphPair) -> None:
        """Makes the next graph."""
        match pair:
            case GraphPair("both", _, _):
                self._merge(pair)
            case GraphPair("removed", before, _):
                graph = self._pairs.before.graphs[before]
                eqns: list[EqnPair] = [(eqn, None) for eqn in graph.eqns]
                self._append(self._of_before(graph), [EqnMark("removed")] * len(eqns), eqns)
            case GraphPair("added", _, after):
                graph = self._pairs.after.graphs[after]
                eqns = [(None, eqn) for eqn in graph.eqns]
                merged = self._of_after(graph, self._pairs.added)
                self._append(merged, [EqnMark("added")] * len(eqns), eqns)
            case GraphPair(_, _, after):
                graph = self._pairs.after.graphs[after]
                eqns = [(eqn, eqn) for eqn in graph.eqns]
                self._append(self._of_after(graph, self._pairs.same), [None] * len(eqns), eqns)

    def _merge(self, pair: GraphPair) -> MergedGraph:
        """Makes one graph of two that differ."""
        merged = MergedGraph(self._pairs, self.tables, pair)
        returned = merged.returned()
        if returned:
            self._returned[len(self.graphs)] = [names for _, names in returned]
        one, other = merged.one.eqns, merged.other.eqns
        eqns = [
            (None if a is None else one[a], None if b is None else other[b])
            for a, b in merged.eqn_places
        ]
        self._append(merged.graph, merged.marks, eqns)
        return merged

    def _mark_holders(self) -> None:
        """Marks the eqns that hold a body which returns other values, or in another order: no eqn
        of the body itself differs."""
        if not self._returned:
            return
        for graph, marks in zip(self.graphs, self.marks, strict=True):
            for at, eqn in enumerate(graph.eqns):
                found = [one for body in eqn.bodies for one in self._returned.get(body.graph, ())]
                if found:
                    sides = [f"returns {', '.join(side)}" for side in zip(*found, strict=True)]
                    marks[at] = with_change(marks[at], *sides)

    def _append(
        self, graph: schema.Graph, marks: list[EqnMark | None], eqns: list[EqnPair]
    ) -> None:
        self.graphs.append(graph)
        self.marks.append(marks)
        self.eqns.append(eqns)

    def _of_after(self, graph: schema.Graph, number: Callable[[int], int]) -> schema.Graph:
        """A graph of the later stage, where `number` gives the number of each body."""
        eqns = [
            replace(eqn, bodies=renumbered(eqn.bodies, number)) if eqn.bodies else eqn
            for eqn in graph.eqns
        ]
        return replace(graph, eqns=eqns, groups=[])

    def _of_before(self, graph: schema.Graph) -> schema.Graph:
        """A graph that the earlier stage alone has."""
        variables = [replace(var, aval=self.tables.aval(var.aval, None)) for var in graph.vars]
        number = self._pairs.removed
        eqns = [
            self.tables.eqn(eqn, eqn.invars, eqn.outvars, renumbered(eqn.bodies, number))
            for eqn in graph.eqns
        ]
        return replace(graph, vars=variables, eqns=eqns, groups=[])


def renumbered(bodies: Bodies, number: Callable[[int], int]) -> Bodies:
    return tuple([replace(body, graph=number(body.graph)) for body in bodies])


class MergedGraph:
    """One graph of two that differ: eqns that match stand once."""

    def __init__(self, pairs: GraphPairs, tables: MergedTables, pair: GraphPair) -> None:
        before, after, match = pairs.before, pairs.after, pairs.matches[pair]
        self.pairs = pairs
        self.tables = tables
        self.one = one = before.graphs[pair.before]
        self.other = other = after.graphs[pair.after]
        self.operations = before.operations[pair.before], after.operations[pair.after]
        self.variables = MergedVariables(tables, one, other)
        self.differences = EqnDifferences(before, one, after, other, self.variables)
        self.variables.match(one.constvars, other.constvars, match.constvars)
        self.variables.match(one.invars, other.invars, match.invars)
        self.marks: list[EqnMark | None] = []
        self.inputs = woven(len(one.invars), len(other.invars), match.invars)
        self.results = woven(len(one.outvars), len(other.outvars), match.outvars)
        self.eqn_places = woven(len(one.eqns), len(other.eqns), match.eqns)
        self.consts = woven(len(one.constvars), len(other.constvars), match.constvars)
        constvars = self._all(one.constvars, other.constvars, self.consts)
        invars = self._all(one.invars, other.invars, self.inputs)
        eqns = [self._eqn(a, b) for a, b in self.eqn_places]
        outvars = self._all(one.outvars, other.outvars, self.results)
        self.graph = replace(
            other,
            vars=self.variables.records,
            constvars=constvars,
            invars=invars,
            outvars=outvars,
            args=merged_paths(one.args, other.args, self.inputs),
            results=merged_paths(one.results, other.results, self.results),
            eqns=eqns,
            groups=[],
        )

    def _all(self, one: Variables, other: Variables, places: list[Places]) -> Variables:
        return tuple(
            self.variables.of_before(one[a or 0])
            if b is None
            else self.variables.of_after(other[b])
            for a, b in places
        )

    def _eqn(self, a: int | None, b: int | None) -> schema.Eqn:
        if a is None:
            assert b is not None
            return self._added(self.other.eqns[b])
        if b is None:
            return self._removed(self.one.eqns[a])
        return self._both(a, b)

    def _added(self, eqn: schema.Eqn) -> schema.Eqn:
        self.marks.append(EqnMark("added"))
        bodies = renumbered(eqn.bodies, self.pairs.added)
        invars = tuple(map(self.variables.of_after, eqn.invars))
        outvars = tuple(map(self.variables.of_after, eqn.outvars))
        return replace(eqn, invars=invars, outvars=outvars, bodies=bodies)

    def _removed(self, eqn: schema.Eqn) -> schema.Eqn:
        self.marks.append(EqnMark("removed"))
        bodies = renumbered(eqn.bodies, self.pairs.removed)
        invars = tuple(map(self.variables.of_before, eqn.invars))
        outvars = tuple(map(self.variables.of_before, eqn.outvars))
        return self.tables.eqn(eqn, invars, outvars, bodies)

    def _both(self, a: int, b: int) -> schema.Eqn:
        one, other, variables = self.one.eqns[a], self.other.eqns[b], self.variables
        places = self._match_results(one.outvars, other.outvars)
        variables.match(one.outvars, other.outvars, places)
        if len(one.invars) == len(other.invars):
            invars = tuple(map(variables.operand, one.invars, other.invars))
        else:
            invars = tuple(map(variables.of_after, other.invars))
        gone = [variables.of_before(v) for v in one.outvars if v not in variables.matched]
        outvars = (*map(variables.of_after, other.outvars), *gone)
        bodies: Bodies = ()
        if one.bodies or other.bodies:
            bodies = MergedBodies(self.pairs, variables, one, other, invars, outvars).merged()
        same = self.operations[0][a] == self.operations[1][b]
        self.marks.append(self.differences.mark(one, other, places, same))
        params = other.params if same else merged_params(one.params, other.params)
        return replace(other, invars=invars, outvars=outvars, params=params, bodies=bodies)

    def _match_results(self, before: Variables, after: Variables) -> dict[int, int]:
        """Which results of two eqns that match correspond."""
        if len(before) == len(after):
            return dict(enumerate(range(len(after))))
        stages = self.pairs.before.stage, self.pairs.after.stage
        return by_place(
            [binder(stages[0], self.one, var, None) for var in before],
            [binder(stages[1], self.other, var, None) for var in after],
        )

    def returned(self) -> list[tuple[str, TextPair]]:
        """The results that are other values than before, though no eqn says so: path and names."""
        pairs = [
            (path, self.one.outvars[a], self.other.outvars[b])
            for (a, b), path in zip(self.results, self.graph.results, strict=True)
            if a is not None and b is not None
        ]
        return [
            (path, self.variables.names(one, other))
            for path, one, other in pairs
            if self.variables.differ(one, other)
        ]

    def changes(self) -> Iterator[schema.Change]:
        """How the inputs, the arrays that are closed over and the results of a program differ."""
        one, other, graph = self.one, self.other, self.graph
        yield from self._leaf_changes(one.invars, other.invars, self.inputs, graph.args)
        unnamed = ("",) * len(self.consts)
        yield from self._leaf_changes(one.constvars, other.constvars, self.consts, unnamed)
        yield from self._leaf_changes(one.outvars, other.outvars, self.results, graph.results)
        yield from (schema.Change("unknown", path, *names) for path, names in self.returned())

    def _leaf_changes(
        self, one: Variables, other: Variables, places: list[Places], paths: tuple[str, ...]
    ) -> Iterator[schema.Change]:
        avals, others = self.pairs.before.stage.avals, self.pairs.after.stage.avals
        for (a, b), path in zip(places, paths, strict=True):
            old = None if a is None else avals[self.one.vars[one[a]].aval]
            new = None if b is None else others[self.other.vars[other[b]].aval]
            yield from leaf_changes(path, old, new)


def merged_paths(
    one: tuple[str, ...], other: tuple[str, ...], places: list[Places]
) -> tuple[str, ...]:
    """The paths in the later graph; of what it no longer has, those in the earlier one."""
    return tuple(other[b] if b is not None else one[a or 0] for a, b in places)
