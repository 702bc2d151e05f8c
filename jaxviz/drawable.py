"""What of a program its static picture shows: all else need not be sent to where it is drawn.

Of what stays closed in any case (`openable.py`) those eqns are kept that make what others take. One
of them holds all others as a body: their operations alone, each once, with how often it is there.
For the picture it is the same. Of 50,000 eqns a few thousand are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.openable import WHOLE, Region, openable

Kind = tuple[str, str, tuple[int, ...]]
"""All that a closed box tells of an eqn in it: its operation, its name and its bodies' graphs."""


class Seen(schema.Graph, frozen=True):
    """A graph of which something is seen."""

    closed: list[int]
    """The groups that have but a few of their eqns."""


class Counted(schema.Graph, frozen=True):
    """A graph of which nothing is seen."""

    times: list[int]
    """How often each eqn stands in it."""


def drawable(record: schema.Program, kind: str, most: int) -> schema.Program:
    """The program with what a picture of its stage `kind`, or else of its first one, shows that has
    at most so many eqns and groups in one place.

    Of later stages and comparisons all eqns stay: there a box may tell of eqns that are far away.
    """
    stages = [stage for stage in record.stages if stage.graphs]
    stage = next((stage for stage in stages if stage.kind == kind), stages[0])
    graphs = stage.graphs
    if stage.kind == "jaxpr" and record.compared is None:
        graphs = closed(graphs, most)
    shown = replace(stage, text="", frames=[], graphs=[*map(lean, graphs)])
    return replace(record, listings=[], stages=[shown])


def lean(graph: schema.Graph) -> schema.Graph:
    """Without where its eqns were written and what they cost."""
    eqns = [
        replace(eqn, frame=None, call=None, span=None, origin=[], cost=None) for eqn in graph.eqns
    ]
    return replace(graph, eqns=eqns)


def closed(graphs: list[schema.Graph], most: int) -> list[schema.Graph]:
    """The graphs of a jaxpr with a few eqns of each part that stays closed."""
    held = {
        number: {body.graph for eqn in graph.eqns for body in eqn.bodies}
        for number, graph in enumerate(graphs)
    }
    try:
        inner_first = [*TopologicalSorter(held).static_order()]
    except CycleError:  # of a damaged file
        return graphs
    return Closing(graphs, inner_first, openable(graphs, most)).graphs()


class Closing:
    """Graphs get new numbers: those of which something is seen, then those that are counted."""

    def __init__(
        self, graphs: list[schema.Graph], inner_first: list[int], opened: set[Region]
    ) -> None:
        self._whole = graphs
        self._opened = opened
        self._seen = sorted(graph for graph, group in self._opened if group == WHOLE)
        self._numbers = {graph: number for number, graph in enumerate(self._seen)}
        self._counted: dict[frozenset[tuple[Kind, int]], int] = {}
        self._others: list[schema.Graph] = []
        for graph in inner_first:
            if graph not in self._numbers:
                self._numbers[graph] = self._count(self._kinds(graphs[graph].eqns))

    def graphs(self) -> list[schema.Graph]:
        return [*map(self._graph, self._seen), *self._others]

    def _graph(self, number: int) -> schema.Graph:
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
            for eqn in graph.eqns[len(places) : start]:
                places.append(len(eqns))
                eqns.append(self._renumbered(eqn))
            if start < stop:
                few = self._few(graph.eqns[start:stop], *crossing.of(start, stop))
                places += [len(eqns)] * (stop - start - 1) + [len(eqns) + len(few) - 1]
                eqns += few
        places.append(len(eqns))
        numbers = {old: new for new, old in enumerate(shown)}
        groups = [moved(graph.groups[index], numbers, places) for index in shown]
        return pruned(graph, eqns, groups, [numbers[index] for index in shut])

    def _renumbered(self, eqn: schema.Eqn) -> schema.Eqn:
        if not eqn.bodies:
            return eqn
        bodies = [replace(body, graph=self._numbers[body.graph]) for body in eqn.bodies]
        return replace(eqn, bodies=bodies)

    def _few(self, eqns: list[schema.Eqn], taken: list[int], given: set[int]) -> list[schema.Eqn]:
        """In place of some eqns: those that give something, of which one holds the others."""
        makers = [eqn for eqn in eqns if not given.isdisjoint(eqn.outvars)] or eqns[:1]
        others = self._kinds(eqns)
        others.subtract(self._kinds(makers))
        holder = next((eqn for eqn in makers if eqn.bodies), makers[0])
        few: list[schema.Eqn] = []
        for eqn in makers:
            held = [self._numbers[body.graph] for body in eqn.bodies]
            if eqn is holder and len(makers) < len(eqns):
                held.append(self._count(+others))
            outvars = [var for var in eqn.outvars if var in given]
            few.append(bare(eqn.op, eqn.name, held, taken if not few else [], outvars))
        return few

    def _kinds(self, eqns: list[schema.Eqn]) -> Counter[Kind]:
        numbers = self._numbers
        return Counter(
            (eqn.op, eqn.name, tuple([numbers[body.graph] for body in eqn.bodies]))
            if eqn.bodies
            else (eqn.op, eqn.name, ())
            for eqn in eqns
        )

    def _count(self, kinds: Counter[Kind]) -> int:
        """The number of a graph that holds so many eqns of each kind."""
        key = frozenset(kinds.items())
        known = self._counted.get(key)
        if known is None:
            eqns = [bare(op, name, bodies, [], []) for op, name, bodies in kinds]
            known = self._counted[key] = len(self._seen) + len(self._others)
            self._others.append(counted(eqns, [*kinds.values()]))
        return known


def counted(eqns: list[schema.Eqn], times: list[int]) -> Counted:
    return Counted(
        name="", vars=[], constvars=[], invars=[], outvars=[], args=[], results=[], eqns=eqns,
        groups=[], effects=[], times=times,
    )  # fmt: skip


def bare(
    op: str, name: str, bodies: Iterable[int], invars: list[int], outvars: list[int]
) -> schema.Eqn:
    held = [schema.Body(label="", graph=body, inputs=[], outputs=[]) for body in bodies]
    return schema.Eqn(
        op=op, name=name, invars=invars, outvars=outvars, roles=[], params=[], bodies=held,
        effects=[], frame=None, call=None, inherited=False, scope=0, span=None, origin=[],
        guess=False, trips=None, cost=None,
    )  # fmt: skip


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
            replace(eqn, invars=numbered(eqn.invars), outvars=numbered(eqn.outvars)) for eqn in eqns
        ],
        groups=groups,
        effects=graph.effects,
        closed=shut,
    )
