"""What of a program its static picture shows: all else need not be sent to where it is drawn.

What stays closed in any case (`openable.py`) becomes one eqn, which takes and makes what crosses
its border, and holds a body of as many eqns: for the picture it is the same. Of 50,000 eqns a few
hundred are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import TopologicalSorter

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.openable import WHOLE, openable

EXACT = 2**53
"""Numbers up to it are exact in the engine. No program is as large, but for one whose bodies hold
another twice, which holds another twice."""


def drawable(record: schema.Program, kind: str) -> schema.Program:
    """The program with what a picture of its stage `kind`, or else of its first one, shows.

    Of later stages and comparisons all eqns stay: there a box may tell of eqns that are far away.
    """
    stages = [stage for stage in record.stages if stage.graphs]
    stage = next((stage for stage in stages if stage.kind == kind), stages[0])
    graphs = stage.graphs
    if stage.kind == "jaxpr" and record.compared is None:
        graphs = Closing(graphs).graphs()
    shown = replace(stage, text="", frames=[], graphs=[*map(lean, graphs)])
    return replace(record, listings=[], stages=[shown])


def lean(graph: schema.Graph) -> schema.Graph:
    """Without where its eqns were written and what they cost."""
    eqns = [
        replace(eqn, frame=None, call=None, span=None, origin=[], cost=None) for eqn in graph.eqns
    ]
    return replace(graph, eqns=eqns)


class Closing:
    """The graphs of a jaxpr with one eqn in place of all that stays closed."""

    def __init__(self, graphs: list[schema.Graph]) -> None:
        self._whole = graphs
        self._totals = totals(graphs)
        self._opened = openable(graphs)
        seen = sorted(graph for graph, group in self._opened if group == WHOLE)
        self._numbers = {graph: number for number, graph in enumerate(seen)}
        self._counts: dict[int, int] = {}
        self._fillers: list[schema.Graph] = []

    def graphs(self) -> list[schema.Graph]:
        if self._totals[0] > EXACT:
            return self._whole
        return [*map(self._graph, self._numbers), *self._fillers]

    def _graph(self, number: int) -> schema.Graph:
        graph = self._whole[number]
        opened = {group for one, group in self._opened if one == number}
        shown = {
            index: group
            for index, group in enumerate(graph.groups)
            if (WHOLE if group.parent is None else group.parent) in opened
        }
        closed = [(one.start, one.stop) for index, one in shown.items() if index not in opened]
        eqns: list[schema.Eqn] = []
        places: list[int] = []
        crossing = Crossing(graph)
        for start, stop in [*sorted(closed), (len(graph.eqns), len(graph.eqns))]:
            for eqn in graph.eqns[len(places) : start]:
                places.append(len(eqns))
                eqns.append(self._open(eqn))
            if start < stop:
                places += [len(eqns)] * (stop - start)
                eqns.append(self._closed(graph.eqns[start:stop], crossing.of(start, stop)))
        places.append(len(eqns))
        return pruned(replace(graph, eqns=eqns, groups=moved(shown, places)))

    def _open(self, eqn: schema.Eqn) -> schema.Eqn:
        if not eqn.bodies:
            return eqn
        bodies = [replace(body, graph=self._body(body.graph)) for body in eqn.bodies]
        return replace(eqn, bodies=bodies)

    def _body(self, graph: int) -> int:
        known = self._numbers.get(graph)
        return self._filler(self._totals[graph]) if known is None else known

    def _closed(self, eqns: list[schema.Eqn], crossing: tuple[list[int], list[int]]) -> schema.Eqn:
        held = sum(self._totals[body.graph] for eqn in eqns for body in eqn.bodies)
        invars, outvars = crossing
        return stand_in([self._filler(len(eqns) + held - 1)], invars, outvars)

    def _filler(self, count: int) -> int:
        """The number of a graph that counts so many eqns: each holds half of what is left."""
        known = self._counts.get(count)
        if known is None:
            halves = [self._filler(half) for half in ((count - 1) // 2, count // 2) if half > 0]
            self._fillers.append(replace(EMPTY, eqns=[stand_in(halves, [], [])][:count]))
            known = self._counts[count] = len(self._numbers) + len(self._fillers) - 1
        return known


EMPTY = schema.Graph(
    name="", vars=[], constvars=[], invars=[], outvars=[], args=[], results=[], eqns=[],
    groups=[], effects=[],
)  # fmt: skip


def stand_in(bodies: Iterable[int], invars: list[int], outvars: list[int]) -> schema.Eqn:
    held = [schema.Body(label="", graph=body, inputs=[], outputs=[]) for body in bodies]
    return schema.Eqn(
        op="", name="", invars=invars, outvars=outvars, roles=[], params=[], bodies=held,
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

    def of(self, start: int, stop: int) -> tuple[list[int], list[int]]:
        """What eqns `[start, stop)` take, each once, and what of theirs is taken after them."""
        eqns = self._eqns[start:stop]
        made = dict.fromkeys(var for eqn in eqns for var in eqn.outvars)
        taken = dict.fromkeys(var for eqn in eqns for var in eqn.invars)
        inward = [var for var in taken if var not in made and var not in self._literals]
        return inward, [var for var in made if self._last.get(var, -1) >= stop]


def moved(groups: dict[int, schema.Group], places: list[int]) -> list[schema.Group]:
    """The groups where their eqns are now, with new numbers."""
    numbers = {old: new for new, old in enumerate(groups)}
    return [
        replace(
            group,
            parent=numbers.get(group.parent) if group.parent is not None else None,
            twin=numbers.get(group.twin) if group.twin is not None else None,
            start=places[group.start],
            stop=places[group.stop - 1] + 1 if group.stop > group.start else places[group.start],
        )
        for group in groups.values()
    ]


def pruned(graph: schema.Graph) -> schema.Graph:
    """Without the vars that nothing takes or makes any more, in the same order."""
    used = {*graph.constvars, *graph.invars, *graph.outvars}
    for eqn in graph.eqns:
        used.update(eqn.invars, eqn.outvars)
    if len(used) == len(graph.vars):
        return graph
    kept = sorted(used)
    numbers = {old: new for new, old in enumerate(kept)}

    def numbered(variables: list[int]) -> list[int]:
        return [numbers[var] for var in variables]

    return replace(
        graph,
        vars=[graph.vars[var] for var in kept],
        constvars=numbered(graph.constvars),
        invars=numbered(graph.invars),
        outvars=numbered(graph.outvars),
        eqns=[
            replace(eqn, invars=numbered(eqn.invars), outvars=numbered(eqn.outvars))
            for eqn in graph.eqns
        ],
    )


def totals(graphs: list[schema.Graph]) -> dict[int, int]:
    """Eqns of each graph with all its bodies, a shared body counted wherever it is held."""
    held = {
        number: [body.graph for eqn in graph.eqns for body in eqn.bodies]
        for number, graph in enumerate(graphs)
    }
    found: dict[int, int] = {}
    for number in TopologicalSorter(held).static_order():
        found[number] = len(graphs[number].eqns) + sum(found[body] for body in held[number])
    return found
