"""Reduces a program to what its static picture shows, before it is sent to the drawing engine.

The picture stays the same, and much less is sent: of 50,000 eqns a few thousand are left, of 60,000
instructions of HLO two thousand. Two things are reduced, wherever `openable.py` says that nothing
can be open:

- A body that stays closed becomes a count of its operations (`CountedGraph`).
- In a group that stays closed one eqn is left, which takes and makes all that crosses the group's
  border. It gets a further body, a count of all the others.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.openable import WHOLE, Region, openable
from jaxviz.schema.graph import first_eqns

OfEqn = TypeVar("OfEqn", schema.Collective, schema.Stray, schema.EqnValues)
Kind = tuple[str, str, tuple[int, ...]]
"""All that a closed box tells of an eqn in it: its operation, its name and its bodies' graphs."""


class ReducedGraph(schema.Graph, frozen=True):
    """A graph that is drawn, with one eqn for each of its closed groups."""

    closed: list[int]
    """The groups that have one eqn left."""


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


def drawable(record: schema.Program, opening: schema.Opening, most: int) -> schema.Program:
    """The program with one stage, reduced to what its picture shows.

    The picture opens as `opening` says and shows at most `most` eqns and groups in one place.
    Raises ValueError where the program has no graph."""
    stage = stage_to_draw(record, opening.stage or "jaxpr")
    collectives, strays, values = stage.collectives, stage.strays, stage.values
    if record.compared is None:
        closing = Closing(stage.graphs, opened_of(stage, opening, most))
        graphs = closing.graphs()
        collectives = closing.kept(collectives, graphs)
        strays = closing.kept(strays, graphs)
        values = closing.kept(values, graphs)
    else:
        graphs = [replace(graph, eqns=[*map(lean, graph.eqns)]) for graph in stage.graphs]
    shown = replace(
        stage,
        text="",
        frames=[],
        graphs=graphs,
        collectives=collectives,
        strays=strays,
        times=None,
        values=values,
    )
    return replace(record, listings=[], stages=[shown])


def stage_to_draw(record: schema.Program, kind: str | None = None) -> schema.Stage:
    """The stage of this kind, or else the first one that has a graph. Raises ValueError where none
    has."""
    stages = [stage for stage in record.stages if stage.graphs]
    if not stages:
        raise ValueError(f"there is no graph to draw of {record.name!r}: save it as .json.")
    return next((stage for stage in stages if stage.kind == kind), stages[0])


def lean(eqn: schema.Eqn, **changes: list[int]) -> schema.Eqn:
    """The eqn without what no picture shows: where it was written, and what it costs."""
    return replace(eqn, frame=None, call=None, span=None, origin=[], cost=None, **changes)


def opened_of(stage: schema.Stage, opening: schema.Opening, most: int) -> set[Region]:
    """The regions that are not reduced: those that can be open. In later stages also the whole of
    their graphs and of the graphs around them, since a box there may name eqns that are far away
    (constants)."""
    opened = openable(stage, opening, most)
    if stage.kind == "jaxpr":
        return opened
    around: dict[int, int] = {}
    for number, graph in enumerate(stage.graphs):
        for eqn in graph.eqns:
            for body in eqn.bodies:
                around.setdefault(body.graph, number)
    seen = {graph for graph, _ in opened}
    waiting = [*seen]
    for graph in waiting:
        holder = around.get(graph, graph)
        if holder not in seen:
            seen.add(holder)
            waiting.append(holder)
    groups = {number: range(WHOLE, len(stage.graphs[number].groups)) for number in seen}
    return {(number, group) for number in seen for group in groups[number]}


class Closing:
    """Reduces the graphs of a stage: what stays closed is counted. Graphs keep their numbers, and
    counts of groups' eqns are added after them."""

    def __init__(self, graphs: list[schema.Graph], opened: set[Region]) -> None:
        self._whole = graphs
        self._opened = opened
        self._others: list[CountedGraph] = []
        self._drawn: dict[int, list[schema.Eqn]] = {}

    def kept(self, told: list[OfEqn], graphs: list[Any]) -> list[OfEqn]:
        """What is told of eqns that are left in `graphs`, by the numbers that these have now."""
        if not told:
            return []
        eqns = [eqn for graph in self._whole for eqn in graph.eqns]
        known = {id(eqns[one.eqn]): one for one in told}
        starts = first_eqns(graphs)
        return [
            replace(known[id(eqn)], eqn=start + at)
            for number, start in enumerate(starts)
            for at, eqn in enumerate(self._drawn.get(number, ()))
            if id(eqn) in known
        ]

    def graphs(self) -> list[Any]:
        shown = [
            self._graph(number) if (number, WHOLE) in self._opened else counted(kinds(graph.eqns))
            for number, graph in enumerate(self._whole)
        ]
        return [*shown, *self._others]

    def _graph(self, number: int) -> ReducedGraph:
        graph = self._whole[number]
        opened, shown, shut = {WHOLE}, list[int](), list[int]()
        for index, group in enumerate(graph.groups):
            if (WHOLE if group.parent is None else group.parent) in opened:
                shown.append(index)
                if (number, index) in self._opened:
                    opened.add(index)
                else:
                    shut.append(index)
        runs = sorted((graph.groups[index].start, graph.groups[index].stop) for index in shut)
        eqns: list[schema.Eqn] = []
        places: list[int] = []
        crossing = Crossing(graph)
        for start, stop in [*runs, (len(graph.eqns), len(graph.eqns))]:
            before = graph.eqns[len(places) : start]
            places += range(len(eqns), len(eqns) + len(before))
            eqns += before
            if start < stop:
                places += [len(eqns)] * (stop - start)
                eqns.append(self._one(graph.eqns[start:stop], *crossing.of(start, stop)))
        places.append(len(eqns))
        numbers = {old: new for new, old in enumerate(shown)}
        groups = [moved(graph.groups[index], numbers, places) for index in shown]
        self._drawn[number] = eqns
        return pruned(graph, eqns, groups, [numbers[index] for index in shut])

    def _one(self, eqns: list[schema.Eqn], taken: list[int], given: set[int]) -> schema.Eqn:
        """What stands for the eqns of a closed group: the first whose results are used outside. It
        takes all that the group takes, makes all that it gives, and holds the count of the others.
        """
        first = next((eqn for eqn in eqns if not given.isdisjoint(eqn.outvars)), eqns[-1])
        others = [eqn for eqn in eqns if eqn is not first]
        rest = [self._count(kinds(others))] if others else []
        return crossed(first, rest, taken, [v for eqn in eqns for v in eqn.outvars if v in given])

    def _count(self, found: Counter[Kind]) -> int:
        """The number of a new graph that counts these eqns. Equal counts share none: a graph that
        two groups hold would count once for both."""
        self._others.append(counted(found))
        return len(self._whole) + len(self._others) - 1


def kinds(eqns: list[schema.Eqn]) -> Counter[Kind]:
    return Counter(
        [
            (eqn.op, eqn.name, tuple([body.graph for body in eqn.bodies]) if eqn.bodies else ())
            for eqn in eqns
        ]
    )


def counted(found: Counter[Kind]) -> CountedGraph:
    eqns = [
        CountedEqn(op, name, [CountedBody(graph) for graph in bodies]) for op, name, bodies in found
    ]
    return CountedGraph(eqns, [*found.values()])


def crossed(eqn: schema.Eqn, rest: list[int], invars: list[int], outvars: list[int]) -> schema.Eqn:
    """An eqn of a closed group with these operands and results, and with the graphs `rest`, which
    count the eqns that it stands for, as further bodies."""
    more = [schema.Body(label="", graph=graph, inputs=[], outputs=[]) for graph in rest]
    bodies = [*eqn.bodies, *more]
    return replace(eqn, invars=invars, outvars=outvars, roles=[], params=[], bodies=bodies)


class Crossing:
    """Finds which variables cross the borders of a run of a graph's eqns."""

    def __init__(self, graph: schema.Graph) -> None:
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


def moved(group: schema.Group, numbers: dict[int, int], places: list[int]) -> schema.Group:
    """The group in a reduced graph: `numbers` has the new numbers of groups, `places` the new
    index of each eqn."""
    start = places[group.start]
    return replace(
        group,
        parent=None if group.parent is None else numbers[group.parent],
        twin=None if group.twin is None else numbers.get(group.twin),
        start=start,
        stop=places[group.stop - 1] + 1 if group.stop > group.start else start,
    )


def pruned(
    graph: schema.Graph, eqns: list[schema.Eqn], groups: list[schema.Group], shut: list[int]
) -> ReducedGraph:
    """The graph with these eqns and groups alone, and with only the vars that they use."""
    used = {*graph.constvars, *graph.invars, *graph.outvars}
    for eqn in eqns:
        used.update(eqn.invars, eqn.outvars)
    kept = sorted(used)
    numbers = {old: new for new, old in enumerate(kept)}

    def numbered(variables: list[int]) -> list[int]:
        return [numbers[var] for var in variables]

    return ReducedGraph(
        name=graph.name,
        vars=[graph.vars[var] for var in kept],
        constvars=numbered(graph.constvars),
        invars=numbered(graph.invars),
        outvars=numbered(graph.outvars),
        args=graph.args,
        results=graph.results,
        eqns=[
            lean(eqn, invars=numbered(eqn.invars), outvars=numbered(eqn.outvars)) for eqn in eqns
        ],
        groups=groups,
        effects=graph.effects,
        closed=shut,
    )
