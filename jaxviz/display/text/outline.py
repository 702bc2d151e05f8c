"""The outline of a program in text: its groups, loops and calls, as deep as there is room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxviz import schema
from jaxviz.analysis.groups.loops.unrolled import row_members
from jaxviz.analysis.groups.steps.called_passes import CALLS
from jaxviz.ops import row_of
from jaxviz.sentences.amounts import count_text

OUTLINE_LINES = 22
"""The most lines of the outline."""

Place = tuple[int, int | None]
"""A graph, and one of its groups; None for the whole graph."""


@dataclass(frozen=True)
class Row:
    """A group, loop or call: its name, its number of eqns, and where they are."""

    name: str
    eqns: int
    places: tuple[Place, ...]


def outline(stage: schema.Stage) -> list[str]:
    """A line for each group, loop and call, level by level. On the last level, a row is opened only
    if all rows inside it still fit. If a program or a pass is a single call, the function that it
    calls is outlined."""
    shown = [(0, row) for row in rows_at(stage, (called(stage, 0), None), outermost=True)]
    depth, room = 0, OUTLINE_LINES - len(shown)
    while room > 0:
        deeper: list[tuple[int, Row]] = []
        before = room
        for at, row in shown:
            inner: list[tuple[int, Row]] = []
            if at == depth:
                inner = [(at + 1, one) for place in row.places for one in rows_at(stage, place)]
            if len(inner) > room:
                inner = []
            room -= len(inner)
            deeper += [(at, row), *inner]
        if room == before:
            break
        shown, depth = deeper, depth + 1
    return listed(stage.kind, [("  " * at + row.name, row.eqns) for at, row in shown])


def called(stage: schema.Stage, graph: int) -> int:
    """The graph, or the graph that it calls if it is a single call."""
    while is_single_call(eqns := stage.graphs[graph].eqns):
        graph = eqns[0].bodies[0].graph
    return graph


def is_single_call(eqns: list[schema.Eqn]) -> bool:
    return len(eqns) == 1 and len(eqns[0].bodies) == 1 and not is_loop(eqns[0])


def is_loop(eqn: schema.Eqn) -> bool:
    return eqn.trips is not None or "carry" in eqn.roles


def rows_at(stage: schema.Stage, place: Place, outermost: bool = False) -> Iterator[Row]:
    """The groups at a place and, between them, the loops and the calls of functions that have
    groups. In a program without groups, all calls."""
    index, parent = place
    graph = stage.graphs[index]
    start, stop = 0, len(graph.eqns)
    if parent is not None:
        start, stop = graph.groups[parent].start, graph.groups[parent].stop
    all_calls = outermost and not graph.groups
    for at, group in enumerate(graph.groups):
        if group.parent == parent:
            yield from calls(stage, graph.eqns[start : group.start], all_calls)
            yield of_group(stage, index, at)
            start = group.stop
    yield from calls(stage, graph.eqns[start:stop], all_calls)


def of_group(stage: schema.Stage, index: int, at: int) -> Row:
    """The row of a group. For a repeat, its places are those of the first member."""
    graph = stage.graphs[index]
    group = graph.groups[at]
    eqns = graph.eqns[group.start : group.stop]
    name, first = f"{group.name} ≠ {group.unlike}" if group.unlike else group.name, at
    if group.kind == "repeat" and (members := [*row_members(graph.groups, at)]):
        name, first = f"{name} ×{len(members)}", graph.groups.index(members[0])
    place: Place = (index, first)
    if group.role and is_single_call(eqns) and eqns[0].op in CALLS:
        place = called(stage, eqns[0].bodies[0].graph), None
    return Row(name, schema.count_eqns(stage.graphs, eqns), (place,))


def calls(stage: schema.Stage, eqns: list[schema.Eqn], all_calls: bool) -> Iterator[Row]:
    for eqn in eqns:
        graphs = dict.fromkeys(body.graph for body in eqn.bodies)
        if graphs and (all_calls or is_loop(eqn) or any(stage.graphs[g].groups for g in graphs)):
            times = f"×{eqn.trips}" if eqn.trips else ""
            name = f"{title(eqn)} {times}".strip()
            count = schema.count_eqns(stage.graphs, [eqn]) - 1
            yield Row(name, count, tuple((graph, None) for graph in graphs))


def title(eqn: schema.Eqn) -> str:
    """An eqn's title, as on its box: the name of the function that it calls (`relu`), else its
    primitive."""
    if eqn.name[:1] not in ("", "<") and row_of(eqn.op).titled:
        return eqn.name
    return f"{eqn.op} {eqn.name}".strip()


NAMES = {"stablehlo": "op", "hlo": "instruction"}
"""Names for an eqn of a later stage."""


def counted(kind: str, count: int) -> str:
    """`1,204 eqns`; of later stages `830 ops`, `1,204 instructions`."""
    return count_text(count, NAMES.get(kind, "eqn"))


def all_eqns(stage: schema.Stage) -> int:
    """The number of eqns of a stage; each body counts once."""
    return schema.count_eqns(stage.graphs, stage.graphs[0].eqns) if stage.graphs else 0


def listed(kind: str, rows: list[tuple[str, int]]) -> list[str]:
    """A line for each row, as many as fit."""
    hidden = 0
    if len(rows) > OUTLINE_LINES:
        hidden = len(rows) - OUTLINE_LINES + 1
        rows = rows[: OUTLINE_LINES - 1]
    width = min(60, max((len(name) for name, _ in rows), default=0))
    words = [counted(kind, count).partition(" ") for _, count in rows]
    lines = [
        f"  {name:<{width}}  {number:>7} {what}"
        for (name, _), (number, _, what) in zip(rows, words, strict=True)
    ]
    return [*lines, f"  … {hidden:,} more"] if hidden else lines
