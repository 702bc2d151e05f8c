"""Cuts a program too large to be saved to an overview: its first graph, with groups folded into
single eqns."""

from __future__ import annotations

import heapq

from jaxviz import schema
from jaxviz.display.outline_text import counted
from jaxviz.schema.smaller import Crossing, Cut, Cuts, Keep, Part

FOLDED_OP = "group"
"""The `op` of an eqn that stands for a group."""


def overview(boxes: int) -> Keep:
    """The first graph of each stage, in which groups are folded until it has about `boxes` eqns.
    The largest groups stay open.

    A folded group becomes an eqn that takes and returns what flows in and out of the group. Only
    vars, avals, frames and scopes that are still used are kept.
    """
    without = (
        *("Program.compared", "Finding.eqns", "Eqn.params", "Eqn.bodies"),
        *("Stage.text", "Stage.collectives", "Stage.strays", "Stage.times", "Stage.values"),
    )
    return Keep(without=without, cuts=lambda stage: folded(stage, boxes), only_used=True)


def folded(stage: schema.Stage, boxes: int) -> Cuts:
    """The stage's first graph with folded groups."""
    if not stage.graphs:
        return Cuts({}, {})
    graph = stage.graphs[0]
    closed = folded_groups(graph, boxes)
    crossing = Crossing(graph)
    parts = [
        Part(group.start, group.stop, [box(stage, group, crossing)])
        for group in sorted((graph.groups[index] for index in closed), key=lambda one: one.start)
        if group.start < group.stop
    ]
    return Cuts({0: Cut(parts, open_groups(graph, closed))}, {})


def folded_groups(graph: schema.Graph, boxes: int) -> set[int]:
    """The groups to fold: all but the largest ones, which stay open as long as boxes are left."""
    inside: dict[int | None, list[int]] = {}
    for index, group in enumerate(graph.groups):
        inside.setdefault(group.parent, []).append(index)

    def length(index: int) -> int:
        return graph.groups[index].stop - graph.groups[index].start

    def items(size: int, inner: list[int]) -> int:
        return size - sum(length(i) - 1 for i in inner)

    top = inside.get(None, [])
    folded = set(top)
    count = items(len(graph.eqns), top)
    queue = [(-length(index), index) for index in top]
    heapq.heapify(queue)
    while queue:
        _, index = heapq.heappop(queue)
        inner = inside.get(index, [])
        more = items(length(index), inner) - 1
        if count + more > boxes:
            continue
        count += more
        folded.remove(index)
        folded.update(inner)
        for other in inner:
            heapq.heappush(queue, (-length(other), other))
    return folded


def open_groups(graph: schema.Graph, closed: set[int]) -> list[int]:
    """The groups that stay open: each that is not folded and lies in no folded one."""
    found: list[int] = []
    opened: set[int | None] = {None}
    for index, group in enumerate(graph.groups):
        if group.parent in opened and index not in closed:
            opened.add(index)
            found.append(index)
    return found


def box(stage: schema.Stage, group: schema.Group, crossing: Crossing) -> schema.Eqn:
    """The eqn that stands for a folded group."""
    inside = stage.graphs[0].eqns[group.start : group.stop]
    held = schema.eqns_held(stage.graphs, inside)
    taken, given = crossing.of(group.start, group.stop)
    first = inside[0]
    return schema.empty(
        schema.Eqn,
        op=FOLDED_OP,
        name=f"{group.name} · {counted(stage.kind, held)}",
        invars=tuple(taken),
        outvars=tuple(var for eqn in inside for var in eqn.outvars if var in given),
        effects=tuple(sorted({effect for eqn in inside for effect in eqn.effects})),
        frame=first.frame,
        call=first.call,
        inherited=first.inherited,
        scope=first.scope,
    )
