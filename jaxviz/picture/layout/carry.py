"""The edges by which a loop's carry returns. As `js/src/layout/carry.ts`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxviz import schema
from jaxviz.picture.layout.frame import Cell, Frame, Link, Points
from jaxviz.picture.layout.measure import SMALL, text_width
from jaxviz.picture.model.carry import Carry
from jaxviz.picture.model.ids import parse

MOST_TRACKS = 4
"""Returning edges side by side. More values than this return as one."""
TRACK = 6
CLEAR = 8


def with_carry(frame: Frame, carry: Carry, graph: schema.Graph) -> Frame:
    """The frame of a loop's body, with its carry returning from the outputs to the inputs, on the
    right."""
    returns = _returns(frame, carry, graph)
    if not returns:
        return frame
    room = TRACK * (len(returns) - 1) + CLEAR
    text = f"carry {carry.turns}".strip()
    wide = text_width(text, SMALL)
    beside = frame.w + wide
    links: list[Link] = []
    for track, (source, target, variables) in enumerate(returns):
        by = TRACK * (len(returns) - 1 - track)
        x = beside + TRACK * track
        high = target.y + CLEAR - by - CLEAR + room - CLEAR
        low = source.y + source.h + room + CLEAR + by
        start, end = source.x + source.w / 2 + CLEAR, target.x + target.w / 2 + CLEAR
        points = [
            (start, source.y + source.h + room),
            (start, low),
            (x, low),
            (x, high),
            (end, high),
            (end, target.y + room),
        ]
        link = Link(source.item.id, target.item.id, variables, points, "down", False, returns=True)
        link.label = "" if track else text
        link.label_x, link.label_y = x - wide / 2 - 4, (high + low) / 2
        links.append(link)
    moved = _lowered(frame, room)
    return replace(moved, w=beside + room, h=moved.h + room, links=[*moved.links, *links])


def _returns(frame: Frame, carry: Carry, graph: schema.Graph) -> list[tuple[Cell, Cell, list[int]]]:
    """One edge for all between the same cells; one in all where they are too many."""
    sources = binder_cells(frame.cells, graph.outvars, "out")
    targets = binder_cells(frame.cells, graph.invars, "in")
    found: dict[tuple[str, str], tuple[Cell, Cell, list[int]]] = {}
    for index, output in carry.pairs:
        source = sources[output] if output < len(sources) else None
        target = targets[index] if index < len(targets) else None
        if source and target:
            key = source.item.id, target.item.id
            found.setdefault(key, (source, target, []))[2].append(graph.outvars[output])
    returns = list(found.values())
    if len(returns) <= MOST_TRACKS:
        return returns
    return [(*returns[0][:2], [var for _, _, variables in returns for var in variables])]


def binder_cells(cells: Sequence[Cell], variables: Sequence[int], binder: str) -> list[Cell | None]:
    """The cell of each input or output, its own or that of the pytree that it is gathered in."""
    own: dict[int, Cell] = {}
    gathered: dict[int, Cell] = {}
    for cell in cells:
        step = parse(cell.item.id)[1]
        if step.kind == "binder" and step.binder == binder:
            own[step.index] = cell
        elif step.kind == "gathered" and cell.item.is_output == (binder == "out"):
            for var in cell.item.vars:
                gathered.setdefault(var, cell)
    return [own.get(index, gathered.get(var)) for index, var in enumerate(variables)]


def _lowered(frame: Frame, by: float) -> Frame:
    """The same with all it holds lower down."""

    def down(points: Points) -> Points:
        return [(x, y + by) for x, y in points]

    return replace(
        frame,
        h=frame.h + by,
        cells=[replace(cell, y=cell.y + by, type_y=cell.type_y + by) for cell in frame.cells],
        routes=[replace(route, points=down(route.points)) for route in frame.routes],
        mentions=[replace(one, y=one.y + by, points=down(one.points)) for one in frame.mentions],
        links=[
            replace(
                link,
                points=down(link.points),
                label_y=link.label_y + by,
                mention=link.mention and replace(link.mention, y=link.mention.y + by),
            )
            for link in frame.links
        ],
    )
