"""Reduces a program to what its static picture shows, before it is sent to the drawing engine.

The picture stays the same, and much less is sent: of 50,000 eqns a few thousand are left, of 60,000
instructions of HLO two thousand. What can be open is found by `openable`, what stays closed is
reduced by `closing`.
"""

from __future__ import annotations

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.closing import Closing, lean
from jaxviz.openable import WHOLE, Region, openable


def drawable(record: schema.Program, opening: schema.Opening, most: int) -> schema.Program:
    """The program with one stage, reduced to what its picture shows.

    The picture opens as `opening` says and shows at most `most` eqns and groups in one place.
    Raises ValueError where the program has no graph."""
    stage = stage_to_draw(record, opening.stage or "jaxpr")
    collectives, strays, values = stage.collectives, stage.strays, stage.values
    if record.compared is None:
        closing = Closing(stage.graphs, *opened_of(stage, opening, most))
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


def opened_of(
    stage: schema.Stage, opening: schema.Opening, most: int
) -> tuple[set[Region], set[Region]]:
    """The regions that are not reduced, those that can be open; and the rows. In later stages the
    whole of their graphs and of the graphs around them is not reduced either, since a box there may
    name eqns that are far away (constants)."""
    opened, rows = openable(stage, opening, most)
    if stage.kind == "jaxpr":
        return opened, rows
    opened |= rows
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
    return {(number, group) for number in seen for group in groups[number]}, set()
