"""Reduces what stays closed in a picture, wherever `openable` says that nothing can be open.

- A body that stays closed becomes a count of its operations (`CountedGraph`).
- In a group that stays closed one eqn is left of each operation that makes what is used outside.
  The first takes all that crosses the group's border, and gets a further body, a count of all
  eqns that are not there. In a row one is left for each of its layers, too, which are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.openable import WHOLE, Region
from jaxviz.schema.graph import first_eqns

OfEqn = TypeVar("OfEqn", schema.Collective, schema.Stray, schema.EqnValues)
Kind = tuple[str, str, tuple[int, ...]]
"""All that a closed box tells of an eqn in it: its operation, its name and its bodies' graphs."""


class ReducedGraph(schema.Graph, frozen=True):
    """A graph that is drawn, of whose closed groups few eqns are left."""

    closed: list[int]
    """The groups that stay closed."""


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


class Closing:
    """Reduces the graphs of a stage: what stays closed is counted. Graphs keep their numbers, and
    counts of groups' eqns are added after them."""

    def __init__(self, graphs: list[schema.Graph], opened: set[Region], rows: set[Region]) -> None:
        self._whole = graphs
        self._opened = opened
        self._rows = rows
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
        shown, shut = self._groups(number)
        eqns: list[schema.Eqn] = []
        places: list[int] = []
        crossing = Crossing(graph)
        for cuts in [*sorted(shut.values()), [len(graph.eqns)]]:
            before = graph.eqns[len(places) : cuts[0]]
            places += range(len(eqns), len(eqns) + len(before))
            eqns += before
            left = self._left(graph.eqns, cuts, *crossing.of(cuts[0], cuts[-1]))
            for low, high in pairwise(cuts):
                inside = [left[at] for at in range(low, high) if at in left]
                places += [len(eqns)] * (high - low - 1) + [len(eqns) + len(inside) - 1]
                eqns += inside
        places.append(len(eqns))
        numbers = {old: new for new, old in enumerate(shown)}
        groups = [moved(graph.groups[index], numbers, places) for index in shown]
        self._drawn[number] = eqns
        return pruned(graph, eqns, groups, [numbers[index] for index in shut])

    def _groups(self, number: int) -> tuple[list[int], dict[int, list[int]]]:
        """The groups of a graph that are sent. Of those that stay closed also where they begin and
        end, and between these where the groups begin and end that a closed row says the number of.
        """
        shown: list[int] = []
        opened = {WHOLE}
        row_of: dict[int, int] = {}
        cuts: dict[int, set[int]] = {}
        for index, group in enumerate(self._whole[number].groups):
            outer = WHOLE if group.parent is None else group.parent
            if outer not in opened and outer not in row_of:
                continue
            shown.append(index)
            if outer in opened and (number, index) in self._opened:
                opened.add(index)
                continue
            row = row_of.get(outer, index)
            cuts.setdefault(row, set()).update((group.start, group.stop))
            if (number, index) in self._rows:
                row_of[index] = row
        return shown, {index: sorted(found) for index, found in cuts.items()}

    def _left(
        self, eqns: list[schema.Eqn], cuts: list[int], taken: list[int], given: set[int]
    ) -> dict[int, schema.Eqn]:
        """What stands for the eqns of a closed group, by their index: of each operation that makes
        what is used outside the first one, for all that they make so, and one for each part between
        `cuts` besides. One of them takes all that the group takes, and holds the count of the eqns
        that are not there."""
        run = range(cuts[0], cuts[-1])
        first: dict[str, int] = {}
        made: dict[int, list[int]] = {}
        for at in run:
            found = [var for var in eqns[at].outvars if var in given]
            if found:
                made.setdefault(first.setdefault(eqns[at].op, at), []).extend(found)
        for low, high in pairwise(cuts):
            if made.keys().isdisjoint(range(low, high)):
                made[low] = []
        others = [eqns[at] for at in run if at not in made]
        rest = [self._count(kinds(others))] if others else []
        left = {at: crossed(eqns[at], [], [], found) for at, found in made.items()}
        if made:
            main = next(iter(made))
            left[main] = crossed(eqns[main], rest, taken, made[main])
        return left

    def _count(self, found: Counter[Kind]) -> int:
        """The number of a new graph that counts these eqns. Equal counts share none: a graph that
        two groups hold would count once for both."""
        self._others.append(counted(found))
        return len(self._whole) + len(self._others) - 1


def lean(eqn: schema.Eqn, **changes: tuple[int, ...]) -> schema.Eqn:
    """The eqn without what no picture shows: where it was written, and what it costs."""
    return replace(eqn, frame=None, call=None, span=None, origin=(), cost=None, **changes)


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


def crossed(
    eqn: schema.Eqn, rest: list[int], invars: Sequence[int], outvars: Sequence[int]
) -> schema.Eqn:
    """An eqn of a closed group with these operands and results, and with the graphs `rest`, which
    count the eqns that it stands for, as further bodies."""
    more = [schema.Body(label="", graph=graph, inputs=(), outputs=()) for graph in rest]
    bodies = (*eqn.bodies, *more)
    operands, results = tuple(invars), tuple(outvars)
    return replace(eqn, invars=operands, outvars=results, roles=(), params=(), bodies=bodies)


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

    def numbered(variables: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([numbers[var] for var in variables])

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
