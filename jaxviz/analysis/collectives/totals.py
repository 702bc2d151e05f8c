"""Adds up what each device sends in one run of a program, by the axes of the mesh."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from jaxviz import schema
from jaxviz.ops import row_of
from jaxviz.schema.graph import first_eqns, inner_first


class Sent(NamedTuple):
    """What each device sends along some axes."""

    bytes: int
    least: bool
    """Whether it is a lower bound: of an op, or of a loop's turns, it is not known how many."""


ByAxes = dict[tuple[str, ...], Sent]


def sent_by_axes(stage: schema.Stage) -> ByAxes:
    """Bytes that each device sends in one run of the program, by the axes along which; no axes
    where they are not known. Loops count as often as they run, and of the bodies of a choice the
    one that sends most."""
    return _Totals(stage).of_graphs[0] if stage.collectives else {}


def sent_by_groups(stage: schema.Stage, graph: int) -> list[tuple[str, Sent]]:
    """The same along all axes for each outermost group of a graph, in one run of the graph."""
    if not stage.collectives:
        return []
    totals, found = _Totals(stage), list[tuple[str, Sent]]()
    for group in stage.graphs[graph].groups:
        if group.parent is None:
            each = totals.within(graph, group.start, group.stop).values()
            least = any(one.least for one in each)
            found.append((group.name, Sent(sum(one.bytes for one in each), least)))
    return found


class _Totals:
    def __init__(self, stage: schema.Stage) -> None:
        self._graphs, self._starts = stage.graphs, first_eqns(stage.graphs)
        self._known = {one.eqn: one for one in stage.collectives}
        self.of_graphs: dict[int, ByAxes] = {}
        """Of one run of each graph."""
        for number in inner_first(stage.graphs):
            self.of_graphs[number] = self.within(number, 0, len(stage.graphs[number].eqns))

    def within(self, graph: int, start: int, stop: int) -> ByAxes:
        """Of some eqns of a graph in one run of it."""
        total: ByAxes = {}
        first = self._starts[graph] + start
        for at, eqn in enumerate(self._graphs[graph].eqns[start:stop], first):
            if at in self._known:
                sent = self._known[at].sent
                add(total, tuple(self._known[at].axes), Sent(sent or 0, sent is None))
            add_bodies(total, eqn, [self.of_graphs[body.graph] for body in eqn.bodies])
        return total


def add(total: ByAxes, axes: tuple[str, ...], more: Sent) -> None:
    before = total.get(axes, Sent(0, False))
    total[axes] = Sent(before.bytes + more.bytes, before.least or more.least)


def add_bodies(total: ByAxes, eqn: schema.Eqn, bodies: list[ByAxes]) -> None:
    """Adds what one run of an eqn sends for its bodies."""
    how = row_of(eqn.op).bodies
    if how == "chosen":
        bodies = [most(bodies)]
    unknown = how == "looped" and eqn.trips is None
    for body in bodies:
        for axes, (size, least) in body.items():
            times = 1 if eqn.trips is None else eqn.trips
            add(total, axes, Sent(size * times, least or unknown))


def most(bodies: Iterable[ByAxes]) -> ByAxes:
    found: ByAxes = {}
    for body in bodies:
        for axes, (size, least) in body.items():
            before = found.get(axes, Sent(0, False))
            found[axes] = Sent(max(before.bytes, size), before.least or least)
    return found
