"""The lanes of a step with the inputs above and the rest below, for a view too narrow to have them
side by side. As `js/src/layout/step/stacked.ts`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from jaxviz.picture.layout.frame import Cell, Link
from jaxviz.picture.layout.measure import SMALL, text_width
from jaxviz.picture.layout.region import Region, layout_region
from jaxviz.picture.layout.step.atoms import Atom, Geometry, Rect
from jaxviz.picture.layout.step.bundles import Bundle

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


def stack_around(
    lanes: Lanes,
    atoms: Sequence[Atom],
    bundles: Sequence[Bundle],
    cell_of: Callable[[Atom], Cell],
) -> Stack:
    """The lanes are one box of a region."""
    inputs = [one for one in atoms if one.column == "inputs"]
    rest = [one for one in atoms if one.column in ("after", "outputs")]
    block = len(inputs)
    place = {one: index for index, one in enumerate(inputs)}
    place |= {one: block + 1 + index for index, one in enumerate(rest)}
    width = [*(one.w for one in inputs), lanes.width, *(one.w for one in rest)]
    height = [*(one.h for one in inputs), lanes.height, *(one.h for one in rest)]
    reach = [BESIDE + text_width(cell_of(one).type, SMALL) for one in (*inputs, *rest)]
    reach.insert(block, 0.0)
    edges = _edges_of(lanes, bundles, place, block)
    placement = layout_region(
        Region(
            width=width,
            height=height,
            source=[source.box for source, _ in edges],
            target=[target.box for _, target in edges],
            source_x=[source.x for source, _ in edges],
            target_x=[target.x for _, target in edges],
            reach=reach,
        )
    )

    def corner(box: int) -> tuple[float, float]:
        return placement.x[box] - width[box] / 2, placement.y[box] - height[box] / 2

    for atom, box in place.items():
        atom.x, atom.y = corner(box)
    x, y = corner(block)
    links = [
        Link(source.id, target.id, variables, points, "down", cut)
        for ((source, target), variables), points, cut in zip(
            edges.items(), placement.points, placement.cut, strict=True
        )
    ]
    return Stack(
        [*(moved_cell(cell, x, y) for cell in lanes.cells), *map(cell_of, place)],
        [*(moved_link(link, x, y) for link in lanes.links), *links],
        placement.width,
        placement.height,
    )


def _edges_of(
    lanes: Lanes, bundles: Sequence[Bundle], place: Mapping[Atom, int], block: int
) -> dict[tuple[_End, _End], list[int]]:
    """One edge for all between the same boxes and lanes. Inputs are not led to the backward lane:
    they say themselves that they go there."""

    def end_of(atom: Atom) -> _End:
        if atom in place:
            return _End(place[atom], 0.0, atom.item.id)
        frame = lanes.geometry.frames.get(atom.column)
        rect = Rect(atom.x, atom.y, atom.w, atom.h)
        if frame and frame[1].y <= atom.y and atom.y + atom.h <= frame[1].y + frame[1].h:
            rect = frame[1]
        item = frame[0] if frame else atom.item
        return _End(block, rect.x + rect.w / 2 - lanes.width / 2, item.id)

    ends: dict[tuple[str, str], tuple[_End, _End]] = {}
    found: dict[tuple[_End, _End], list[int]] = {}
    for bundle in bundles:
        source, target = bundle.source, bundle.target
        if source.list is not None and target.list is not None:
            continue
        if source.column == "inputs" and target.column == "backward":
            continue
        both = end_of(source), end_of(target)
        both = ends.setdefault((both[0].id, both[1].id), both)
        found[both] = list(dict.fromkeys([*found.get(both, ()), *bundle.vars]))
    return found


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
