"""What of a program its static picture shows: all else need not be sent to where it is drawn.

Bodies of which nothing is seen (`openable.py` says which) are counted: their operations, each once,
with how often it is there. Of a group that stays closed those eqns are kept that make what others
take, and the first of them holds all others as a body that is counted. For the picture it is the
same. Of 50,000 eqns a few thousand are left, of 60,000 instructions of HLO two thousand.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.openable import WHOLE, Region, openable

Kind = tuple[str, str, tuple[int, ...]]
"""All that a closed box tells of an eqn in it: its operation, its name and its bodies' graphs."""


class Seen(schema.Graph, frozen=True):
    """A graph of which something is seen."""

    closed: list[int]
    """The groups that have but a few of their eqns."""


class Held(msgspec.Struct, frozen=True):
    graph: int


class OfKind(msgspec.Struct, frozen=True):
    """An eqn of which nothing is seen."""

    op: str
    name: str
    bodies: list[Held]


class Counted(msgspec.Struct):
    """A graph of which nothing is seen."""

    eqns: list[OfKind]
    times: list[int]
    """How often each eqn stands in it."""


def drawable(record: schema.Program, opening: schema.Opening, most: int) -> schema.Program:
    """The program with what a picture shows that opens as `opening` says and has at most so many
    eqns and groups in one place."""
    stages = [stage for stage in record.stages if stage.graphs]
    kind = opening.stage or "jaxpr"
    stage = next((stage for stage in stages if stage.kind == kind), stages[0])
    if record.compared is None:
        graphs = Closing(stage.graphs, opened_of(stage, opening, most)).graphs()
    else:
        graphs = [replace(graph, eqns=[*map(lean, graph.eqns)]) for graph in stage.graphs]
    shown = replace(stage, text="", frames=[], graphs=graphs)
    return replace(record, listings=[], stages=[shown])


def lean(eqn: schema.Eqn, **changes: list[int]) -> schema.Eqn:
    """Without where it was written and what it costs."""
    return replace(eqn, frame=None, call=None, span=None, origin=[], cost=None, **changes)


def opened_of(stage: schema.Stage, opening: schema.Opening, most: int) -> set[Region]:
    """The regions that stay as they are. In later stages a box may tell of eqns that are far away:
    in the same graph, or in those around it."""
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
    """The graphs of a stage, with what stays closed counted. They keep their numbers."""

    def __init__(self, graphs: list[schema.Graph], opened: set[Region]) -> None:
        self._whole = graphs
        self._opened = opened
        self._counted: dict[frozenset[tuple[Kind, int]], int] = {}
        self._others: list[Counted] = []

    def graphs(self) -> list[Any]:
        shown = [
            self._graph(number) if (number, WHOLE) in self._opened else counted(kinds(graph.eqns))
            for number, graph in enumerate(self._whole)
        ]
        return [*shown, *self._others]

    def _graph(self, number: int) -> Seen:
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
                few = self._few(graph.eqns[start:stop], *crossing.of(start, stop))
                places += [len(eqns)] * (stop - start - 1) + [len(eqns) + len(few) - 1]
                eqns += few
        places.append(len(eqns))
        numbers = {old: new for new, old in enumerate(shown)}
        groups = [moved(graph.groups[index], numbers, places) for index in shown]
        return pruned(graph, eqns, groups, [numbers[index] for index in shut])

    def _few(self, eqns: list[schema.Eqn], taken: list[int], given: set[int]) -> list[schema.Eqn]:
        """In place of some eqns: those that give something, of which the first holds the others."""
        makers, others = list[schema.Eqn](), list[schema.Eqn]()
        for eqn in eqns:
            (others if given.isdisjoint(eqn.outvars) else makers).append(eqn)
        makers = makers or [others.pop()]
        rest = [self._count(kinds(others))] if others else []
        few = [crossed(eqn, [], [], [var for var in eqn.outvars if var in given]) for eqn in makers]
        return [crossed(makers[0], rest, taken, few[0].outvars), *few[1:]]

    def _count(self, found: Counter[Kind]) -> int:
        """The number of a graph that holds so many eqns of each kind."""
        key = frozenset(found.items())
        known = self._counted.get(key)
        if known is None:
            known = self._counted[key] = len(self._whole) + len(self._others)
            self._others.append(counted(found))
        return known


def kinds(eqns: list[schema.Eqn]) -> Counter[Kind]:
    return Counter(
        [
            (eqn.op, eqn.name, tuple([body.graph for body in eqn.bodies]) if eqn.bodies else ())
            for eqn in eqns
        ]
    )


def counted(found: Counter[Kind]) -> Counted:
    eqns = [OfKind(op, name, [Held(graph) for graph in bodies]) for op, name, bodies in found]
    return Counted(eqns, [*found.values()])


def crossed(eqn: schema.Eqn, rest: list[int], invars: list[int], outvars: list[int]) -> schema.Eqn:
    """What of a closed eqn others know, and the rest that it stands for."""
    more = [schema.Body(label="", graph=graph, inputs=[], outputs=[]) for graph in rest]
    bodies = [*eqn.bodies, *more]
    return replace(eqn, invars=invars, outvars=outvars, roles=[], params=[], bodies=bodies)


class Crossing:
    """What crosses the borders of runs of a graph's eqns."""

    def __init__(self, graph: schema.Graph) -> None:
        self._eqns = graph.eqns
        self._literals = {index for index, var in enumerate(graph.vars) if var.literal}
        self._last = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.invars}
        self._last |= dict.fromkeys(graph.outvars, len(graph.eqns))

    def of(self, start: int, stop: int) -> tuple[list[int], set[int]]:
        """What eqns `[start, stop)` take, each once, and what of theirs is taken after them."""
        eqns = self._eqns[start:stop]
        made = {var for eqn in eqns for var in eqn.outvars}
        used = {var: None for eqn in eqns for var in eqn.invars}
        taken = [var for var in used if var not in made and var not in self._literals]
        return taken, {var for var in made if self._last.get(var, -1) >= stop}


def moved(group: schema.Group, numbers: dict[int, int], places: list[int]) -> schema.Group:
    """The group where its eqns are now; groups have new numbers."""
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
) -> Seen:
    """The graph with these eqns and groups, and the vars that they use, in the same order."""
    used = {*graph.constvars, *graph.invars, *graph.outvars}
    for eqn in eqns:
        used.update(eqn.invars, eqn.outvars)
    kept = sorted(used)
    numbers = {old: new for new, old in enumerate(kept)}

    def numbered(variables: list[int]) -> list[int]:
        return [numbers[var] for var in variables]

    return Seen(
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
