"""A training step as a frame that holds the frames of its lanes. As `js/src/layout/step`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from jaxviz import schema
from jaxviz.picture.layout.caption import LANE, caption_of, size_of
from jaxviz.picture.layout.frame import Cell, Frame
from jaxviz.picture.layout.measure import FRAME_END, FRAME_SIDE, FRAME_TITLE
from jaxviz.picture.layout.region import Shape
from jaxviz.picture.layout.shape import WIDE
from jaxviz.picture.layout.step.atoms import Atom, Drawn, List, Place
from jaxviz.picture.layout.step.bundles import Bundle, bundles_of
from jaxviz.picture.layout.step.cells import cell_of_atom, cells_of, types_within
from jaxviz.picture.layout.step.geometry import BESIDE, measure, place
from jaxviz.picture.layout.step.lanes import LANES, Row, Step
from jaxviz.picture.layout.step.links import links_of
from jaxviz.picture.layout.step.stacked import (
    Lanes,
    Stack,
    moved_cell,
    moved_link,
    stack_around,
)
from jaxviz.picture.layout.wires import Held, wires_of_graph
from jaxviz.picture.model.outline import Item, Outline

TOP = FRAME_TITLE + FRAME_END
"""Where what is in the frame begins, below its title."""


def layout_step(
    outline: Outline,
    graph: schema.Graph,
    title: float,
    shape: Shape,
    step: Step,
    frame_of: Callable[[str], Frame | None],
) -> Frame:
    """`frame_of` gives the frames that were laid out before, by the ids of their items."""
    plan = Drawn(outline, graph, title, shape)
    atoms = _Atoms(outline, graph, frame_of)
    for item in step.inputs:
        atoms.make(item, "inputs", None, 0)
    outer = atoms.rows(step.rows)
    for item in step.after:
        atoms.make(item, "after", None, 0)
    for item in step.outputs:
        atoms.make(item, "outputs", None, 0)
    made = atoms.made
    written = outline.literals(graph)
    held = Held([one.item for one in made], [one.frame for one in made], written)
    bundles = bundles_of(made, wires_of_graph(outline, graph, held).wires)
    types = types_within(plan, bundles)
    measure(outer, types)
    drawn = _beside if shape == WIDE else _stacked
    stack = drawn(plan, made, outer, bundles, types)
    side, top, end = (FRAME_SIDE, TOP, FRAME_END) if title else (0, 0, 0)
    return Frame(
        w=math.ceil(max(stack.width + 2 * side, title)),
        h=math.ceil(top + stack.height + end),
        title=FRAME_TITLE if title else 0,
        cells=[moved_cell(cell, side, top) for cell in stack.cells],
        links=[moved_link(link, side, top) for link in stack.links],
    )


def _beside(
    plan: Drawn,
    atoms: list[Atom],
    outer: List,
    bundles: list[Bundle],
    types: dict[Atom, str],
) -> Lanes:
    """Inputs, lanes and outputs side by side."""
    geometry = place(plan, atoms, outer, bundles)
    links, bottom = links_of(plan, atoms, bundles, geometry)
    width = max(right for _, right in geometry.columns.values())
    return Lanes(cells_of(plan, atoms, outer, geometry, types), links, width, bottom, geometry)


def _stacked(
    plan: Drawn,
    atoms: list[Atom],
    outer: List,
    bundles: list[Bundle],
    types: dict[Atom, str],
) -> Stack:
    """The lanes alone side by side, all else above and below them."""
    inside = [one for one in atoms if one.list is not None]
    within = [one for one in bundles if one.source.list and one.target.list]
    lanes = _beside(plan, inside, outer, within, types)

    def cell_of(one: Atom) -> Cell:
        return replace(cell_of_atom(plan, one, types), type_x=one.x + one.w / 2 + BESIDE)

    return stack_around(lanes, atoms, bundles, cell_of)


class _Atoms:
    """The atoms of a step, in order."""

    def __init__(
        self, outline: Outline, graph: schema.Graph, frame_of: Callable[[str], Frame | None]
    ) -> None:
        self.outline, self.graph, self.frame_of = outline, graph, frame_of
        self.made: list[Atom] = []
        self.counts: dict[str, int] = {}

    def size(self, item: Item) -> tuple[float, float]:
        return size_of(item, caption_of(self.outline, self.graph, item, LANE))

    def make(self, item: Item, column: str, rows: List | None, row: int) -> Atom:
        frame = self.frame_of(item.id)
        w, h = (frame.w, frame.h) if frame else self.size(item)
        order = self.counts.get(column, 0)
        self.counts[column] = order + 1
        self.made.append(Atom(item, frame, column, rows, row, order, w, h))
        return self.made[-1]

    def rows(self, rows: list[Row]) -> List:
        """Rows nest as deep as `step_of` lets them, which is not deep."""
        found = List()
        for index, row in enumerate(rows):
            inner = self.rows(row.rows) if row.rows is not None else None
            atoms: dict[str, Atom] = {}
            for lane in LANES:
                item = row.at(lane)
                if item and not row.is_framed(lane):
                    atoms[lane] = self.make(item, lane, found, index)
            found.places.append(Place(row, atoms, inner))
        return found
