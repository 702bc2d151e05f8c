"""The lanes of a step with the inputs above and the rest below, for a view too narrow to have them
side by side. As `js/src/layout/step/stacked.ts`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from jaxviz.picture.layout.frame import Cell, Link, Points
from jaxviz.picture.layout.measure import SMALL, text_width
from jaxviz.picture.layout.region import Region, layout_region
from jaxviz.picture.layout.step.atoms import Atom, Geometry, Rect
from jaxviz.picture.layout.step.bundles import Bundle
from jaxviz.picture.model.outline import Item

BESIDE = 6
"""Between an atom and the label under it, px."""


@dataclass(frozen=True)
class Stack:
    """What is drawn, px from its own upper left corner."""

    cells: list[Cell]
    links: list[Link]
    width: float
    height: float


@dataclass(frozen=True)
class Lanes(Stack):
    """The lanes, and where each stands."""

    geometry: Geometry


@dataclass(frozen=True)
class _End:
    """Where an edge ends: a box of the region, how far right of its centre, and the item there."""

    box: int
    x: float
    id: str
    rect: Rect | None = None
    """Where that item is among the lanes."""
    clear: bool = True
    """Whether nothing stands between it and their border."""


@dataclass(frozen=True)
class _Edge:
    source: _End
    target: _End
    vars: dict[int, None]


def stack_around(
    lanes: Lanes,
    atoms: Sequence[Atom],
    bundles: Sequence[Bundle],
    cell_of: Callable[[Atom], Cell],
) -> Stack:
    """The lanes are one box of a region."""
    inputs = [one for one in atoms if one.column == "inputs"]
    within = [one for one in atoms if one.list is not None]
    rest = [one for one in atoms if one.column in ("after", "outputs")]
    block = len(inputs)
    box = {one: index for index, one in enumerate(inputs)}
    box |= {one: block + 1 + index for index, one in enumerate(rest)}
    width = [*(one.w for one in inputs), lanes.width, *(one.w for one in rest)]
    height = [*(one.h for one in inputs), lanes.height, *(one.h for one in rest)]
    reach = [BESIDE + text_width(cell_of(one).type, SMALL) for one in box]
    reach.insert(block, 0.0)
    edges = _edges_of(lanes, within, bundles, box, block)
    placement = layout_region(
        Region(
            width=width,
            height=height,
            source=[edge.source.box for edge in edges],
            target=[edge.target.box for edge in edges],
            source_x=[edge.source.x for edge in edges],
            target_x=[edge.target.x if edge.target.rect else math.nan for edge in edges],
            reach=reach,
        )
    )

    def corner(at: int) -> tuple[float, float]:
        return placement.x[at] - width[at] / 2, placement.y[at] - height[at] / 2

    for atom, at in box.items():
        atom.x, atom.y = corner(at)
    x, y = corner(block)
    links = [moved_link(link, x, y) for link in lanes.links]
    for edge, middle, cut in zip(edges, placement.points, placement.cut, strict=True):
        points = [*_tail(edge.source, x, y), *middle, *_head(edge.target, x, y)]
        way = "down" if edge.target.clear else "right"
        links.append(Link(edge.source.id, edge.target.id, list(edge.vars), points, way, cut))
    return Stack(
        [*(moved_cell(cell, x, y) for cell in lanes.cells), *map(cell_of, box)],
        [*links, *_singly(lanes, bundles, x, y)],
        placement.width,
        placement.height,
    )


def _tail(end: _End, x: float, y: float) -> Points:
    """From an item to the border below it."""
    rect = end.rect
    if rect is None:
        return []
    if end.clear:
        return [(x + rect.x + rect.w / 2, y + rect.y + rect.h)]
    side, level = x + rect.x + rect.w, y + rect.y + rect.h / 2
    return [(side, level), (side + BESIDE, level)]


def _head(end: _End, x: float, y: float) -> Points:
    """From the border above to an item."""
    rect = end.rect
    if rect is None:
        return []
    if end.clear:
        return [(x + rect.x + rect.w / 2, y + rect.y)]
    level = y + rect.y + rect.h / 2
    return [(x + rect.x - BESIDE, level), (x + rect.x, level)]


def _edges_of(
    lanes: Lanes,
    within: Sequence[Atom],
    bundles: Sequence[Bundle],
    box: Mapping[Atom, int],
    block: int,
) -> list[_Edge]:
    """One edge for all between the same boxes and lanes. Inputs are not led to the backward lane:
    they say themselves that they go there."""

    def end_of(atom: Atom, leaves: bool) -> _End:
        if atom in box:
            return _End(box[atom], 0.0, atom.item.id)
        item, rect = _around(lanes.geometry, atom) or (atom.item, _rect(atom))
        clear = all(
            one.column != atom.column
            or _inside(one, rect)
            or (one.y < rect.y if leaves else one.y > rect.y)
            for one in within
        )
        at = rect.x + rect.w + BESIDE if leaves else rect.x - BESIDE
        at = rect.x + rect.w / 2 if clear else at
        return _End(block, at - lanes.width / 2, item.id, rect, clear)

    found: dict[tuple[str, str], _Edge] = {}
    for bundle in bundles:
        source, target = bundle.source, bundle.target
        if source.list is not None and target.list is not None:
            continue
        if source.column == "inputs" and target.column == "backward":
            continue
        ends = end_of(source, True), end_of(target, False)
        edge = found.setdefault((ends[0].id, ends[1].id), _Edge(*ends, {}))
        edge.vars.update(dict.fromkeys(bundle.vars))
    return list(found.values())


def _singly(lanes: Lanes, bundles: Sequence[Bundle], x: float, y: float) -> list[Link]:
    """Each atom's own edge from above or below, of which those of its lane tell at rest."""
    links: list[Link] = []
    for bundle in bundles:
        source, target = bundle.source, bundle.target
        leaves = source.list is not None
        atom = source if leaves else target
        if leaves == (target.list is not None):
            continue
        named = source.column == "inputs" and target.column == "backward"
        if not named and _around(lanes.geometry, atom) is None:
            continue
        level = y + atom.mid
        left, right = x + atom.x, x + atom.x + atom.w
        low, high = y + lanes.height + BESIDE, y - BESIDE
        start, end = source.x + source.w / 2, target.x + target.w / 2
        points = (
            [(right, level), (right + BESIDE, level), (right + BESIDE, low), (end, low),
             (end, target.y)]
            if leaves
            else [(start, source.y + source.h), (start, high), (left - BESIDE, high),
                  (left - BESIDE, level), (left, level)]
        )  # fmt: skip
        way = "down" if leaves else "right"
        links.append(Link(source.item.id, target.item.id, bundle.vars, points, way, True))
    return links


def _around(geometry: Geometry, atom: Atom) -> tuple[Item, Rect] | None:
    """The outermost open group of an atom's lane, if it holds the atom."""
    frame = geometry.frames.get(atom.column)
    return frame if frame and _inside(atom, frame[1]) else None


def _rect(atom: Atom) -> Rect:
    return Rect(atom.x, atom.y, atom.w, atom.h)


def _inside(atom: Atom, rect: Rect) -> bool:
    return rect.y <= atom.y and atom.y + atom.h <= rect.y + rect.h


def moved_cell(cell: Cell, x: float, y: float) -> Cell:
    return replace(cell, x=cell.x + x, y=cell.y + y, type_x=cell.type_x + x, type_y=cell.type_y + y)


def moved_link(link: Link, x: float, y: float) -> Link:
    mention = link.mention
    return replace(
        link,
        points=[(px + x, py + y) for px, py in link.points],
        label_x=link.label_x + x,
        label_y=link.label_y + y,
        mention=mention and replace(mention, x=mention.x + x, y=mention.y + y),
    )
