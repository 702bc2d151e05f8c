"""Makes a program small enough for a notebook, by leaving out more and more of it.

The last step is an overview: the first graph of each stage, with groups folded into single eqns.
"""

from __future__ import annotations

import heapq
from base64 import b64encode
from collections.abc import Iterator

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.text.outline import all_eqns, counted
from jaxviz.schema import first_made
from jaxviz.schema.smaller import Crossing, Cut, Cuts, Keep, Part, smaller
from jaxviz.sentences import sentence

OVERVIEWS = (1600, 400, 100)
"""The numbers of boxes of an overview, tried in this order."""
FOLDED_OP = "group"
"""The `op` of an eqn that represents a folded group."""


def fit(
    record: schema.Program,
    whole: bytes,
    opening: schema.Opening,
    key: str,
    limit: int,
    since: str = "",
    report: schema.Report | None = None,
    can_step: bool = False,
) -> schema.Display | None:
    """The largest part of a program that fits into `limit` bytes of base64; None if not even an
    overview fits.

    `whole` is the program's wire form; all other arguments are as in `schema.Display`.
    """
    for missing, data in reductions(record, whole, opening.stage or first_made(record).kind):
        saved = b64encode(data).decode()
        if len(saved) <= limit:
            return schema.Display(
                version=schema.VERSION,
                jaxviz=schema.release(),
                program=saved,
                partial=missing,
                opening=opening,
                key=key,
                since=since,
                report=report,
                can_step=can_step,
            )
    return None


def reductions(
    record: schema.Program, whole: bytes, first: str
) -> Iterator[tuple[schema.Sentence | None, bytes]]:
    """Smaller and smaller forms of the program: for each a sentence on what is missing, and the
    wire form. `first`, the kind of the stage that is shown first, is left out last."""
    yield None, whole
    others, linked_to = "", first_made(record).kind
    for kinds in (("jaxpr", linked_to, first), (shown_of(record, first),)):
        fewer = smaller(record, Keep(stages=kinds))
        if 0 < len(fewer.stages) < len(record.stages):
            record = fewer
            yield sentence("partial, stages"), wire.encode(record)
            others = "stages, "
    eqns = sum(len(graph.eqns) for stage in record.stages for graph in stage.graphs)
    shown = all_eqns(first_made(record))
    if eqns <= 40_000:
        record = smaller(record, Keep(without=("Stage.text", "Eqn.params")))
        yield sentence(f"partial, {others}text"), wire.encode(record)
        if any(len(stage.graphs) > 1 for stage in record.stages):
            record = smaller(record, Keep(without=("Eqn.bodies",)))
            yield sentence(f"partial, {others}bodies"), wire.encode(record)
    for boxes in OVERVIEWS:
        small = wire.encode(smaller(record, overview(boxes)))
        yield sentence("partial, overview", eqns=shown), small


def shown_of(record: schema.Program, first: str) -> str:
    """The kind of the stage that is shown first: `first`, unless it could not be made."""
    shown = next((stage for stage in record.stages if stage.kind == first), None)
    return first if shown is not None and shown.error is None else first_made(record).kind


def overview(boxes: int) -> Keep:
    """The first graph of each stage, in which groups are folded until it has about `boxes` eqns.
    The largest groups stay open.

    A folded group becomes an eqn whose operands and results are the values that enter and leave the
    group. Vars, avals, frames and scopes that are no longer used are left out.
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
    """The groups to fold: all but the largest ones, which stay open while boxes are left."""
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
    """The groups that are neither folded nor inside a folded group."""
    found: list[int] = []
    opened: set[int | None] = {None}
    for index, group in enumerate(graph.groups):
        if group.parent in opened and index not in closed:
            opened.add(index)
            found.append(index)
    return found


def box(stage: schema.Stage, group: schema.Group, crossing: Crossing) -> schema.Eqn:
    """The eqn that represents a folded group."""
    inside = stage.graphs[0].eqns[group.start : group.stop]
    count = schema.count_eqns(stage.graphs, inside)
    inputs, outputs = crossing.of(group.start, group.stop)
    first = inside[0]
    return schema.empty(
        schema.Eqn,
        op=FOLDED_OP,
        name=f"{group.name} · {counted(stage.kind, count)}",
        invars=tuple(inputs),
        outvars=tuple(var for eqn in inside for var in eqn.outvars if var in outputs),
        effects=tuple(sorted({effect for eqn in inside for effect in eqn.effects})),
        frame=first.frame,
        call=first.call,
        inherited=first.inherited,
        scope=first.scope,
    )
