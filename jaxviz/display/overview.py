"""Makes an overview of a program too large to be saved: its first graph, with groups folded into
single eqns."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.closing import Crossing
from jaxviz.display.outline_text import counted

FOLDED_OP = "group"
"""The `op` of an eqn that stands for a group."""


def overview(stage: schema.Stage, boxes: int) -> schema.Stage:
    """The stage with its first graph alone, in which groups are folded until it has about `boxes`
    eqns. The largest groups stay open.

    A folded group becomes an eqn that takes and returns what flows in and out of the group. Only
    vars, avals, frames and scopes that are still used are kept.
    """
    if not stage.graphs:
        return stage
    graph = stage.graphs[0]
    folded = folded_groups(graph, boxes)
    eqns, places = fold(stage, folded)
    return compact(
        replace(
            stage,
            graphs=[replace(graph, eqns=eqns, groups=kept_groups(graph, folded, places))],
            text="",
            collectives=[],
            strays=[],
            times=None,
            values=[],
        )
    )


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


def fold(stage: schema.Stage, folded: set[int]) -> tuple[list[schema.Eqn], list[int]]:
    """The eqns with groups folded, and the new index for the old index of each eqn."""
    graph = stage.graphs[0]
    crossing = Crossing(graph)
    starts = {graph.groups[index].start: graph.groups[index] for index in folded}
    eqns: list[schema.Eqn] = []
    places: list[int] = []
    at = 0
    while at < len(graph.eqns):
        group = starts.get(at)
        stop = group.stop if group else at + 1
        places += [len(eqns)] * (stop - at)
        if group:
            eqns.append(box(stage, group, crossing))
        else:
            eqns.append(replace(graph.eqns[at], params=(), bodies=(), span=None))
        at = stop
    return eqns, [*places, len(eqns)]


def box(stage: schema.Stage, group: schema.Group, crossing: Crossing) -> schema.Eqn:
    """The eqn that stands for a folded group."""
    inside = stage.graphs[0].eqns[group.start : group.stop]
    held = schema.eqns_held(stage.graphs, inside)
    taken, given = crossing.of(group.start, group.stop)
    return schema.Eqn(
        op=FOLDED_OP,
        name=f"{group.name} · {counted(stage.kind, held)}",
        invars=tuple(taken),
        outvars=tuple(var for eqn in inside for var in eqn.outvars if var in given),
        roles=(),
        params=(),
        bodies=(),
        effects=tuple(sorted({effect for eqn in inside for effect in eqn.effects})),
        frame=inside[0].frame,
        call=inside[0].call,
        inherited=inside[0].inherited,
        scope=inside[0].scope,
        span=None,
        origin=(),
        guess=False,
        own="",
        trips=None,
        cost=None,
    )


def kept_groups(graph: schema.Graph, folded: set[int], places: list[int]) -> list[schema.Group]:
    """The groups that stay open, with the new indices of their eqns."""
    index: dict[int, int] = {}
    kept: list[schema.Group] = []
    for old, group in enumerate(graph.groups):
        opened = group.parent is None or group.parent in index
        if old in folded or not opened:
            continue
        index[old] = len(kept)
        parent = None if group.parent is None else index[group.parent]
        start, stop = places[group.start], places[group.stop]
        twin = None if group.twin is None else index.get(group.twin)
        kept.append(replace(group, parent=parent, twin=twin, start=start, stop=stop))
    return kept


def compact(stage: schema.Stage) -> schema.Stage:
    """The stage with its first graph alone, and with only the vars, avals, frames and scopes that
    this graph uses."""
    graph = stage.graphs[0]
    operands = [var for eqn in graph.eqns for var in (*eqn.invars, *eqn.outvars)]
    variables = table([*graph.constvars, *graph.invars, *operands, *graph.outvars])
    avals = table(graph.vars[var].aval for var in variables)
    scopes = table(eqn.scope for eqn in graph.eqns)
    frames = table(sorted(used_frames(stage, graph)))
    small = replace(
        graph,
        vars=[replace(graph.vars[var], aval=avals[graph.vars[var].aval]) for var in variables],
        constvars=tuple(variables[var] for var in graph.constvars),
        invars=tuple(variables[var] for var in graph.invars),
        outvars=tuple(variables[var] for var in graph.outvars),
        eqns=[renumbered(eqn, variables, frames, scopes) for eqn in graph.eqns],
    )
    parents = {frame: stage.frames[frame].parent for frame in frames}
    return replace(
        stage,
        graphs=[small],
        avals=[stage.avals[aval] for aval in avals],
        frames=[
            replace(stage.frames[frame], parent=None if parent is None else frames[parent])
            for frame, parent in parents.items()
        ],
        scopes=[stage.scopes[scope] for scope in scopes],
    )


def used_frames(stage: schema.Stage, graph: schema.Graph) -> set[int]:
    """The frames of a graph's eqns, with all their callers."""
    found: set[int] = set()
    for eqn in graph.eqns:
        frame = eqn.frame if eqn.call is None else eqn.call
        while frame is not None and frame not in found:
            found.add(frame)
            frame = stage.frames[frame].parent
    return found


def renumbered(
    eqn: schema.Eqn, variables: dict[int, int], frames: dict[int, int], scopes: dict[int, int]
) -> schema.Eqn:
    """The eqn with the new indices of what it refers to."""
    return replace(
        eqn,
        invars=tuple(variables[var] for var in eqn.invars),
        outvars=tuple(variables[var] for var in eqn.outvars),
        frame=None if eqn.frame is None else frames[eqn.frame],
        call=None if eqn.call is None else frames[eqn.call],
        scope=scopes[eqn.scope],
    )


def table(indices: Iterable[int]) -> dict[int, int]:
    """New indices for those in use, in the order of their first use."""
    return {old: new for new, old in enumerate(dict.fromkeys(indices))}
