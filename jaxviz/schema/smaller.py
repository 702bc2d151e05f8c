"""Makes a program smaller, for a notebook, for its overview and for the drawing engine.

`smaller(program, keep)` leaves out stages, fields, graphs, eqns and groups, as `Keep` says. The
records say what follows from that. `INDICES` says into which list an index leads: an index of what
is kept gets its new number, and one into a list that is left out becomes empty. What an empty field
is follows from its type.
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
"""The new number of all that is kept, by its old one."""
FOLLOWS: Mapping[str, str] = {
    "Eqn.span": "text",
    "Eqn.guess": "origin",
    "Eqn.attributes": "params",
}
"""Fields that are left out with another field, besides those of `INDICES`."""
NO_CHANGES: Mapping[str, Any] = {}
Row = TypeVar("Row")


class Part(NamedTuple):
    """The eqns `[start, stop)` of a graph, and those that take their place."""

    start: int
    stop: int
    eqns: Sequence[Eqn]


class Cut(NamedTuple):
    """How a graph is cut: its parts in their order, and the groups that are kept.

    Eqns in no part are kept, and the vars that are used. Groups begin and end where parts do.
    """

    parts: Sequence[Part]
    groups: Sequence[int]
    closed: Sequence[int] = ()
    """Those of the groups that a picture must not open."""


class ClosedGraph(Graph, frozen=True):
    """A graph of whose closed groups few eqns are left."""

    closed: list[int]


class CountedBody(msgspec.Struct, frozen=True):
    graph: int


class CountedEqn(msgspec.Struct, frozen=True):
    """One kind of eqn in a graph that is only counted."""

    op: str
    name: str
    bodies: list[CountedBody]


class CountedGraph(msgspec.Struct):
    """A graph that is only counted: each kind of eqn once, and how often it is there."""

    eqns: list[CountedEqn]
    times: list[int]
    """For each of `eqns`, how many eqns of its kind the graph has."""


class Cuts(NamedTuple):
    """What is left of the graphs of a stage, by their index. Others stay whole."""

    graphs: Mapping[int, Cut]
    counted: Mapping[int, CountedGraph]
    """In the place of a graph, or after the last one."""


WHOLE = Cuts({}, {})


class Keep(NamedTuple):
    """What is kept of a program."""

    stages: Collection[str] | None = None
    """The kinds of stages; None for all."""
    without: Collection[str] = ()
    """The fields that become empty, by their full names (`Eqn.params`). Without `Eqn.bodies` a
    stage has its first graph alone."""
    cuts: Callable[[Stage], Cuts] = lambda _: WHOLE
    only_used: bool = False
    """Whether only the avals, frames and scopes are kept that graphs use."""


def smaller(program: Program, keep: Keep) -> Program:
    """The program with what `keep` says, and nothing else."""
    kept, without = program.stages, {*keep.without}
    if keep.stages is not None:
        kept = [stage for stage in kept if stage.kind in keep.stages]
    first = next((at for at, one in enumerate(kept) if one is first_made(program)), None)
    if first is None:
        without |= {"Eqn.origin", "Finding.eqns"}
    stages = [SmallerStage(stage, keep, without) for stage in kept]
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
    """A stage with what is kept of it, and the new numbers of its eqns."""

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
            known = {name: self.renumbered(getattr(small, name)) for name in of_eqns()}
            small = replace(small, **known)
        self.stage = with_used(small) if keep.only_used else small

    def _graph(self, number: int, graph: Graph, changes: Mapping[str, Any]) -> Graph:
        cut = self._cuts.graphs.get(number)
        if cut is not None:
            small, self._places[number] = cut_graph(graph, cut, changes)
            return small
        if not changes:
            return graph
        return replace(graph, eqns=[replace(eqn, **changes) for eqn in graph.eqns])

    def renumbered(self, known: list[Any]) -> list[Any]:
        """What is known of single eqns that are kept, with their new numbers."""
        numbers = self.numbers if known else {}
        return [replace(one, eqn=numbers[one.eqn]) for one in known if one.eqn in numbers]

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of the eqns that are kept. Eqns are counted through all graphs."""
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
    """The graph as it is cut, with these changes to its eqns; and for each of its eqns the new
    place, in a part that of the first eqn that stands for it."""
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
        used += eqn.outvars
    used = dict.fromkeys([*used, *graph.outvars])
    numbers = {"vars": numbered(used), "groups": numbered(cut.groups)}
    groups = [
        replace(group, start=places[group.start], stop=places[group.stop])
        for group in led([graph.groups[index] for index in cut.groups], numbers)
    ]
    [small] = led([graph], numbers)
    variables = [graph.vars[var] for var in numbers["vars"]]
    small = replace(small, vars=variables, eqns=led(eqns, numbers, changes), groups=groups)
    if cut.closed:
        closed = [numbers["groups"][index] for index in cut.closed]
        small = ClosedGraph(**asdict(small), closed=closed)
    return small, places


def with_used(stage: Stage) -> Stage:
    """The stage with only the avals, frames and scopes that its graphs use."""
    rows = [row for graph in stage.graphs for row in (*graph.eqns, *graph.vars)]
    numbers = {
        name: numbered(reached(rows, name, getattr(stage, name)))
        for name in LISTS[Stage]
        if name != "graphs"
    }
    graphs = [
        replace(graph, eqns=led(graph.eqns, numbers), vars=led(graph.vars, numbers))
        for graph in stage.graphs
    ]
    lists = {
        name: led([getattr(stage, name)[index] for index in kept], numbers)
        for name, kept in numbers.items()
    }
    return replace(stage, graphs=graphs, **lists)


def reached(rows: Iterable[object], name: str, members: Sequence[object]) -> list[int]:
    """The members of a list to which rows lead, by their index, in the order of their first use.
    Frames lead to frames: these stay in their old order, each after its caller."""
    found: dict[int, None] = {}
    waiting = [*rows]
    for row in waiting:
        for field, into in leading(type(row)):
            index = getattr(row, field)
            if into == name and index is not None and index not in found:
                found[index] = None
                waiting.append(members[index])
    into_itself = name in [into for one in members[:1] for _, into in leading(type(one))]
    return sorted(found) if into_itself else [*found]


def led(
    rows: Sequence[Row],
    numbers: Mapping[str, Numbers],
    changes: Mapping[str, Any] = NO_CHANGES,
) -> list[Row]:
    """The rows with these changes, and with the new numbers in their indices."""
    kind: type[Any] = type(rows[0]) if rows else object
    fields = [
        (name, numbers[into])
        for name, into in leading(kind)
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


def numbered(kept: Iterable[int]) -> dict[int, int]:
    """The new numbers of what is kept, in this order."""
    return {old: new for new, old in enumerate(kept)}


@cache
def leading(kind: type) -> list[tuple[str, str]]:
    """The fields of a record that are indices, and the list that each leads into."""
    full = [(*field.split("."), into) for field, into in INDICES.items()]
    return [(name, into) for record, name, into in full if record == kind.__name__]


def emptied(kind: type[Record], without: Collection[str]) -> dict[str, Any]:
    """The fields of a record that are empty without these fields, as they are then."""
    gone = {full.rpartition(".")[2] for full in without}
    found: dict[str, Any] = {}
    for name, of in field_types(kind).items():
        full = f"{kind.__name__}.{name}"
        if full in without or INDICES.get(full, FOLLOWS.get(full)) in gone:
            found[name] = empty_value(of)
    return found


class Crossing:
    """Finds which variables cross the borders of a run of a graph's eqns."""

    def __init__(self, graph: Graph) -> None:
        self._eqns = graph.eqns
        self._literals = {index for index, var in enumerate(graph.vars) if var.literal}
        self._last = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.invars}
        self._last |= dict.fromkeys(graph.outvars, len(graph.eqns))

    def of(self, start: int, stop: int) -> tuple[list[int], set[int]]:
        """The variables that eqns `[start, stop)` take from outside, each once, and those of their
        results that are used after them."""
        eqns = self._eqns[start:stop]
        made = {var for eqn in eqns for var in eqn.outvars}
        used = {var: None for eqn in eqns for var in eqn.invars}
        taken = [var for var in used if var not in made and var not in self._literals]
        return taken, {var for var in made if self._last.get(var, -1) >= stop}
