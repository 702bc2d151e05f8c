"""The merged stage of two stages: their graphs, with a mark on each eqn that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.alignment import moved_places
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
from jaxviz.analysis.compare.sequences import interleaved
from jaxviz.analysis.compare.value_numbers import NumberedStage
from jaxviz.sentences import sentence

Variables = tuple[int, ...]
Bodies = tuple[schema.Body, ...]
Places = tuple[int | None, int | None]
"""A place in the earlier graph and in the later one; None if a graph does not have it."""
EqnPair = tuple[schema.Eqn | None, schema.Eqn | None]
"""The eqns of the earlier and the later stage that a merged eqn is made of."""


def differ(one: bytes | int | None, other: bytes | int | None) -> bool | None:
    """True if two digests are of different values; None if that is unknown. A digest that is a
    number identifies an object: two objects may have equal values."""
    if one is None or other is None:
        return None
    if one == other:
        return False
    return True if isinstance(one, bytes) and isinstance(other, bytes) else None


OTHER_VALUES = sentence("other values")
"""The text for a closed-over array whose values changed."""


def type_of(stage: schema.Stage, graph: schema.Graph, var: int) -> str:
    return stage.avals[graph.vars[var].aval].text


class MergedStage:
    """The merged graphs of two stages, in the order of discovery.

    `marks` has for each graph the marks of its eqns, and `eqns` the eqns that these are made of.
    `root` is the first graph, and `changes` has the differences of the programs' inputs and
    results. `unknown` names the arrays of both whose values are unknown.
    """

    def __init__(self, before: NumberedStage, after: NumberedStage, programs: GraphMatch) -> None:
        self.tables = MergedTables(before.stage, after.stage)
        self.graphs: list[schema.Graph] = []
        self.marks: list[list[EqnMark | None]] = []
        self.eqns: list[list[EqnPair]] = []
        self._pairs = GraphPairs(before, after, programs)
        self.unknown: list[str] = []
        self._body_differences: dict[int, list[TextPair]] = {}
        self.root = self._merge(self._pairs.all[0])
        self.changes = [*self.root.changes()]
        while len(self.graphs) < len(self._pairs.all):
            self._add(self._pairs.all[len(self.graphs)])
        self._mark_callers()

    def _add(self, pair: GraphPair) -> None:
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
                stage, values = self._pairs.after.stage, self._pairs.after.values[after]
                digests = zip(graph.constvars, values, strict=False)
                self.unknown += [type_of(stage, graph, var) for var, one in digests if one is None]

    def _merge(self, pair: GraphPair) -> MergedGraph:
        merged = MergedGraph(self._pairs, self.tables, pair)
        self.unknown += merged.unknown_values()
        differences = [*merged.body_differences()]
        if differences:
            self._body_differences[len(self.graphs)] = differences
        one, other = merged.one.eqns, merged.other.eqns
        eqns = [
            (None if a is None else one[a], None if b is None else other[b])
            for a, b in merged.eqn_places
        ]
        self._append(merged.graph, merged.marks, eqns)
        return merged

    def _mark_callers(self) -> None:
        """Marks the callers of a body that differs although none of its eqns does: it returns other
        values, or in another order, or closes over other values."""
        if not self._body_differences:
            return
        for graph, marks in zip(self.graphs, self.marks, strict=True):
            for at, eqn in enumerate(graph.eqns):
                for body in eqn.bodies:
                    for sides in self._body_differences.get(body.graph, ()):
                        marks[at] = with_change(marks[at], *sides)

    def _append(
        self, graph: schema.Graph, marks: list[EqnMark | None], eqns: list[EqnPair]
    ) -> None:
        self.graphs.append(graph)
        self.marks.append(marks)
        self.eqns.append(eqns)

    def _of_after(self, graph: schema.Graph, number: Callable[[int], int]) -> schema.Graph:
        """A graph of the later stage. `number` returns the new number of each body."""
        eqns = [
            replace(eqn, bodies=renumbered(eqn.bodies, number)) if eqn.bodies else eqn
            for eqn in graph.eqns
        ]
        return replace(graph, eqns=eqns, groups=[])

    def _of_before(self, graph: schema.Graph) -> schema.Graph:
        """A graph that only the earlier stage has."""
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
    """One graph made of two that differ. Matching eqns appear once."""

    def __init__(self, pairs: GraphPairs, tables: MergedTables, pair: GraphPair) -> None:
        before, after, match = pairs.before, pairs.after, pairs.matches[pair]
        self.pairs = pairs
        self.tables = tables
        self.one = one = before.graphs[pair.before]
        self.other = other = after.graphs[pair.after]
        self.values = before.values[pair.before], after.values[pair.after]
        self.operations = before.operations[pair.before], after.operations[pair.after]
        self.variables = MergedVariables(tables, one, other)
        self.differences = EqnDifferences(before, one, after, other, self.variables)
        self.variables.match(one.constvars, other.constvars, match.constvars)
        self.variables.match(one.invars, other.invars, match.invars)
        self.marks: list[EqnMark | None] = []
        self._gone: set[int] = set()
        """The variables so far that only the earlier graph has."""
        self.inputs = interleaved(len(one.invars), len(other.invars), match.invars)
        self.results = interleaved(len(one.outvars), len(other.outvars), match.outvars)
        self.eqn_places = interleaved(len(one.eqns), len(other.eqns), match.eqns)
        self.consts = interleaved(len(one.constvars), len(other.constvars), match.constvars)
        self.moved = moved_places(match.eqns)
        self.result_places = {
            pair: self._match_results(one.eqns[pair[0]].outvars, other.eqns[pair[1]].outvars)
            for pair in match.eqns.items()
        }
        for (a, b), places in self.result_places.items():
            self.variables.match(one.eqns[a].outvars, other.eqns[b].outvars, places)
        constvars = self._all(one.constvars, other.constvars, self.consts)
        invars = self._all(one.invars, other.invars, self.inputs)
        self._add_gone(one.constvars)
        self._add_gone(one.invars)
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
        was = self._was(eqn)
        return replace(self.tables.eqn(eqn, invars, outvars, bodies), was=was)

    def _both(self, a: int, b: int) -> schema.Eqn:
        one, other, variables = self.one.eqns[a], self.other.eqns[b], self.variables
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
        mark = self.differences.mark(one, other, self.result_places[a, b], same)
        self.marks.append(EqnMark("moved") if mark is None and b in self.moved else mark)
        params = other.params if same else merged_params(one.params, other.params)
        changes = {"invars": invars, "outvars": outvars, "params": params, "bodies": bodies}
        return replace(other, **changes, was=self._was(one))

    def _was(self, eqn: schema.Eqn) -> Variables:
        """The operands of an earlier eqn that only the earlier graph has. The results of eqns that
        moved behind it are left out."""
        gone = [self.variables.of_before(var) for var in eqn.invars if var in self._gone]
        self._add_gone(eqn.outvars)
        return tuple(dict.fromkeys(gone))

    def _add_gone(self, variables: Variables) -> None:
        self._gone.update(var for var in variables if var not in self.variables.matched)

    def _match_results(self, before: Variables, after: Variables) -> dict[int, int]:
        """The results of two matching eqns that correspond."""
        if len(before) == len(after):
            return dict(enumerate(range(len(after))))
        stages = self.pairs.before.stage, self.pairs.after.stage
        return by_place(
            [binder(stages[0], self.one, var, None) for var in before],
            [binder(stages[1], self.other, var, None) for var in after],
        )

    def values_differ(self) -> Iterator[tuple[int, bool | None]]:
        """Yields the place in the later graph of each constant that both have, and True if its
        values differ; None if a value is unknown."""
        one, other = self.values
        for a, b in self.consts:
            if a is not None and b is not None:
                types = self.one.constvars[a], self.other.constvars[b]
                if self._of_one_type(*types):
                    yield b, differ(one[a], other[b])

    def _of_one_type(self, a: int, b: int) -> bool:
        before, after = self.pairs.before, self.pairs.after
        return before.avals[self.one.vars[a].aval] == after.avals[self.other.vars[b].aval]

    def unknown_values(self) -> list[str]:
        return [self._name(at) for at, differs in self.values_differ() if differs is None]

    def _name(self, at: int) -> str:
        """The user's name of a constant of the later graph, or its type."""
        stage = self.pairs.after.stage
        names = (
            stage.call.consts if stage.call is not None and self.other is stage.graphs[0] else []
        )
        return (names[at : at + 1] or [""])[0] or self._type(at)

    def _type(self, at: int) -> str:
        return type_of(self.pairs.after.stage, self.other, self.other.constvars[at])

    def body_differences(self) -> Iterator[TextPair]:
        """The differences of a body none of whose eqns differs, as text for its callers."""
        returned = [names for _, names in self.returned()]
        if returned:
            before, after = (f"returns {', '.join(side)}" for side in zip(*returned, strict=True))
            yield before, after
        for at, differs in self.values_differ():
            if differs:
                yield f"closes over {self._type(at)}", str(OTHER_VALUES)

    def returned(self) -> list[tuple[str, TextPair]]:
        """The path and names of each result whose value changed although no eqn differs."""
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
        """The differences of inputs, closed-over arrays and results of a program."""
        one, other, graph = self.one, self.other, self.graph
        yield from self._leaf_changes(one.invars, other.invars, self.inputs, graph.args)
        yield from self._moved_inputs()
        unnamed = ("",) * len(self.consts)
        yield from self._leaf_changes(one.constvars, other.constvars, self.consts, unnamed)
        for at, differs in self.values_differ():
            if differs:
                name, text = self._name(at), self._type(at)
                yield schema.Change("values", "" if name == text else name, text, OTHER_VALUES)
        yield from self._result_changes()

    def _moved_inputs(self) -> Iterator[schema.Change]:
        pairs = {a: b for a, b in self.inputs if a is not None and b is not None}
        places = {b: a for a, b in pairs.items()}
        for b in sorted(moved_places(pairs)):
            sides = (sentence("input", number=str(at + 1)) for at in (places[b], b))
            yield schema.Change("moved", self.other.args[b], *sides)

    def _result_changes(self) -> Iterator[schema.Change]:
        """The differences of results. A difference is omitted if another result moved to that
        place."""
        one, other = self.one, self.other
        moved = self._moved_results()
        for b, a in moved.items():
            yield schema.Change("moved", other.results[b], one.results[a], other.results[b])
        in_place = [pair for pair in self.results if pair[1] not in moved]
        paths = merged_paths(one.results, other.results, in_place)
        yield from self._leaf_changes(one.outvars, other.outvars, in_place, paths)
        moved_paths = {other.results[b] for b in moved}
        for path, names in self.returned():
            if path not in moved_paths:
                yield schema.Change("unknown", path, *names)

    def _moved_results(self) -> dict[int, int]:
        """The later and earlier places of each result that moved and whose earlier place has
        another value."""
        back = {after: before for before, after in self.variables.matched.items()}
        first_places = {a: b for a, b in self.results if a is not None}
        gone: dict[int, list[int]] = {}
        for a, var in enumerate(self.one.outvars):
            b = first_places[a]
            if b is None or back.get(self.other.outvars[b]) != var:
                gone.setdefault(var, []).append(a)
        found: dict[int, int] = {}
        for a, b in self.results:
            var = None if b is None else back.get(self.other.outvars[b])
            is_in_place = a is not None and var == self.one.outvars[a]
            if b is not None and var is not None and not is_in_place and gone.get(var):
                found[b] = gone[var].pop(0)
        return found

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
    """The paths in the later graph; for what was removed, those in the earlier one."""
    return tuple(other[b] if b is not None else one[a or 0] for a, b in places)
