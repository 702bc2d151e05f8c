"""Makes a program smaller: for a notebook, for an overview and for the drawing engine.

`smaller(program, keep)` leaves out stages, fields, graphs, eqns and groups, as `Keep` says. All
other changes follow from the records. `INDICES` names the list to which an index refers: an index
gets its new number, or becomes empty if the list is left out. The type of a field determines its
empty value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from jaxviz.schema.check import INDICES, LISTS, of_eqns
from jaxviz.schema.graph import Eqn, Graph
from jaxviz.schema.program import Program, Stage, first_made
from jaxviz.schema.record import Record, empty_value, field_types

Numbers = Mapping[int, int]
"""The new index of each item that stays, by its old one."""
FOLLOWS: Mapping[str, str] = {
    "Eqn.span": "text",
    "Eqn.guess": "origin",
    "Eqn.attributes": "params",
}
"""Fields that are left out together with another field, besides those of `INDICES`."""
NO_CHANGES: Mapping[str, Any] = {}
Row = TypeVar("Row")


class Part(NamedTuple):
    """The eqns `[start, stop)` of a graph, and the eqns that replace them."""

    start: int
    stop: int
    eqns: Sequence[Eqn]


class Cut(NamedTuple):
    """The parts of a graph to replace, in their order, and the groups that stay.

    Eqns outside of the parts stay, and the vars that are used. Groups begin and end at borders of
    parts.
    """

    parts: Sequence[Part]
    groups: Sequence[int]
    closed: Sequence[int] = ()
    """The groups that a picture must not open."""


class ClosedGraph(Graph, frozen=True):
    """A graph whose closed groups have only few eqns left."""

    closed: list[int]


class CountedBody(msgspec.Struct, frozen=True):
    graph: int


class CountedEqn(msgspec.Struct, frozen=True):
    """One kind of eqn in a `CountedGraph`."""

    op: str
    name: str
    bodies: list[CountedBody]


class CountedGraph(msgspec.Struct):
    """A graph reduced to the number of eqns of each kind."""

    eqns: list[CountedEqn]
    times: list[int]
    """For each of `eqns`, the number of eqns of its kind."""


class Cuts(NamedTuple):
    """The changes of the graphs of a stage, by their index. Other graphs stay whole."""

    graphs: Mapping[int, Cut]
    counted: Mapping[int, CountedGraph]
    """Each replaces a graph, or follows the last one."""


WHOLE = Cuts({}, {})


class Keep(NamedTuple):
    """The parts of a program that stay."""

    stages: Collection[str] | None = None
    """The kinds of stages; None for all."""
    without: Collection[str] = ()
    """The fields that become empty, by their full names (`Eqn.params`). Without `Eqn.bodies` a
    stage has only its first graph."""
    cuts: Callable[[Stage], Cuts] = lambda _: WHOLE
    only_used: bool = False
    """True to leave out avals, frames and scopes that graphs do not use."""


def smaller(program: Program, keep: Keep) -> Program:
    """The program with only the parts that `keep` names."""
    left, without = program.stages, {*keep.without}
    if keep.stages is not None:
        left = [stage for stage in left if stage.kind in keep.stages]
    first = next((at for at, one in enumerate(left) if one is first_made(program)), None)
    if first is None:
        without |= {"Eqn.origin", "Finding.eqns"}
    stages = [SmallerStage(stage, keep, without) for stage in left]
    small = replace(program, stages=[one.stage for one in stages], **emptied(Program, without))
    found, compared = small.findings, small.compared
    if "Finding.eqns" in without:
        found = [replace(one, eqns=[]) for one in found]
    if first is not None and stages[first].is_cut:
        numbers = stages[first].numbers if found else {}
        found = [
            replace(one, eqns=[numbers[eqn] for eqn in one.eqns if eqn in numbers]) for one in found
        ]
        if compared is not None:
            compared = replace(compared, marks=stages[first].renumbered(compared.marks))
    return replace(small, findings=found, compared=compared)


class SmallerStage:
    """A stage with the parts that stay, and the new numbers of its eqns."""

    def __init__(self, stage: Stage, keep: Keep, without: Collection[str]) -> None:
        self._whole = stage.graphs[:1] if "Eqn.bodies" in without else stage.graphs
        self._cuts = keep.cuts(stage)
        self._places: dict[int, list[int]] = {}
        changes = emptied(Eqn, without)
        graphs: list[Any] = [
            self._cuts.counted.get(number) or self._graph(number, graph, changes)
            for number, graph in enumerate(self._whole)
        ]
        more = [one for at, one in self._cuts.counted.items() if at >= len(graphs)]
        self._graphs = [*graphs, *more]
        self.is_cut = bool(self._cuts.graphs) or len(graphs) < len(stage.graphs)
        small = replace(stage, graphs=self._graphs, **emptied(Stage, without))
        if self.is_cut:
            fields = {name: self.renumbered(getattr(small, name)) for name in of_eqns()}
            small = replace(small, **fields)
        self.stage = with_used(small) if keep.only_used else small

    def _graph(self, number: int, graph: Graph, changes: Mapping[str, Any]) -> Graph:
        cut = self._cuts.graphs.get(number)
        if cut is not None:
            small, self._places[number] = cut_graph(graph, cut, changes)
            return small
        if not changes:
            return graph
        return replace(graph, eqns=[replace(eqn, **changes) for eqn in graph.eqns])

    def renumbered(self, records: list[Any]) -> list[Any]:
        """The records about eqns that stay, with the new numbers of these eqns."""
        numbers = self.numbers if records else {}
        return [replace(one, eqn=numbers[one.eqn]) for one in records if one.eqn in numbers]

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of the eqns that stay. Eqns are counted through all graphs."""
        found: dict[int, int] = {}
        old = new = 0
        for number, graph in enumerate(self._whole):
            small = self._graphs[number]
            if isinstance(small, CountedGraph):
                new += sum(small.times)
            else:
                places = self._places.get(number, range(len(graph.eqns)))
                cut = self._cuts.graphs.get(number)
                gone = {at for one in cut.parts for at in range(one.start, one.stop)} if cut else ()
                found |= {
                    old + at: new + places[at] for at in range(len(graph.eqns)) if at not in gone
                }
                new += len(small.eqns)
            old += len(graph.eqns)
        return found


def cut_graph(graph: Graph, cut: Cut, changes: Mapping[str, Any]) -> tuple[Graph, list[int]]:
    """The graph after the cut, with these changes to its eqns, and the new index of each eqn. In a
    part, this is the index of the first eqn that replaces the part."""
    eqns: list[Eqn] = []
    places: list[int] = []
    for start, stop, instead in (*cut.parts, Part(len(graph.eqns), len(graph.eqns), ())):
        before = graph.eqns[len(places) : start]
        places += range(len(eqns), len(eqns) + len(before))
        eqns += before
        places += [len(eqns)] * (stop - start)
        eqns += instead
    places.append(len(eqns))
    used = [*graph.constvars, *graph.invars]
    for eqn in eqns:
        used += eqn.invars
        used += eqn.was
        used += eqn.outvars
    used = dict.fromkeys([*used, *graph.outvars])
    numbers = {"vars": numbered(used), "groups": numbered(cut.groups)}
    groups = [
        replace(group, start=places[group.start], stop=places[group.stop])
        for group in reindexed([graph.groups[index] for index in cut.groups], numbers)
    ]
    [small] = reindexed([graph], numbers)
    variables = [graph.vars[var] for var in numbers["vars"]]
    small = replace(small, vars=variables, eqns=reindexed(eqns, numbers, changes), groups=groups)
    if cut.closed:
        closed = [numbers["groups"][index] for index in cut.closed]
        small = ClosedGraph(**asdict(small), closed=closed)
    return small, places


def with_used(stage: Stage) -> Stage:
    """The stage without avals, frames and scopes that its graphs do not use."""
    rows = [row for graph in stage.graphs for row in (*graph.eqns, *graph.vars)]
    numbers = {
        name: numbered(reached(rows, name, getattr(stage, name)))
        for name in LISTS[Stage]
        if name != "graphs"
    }
    graphs = [
        replace(graph, eqns=reindexed(graph.eqns, numbers), vars=reindexed(graph.vars, numbers))
        for graph in stage.graphs
    ]
    lists = {
        name: reindexed([getattr(stage, name)[index] for index in used], numbers)
        for name, used in numbers.items()
    }
    return replace(stage, graphs=graphs, **lists)


def reached(rows: Iterable[object], name: str, members: Sequence[object]) -> list[int]:
    """The indices of the members of a list to which rows refer, in the order of their first use.
    Frames refer to frames: they stay in their old order, each after its caller."""
    found: dict[int, None] = {}
    waiting = [*rows]
    for row in waiting:
        for field, into in indices(type(row)):
            index = getattr(row, field)
            if into == name and index is not None and index not in found:
                found[index] = None
                waiting.append(members[index])
    into_itself = name in [into for one in members[:1] for _, into in indices(type(one))]
    return sorted(found) if into_itself else [*found]


def reindexed(
    rows: Sequence[Row],
    numbers: Mapping[str, Numbers],
    changes: Mapping[str, Any] = NO_CHANGES,
) -> list[Row]:
    """The rows with these changes and with new indices."""
    kind: type[Any] = type(rows[0]) if rows else object
    fields = [
        (name, numbers[into])
        for name, into in indices(kind)
        if into in numbers and name not in changes
    ]
    if not fields and not changes:
        return [*rows]
    found: list[Any] = []
    more = {**changes}
    row: Any
    for row in rows:
        for name, new in fields:
            value = getattr(row, name)
            more[name] = (
                tuple([new[one] for one in value]) if type(value) is tuple else new.get(value)
            )
        found.append(replace(row, **more))
    return found


def numbered(order: Iterable[int]) -> dict[int, int]:
    """The new index of each old one, in this order."""
    return {old: new for new, old in enumerate(order)}


@cache
def indices(kind: type) -> list[tuple[str, str]]:
    """The fields of a record that are indices, and the list to which each refers."""
    full = [(*field.split("."), into) for field, into in INDICES.items()]
    return [(name, into) for record, name, into in full if record == kind.__name__]


def emptied(kind: type[Record], without: Collection[str]) -> dict[str, Any]:
    """The fields of a record that become empty without these fields, with their empty values."""
    gone = {full.rpartition(".")[2] for full in without}
    found: dict[str, Any] = {}
    for name, of in field_types(kind).items():
        full = f"{kind.__name__}.{name}"
        if full in without or INDICES.get(full, FOLLOWS.get(full)) in gone:
            found[name] = empty_value(of)
    return found


class Crossing:
    """Finds the variables that cross the borders of a run of a graph's eqns."""

    def __init__(self, graph: Graph) -> None:
        self._eqns = graph.eqns
        self._literals = {index for index, var in enumerate(graph.vars) if var.literal}
        self._last = {
            var: at for at, eqn in enumerate(graph.eqns) for var in (*eqn.invars, *eqn.was)
        }
        self._last |= dict.fromkeys(graph.outvars, len(graph.eqns))

    def of(self, start: int, stop: int) -> tuple[list[int], set[int]]:
        """The variables from outside that eqns `[start, stop)` use, each once, and their results
        that are used later."""
        eqns = self._eqns[start:stop]
        made = {var for eqn in eqns for var in eqn.outvars}
        used = {var: None for eqn in eqns for var in (*eqn.invars, *eqn.was)}
        inputs = [var for var in used if var not in made and var not in self._literals]
        return inputs, {var for var in made if self._last.get(var, -1) >= stop}
