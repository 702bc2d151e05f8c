"""The regions of a program, from the inside out. As `js/src/layout/nest.ts`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from jaxviz import schema
from jaxviz.picture.layout.caption import caption_of, size_of
from jaxviz.picture.layout.carry import binder_cells, with_carry
from jaxviz.picture.layout.fill import layout_frame
from jaxviz.picture.layout.flip import flipped
from jaxviz.picture.layout.frame import Cell, Frame, Plan
from jaxviz.picture.layout.region import Shape
from jaxviz.picture.layout.step import layout_step
from jaxviz.picture.layout.step.lanes import Step, atoms_of, lane_of, step_of
from jaxviz.picture.layout.wires import (
    Held,
    Port,
    wires_of_bodies,
    wires_of_graph,
    wires_of_group,
)
from jaxviz.picture.model.carry import carry_of
from jaxviz.picture.model.ids import ROOT, parse
from jaxviz.picture.model.outline import Item, Outline


@dataclass(frozen=True)
class _Region:
    """An item that is open (the whole program: None), in the graph whose eqns it stands for."""

    item: Item | None
    graph: schema.Graph
    items: list[Item]
    up: bool
    """Whether data flows up in it: part of a backward lane."""
    step: Step | None


def layout_all(outline: Outline, opened: Collection[str], shape: Shape) -> Frame:
    """Lays out the program from the inside out, and gives the outermost frame."""
    frames: dict[str, Frame] = {}
    for region in reversed(_regions_of(outline, opened)):
        frame = _layout(outline, region, shape, frames)
        frames[region.item.id if region.item else ROOT] = flipped(frame) if region.up else frame
    return frames[ROOT]


def _regions_of(outline: Outline, opened: Collection[str]) -> list[_Region]:
    """Outer before inner. Open groups that are lanes of a step are none."""
    regions: list[_Region] = []
    waiting: list[tuple[Item | None, schema.Graph, bool]] = [(None, outline.stage.graphs[0], False)]
    while waiting:
        item, graph, up = waiting.pop()
        items = outline.drawn(item.id if item else ROOT)
        own = graph_in(outline, graph, item) if item else graph
        step = None
        if item is None or item.kind != "group":
            step = step_of(outline, own, opened, items)
        regions.append(_Region(item, graph, items, up, step))
        rising = {one.id for one in lane_of(step, "backward")} if step else set[str]()
        for one in atoms_of(step) if step else items:
            if one.foldable and one.id in opened and one.kind != "gathered":
                waiting.append((one, own, up != (one.id in rising)))
    return regions


def body_of(graph: schema.Graph, item: Item) -> tuple[schema.Body, int] | None:
    """The body that an open item shows, and its number: its own, or that of an eqn with one."""
    step = parse(item.id)[1]
    if step.kind == "body":
        return graph.eqns[step.eqn].bodies[step.index], step.index
    if step.kind == "eqn" and len(graph.eqns[step.index].bodies) == 1:
        return graph.eqns[step.index].bodies[0], 0
    return None


def graph_in(outline: Outline, graph: schema.Graph, item: Item) -> schema.Graph:
    """The graph of what an open item shows."""
    shown = body_of(graph, item)
    return outline.stage.graphs[shown[0].graph] if shown else graph


def _layout(outline: Outline, region: _Region, shape: Shape, frames: Mapping[str, Frame]) -> Frame:
    item, graph, items = region.item, region.graph, region.items
    own = graph_in(outline, graph, item) if item else graph
    title = size_of(item, caption_of(outline, graph, item))[0] if item else 0
    if region.step:
        frame = layout_step(outline, own, title, shape, region.step, frames.get)
        return _of_body(frame, graph, item, own) if item else frame
    inner = [frames.get(one.id) for one in items]
    held = Held(items, inner, outline.literals(own))
    shown = body_of(graph, item) if item else None
    if item is None or shown:
        wiring = wires_of_graph(outline, own, held)
    elif item.kind == "group":
        wiring = wires_of_group(outline, graph, held, item.start, item.stop)
    else:
        wiring = wires_of_bodies(graph.eqns[item.start], graph, held)
    plan = Plan(outline, own, items, inner, wiring, shape, shown is not None, title)
    frame = layout_frame(plan)
    return _of_body(frame, graph, item, own) if item and shown else frame


def _of_body(frame: Frame, graph: schema.Graph, item: Item, own: schema.Graph) -> Frame:
    """The frame of the body that an open item shows, with its ports, and the carry of a loop."""
    shown = body_of(graph, item)
    if shown is None:
        return frame
    body, number = shown
    eqn = graph.eqns[item.start]
    carry = carry_of(eqn, number)
    whole = with_carry(frame, carry, own) if carry else frame
    above = binder_cells(whole.cells, own.invars, "in")
    below = binder_cells(whole.cells, own.outvars, "out")
    return replace(
        whole,
        entries=_ports(body.inputs, eqn.invars, above),
        exits=_ports(body.outputs, eqn.outvars, below),
    )


def _ports(
    mapping: Sequence[int], outer: Sequence[int], cells: Sequence[Cell | None]
) -> list[Port]:
    """A body's values cross its border above and below its own inputs and outputs."""
    return [
        Port([outer[position]], cell.x + cell.w / 2)
        for position, cell in zip(mapping, cells, strict=True)
        if position >= 0 and cell
    ]
