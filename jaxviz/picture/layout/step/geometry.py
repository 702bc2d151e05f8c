"""Sizes and places of what a step is drawn of. As `js/src/layout/step/geometry.ts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jaxviz.picture.layout.measure import FRAME_TITLE, SMALL, text_width
from jaxviz.picture.layout.region import Region, layout_region
from jaxviz.picture.layout.step.atoms import (
    ARC,
    COLUMNS,
    Atom,
    Drawn,
    Geometry,
    List,
    Place,
    Rect,
)
from jaxviz.picture.layout.step.bundles import Bundle, Label, carried, label_of
from jaxviz.picture.layout.step.lanes import LANES
from jaxviz.picture.model.outline import Item

GAP = 30
"""Between rows stand the type of what flows on and the names of what comes from afar."""
PAD = 18
GUTTER_LEAST, GUTTER_AROUND = 40, 40
"""Between columns: at least this, and this around what is written there."""
BESIDE = 6
"""Between the middle of a lane and what is written beside it."""

Columns = Mapping[str, tuple[float, float]]


def measure(rows: List, types: Mapping[Atom, str]) -> None:
    """Sizes from the inside out. The closed groups of a lane are of one width."""
    for lane in LANES:
        own = [place.atoms[lane] for place in rows.places if lane in place.atoms]
        closed = [one for one in own if one.item.kind == "group" and one.frame is None]
        wide = max((one.w for one in closed), default=0)
        for one in closed:
            one.w = wide
        rows.width[lane] = max((max(one.w, _room(types.get(one, ""))) for one in own), default=0)
    for place in rows.places:
        place.h = max((one.h for one in place.atoms.values()), default=0)
        if place.inner is None:
            continue
        measure(place.inner, types)
        place.h = max(place.h, FRAME_TITLE + place.inner.height + 2 * PAD)
        for lane in LANES:
            if place.row.is_framed(lane):
                rows.width[lane] = max(rows.width[lane], _width_within(place.inner, lane))
    rows.height = sum(place.h + GAP for place in rows.places) - GAP


def _room(type_: str) -> float:
    return 2 * (BESIDE + text_width(type_, SMALL))


def _width_within(rows: List, lane: str) -> float:
    return rows.width[lane] + 2 * (PAD + ARC * rows.arcs)


def place(plan: Drawn, atoms: Sequence[Atom], outer: List, bundles: Sequence[Bundle]) -> Geometry:
    """Gives all atoms their place."""
    columns = _columns(plan, atoms, outer, bundles)
    frames: dict[str, tuple[Item, Rect]] = {}
    bottom = _place_rows(outer, columns, frames, 0.0)
    high = {lane: frames[lane][1].y if lane in frames else 0.0 for lane in LANES}
    for one in atoms:
        if one.column == "after" and "after" in columns:
            one.x += columns["after"][0]
            one.y += high["backward"]
    low = max(bottom, *(one.y + one.h for one in atoms))
    _stack([one for one in atoms if one.column == "inputs"], _left(columns, "inputs"),
           high["forward"])  # fmt: skip
    below = {one.target for one in bundles if one.source.column == "forward"}
    outputs = [one for one in atoms if one.column == "outputs"]
    x = _left(columns, "outputs")
    end = _stack([one for one in outputs if one not in below], x, high["backward"])
    deep = [one for one in outputs if one in below]
    _stack(deep, x, max(end, bottom - (deep[0].h if deep else 0)))
    return Geometry(columns, frames, max(low, *(one.y + one.h for one in atoms)))


def _left(columns: Columns, column: str) -> float:
    return columns[column][0] if column in columns else 0


def _columns(
    plan: Drawn, atoms: Sequence[Atom], outer: List, bundles: Sequence[Bundle]
) -> dict[str, tuple[float, float]]:
    after = _arrange(atoms, bundles)
    columns: dict[str, tuple[float, float]] = {}
    x = 0.0
    for column in COLUMNS:
        if column in LANES:
            width = outer.width[column]
        elif column == "after":
            width = after
        else:
            width = max((one.w for one in atoms if one.column == column), default=0)
        if width <= 0:
            continue
        if column in LANES:
            width += 2 * ARC * outer.arcs
        if columns:
            x += _gutter(plan, bundles, column)
        columns[column] = x, x + width
        x += width
    return columns


def _place_rows(
    rows: List, columns: Columns, frames: dict[str, tuple[Item, Rect]], top: float
) -> float:
    """Gives rows and what they hold their place, and returns where the last one ends."""
    y = top
    for place in rows.places:
        place.y = y
        for lane, atom in place.atoms.items():
            atom.x = _centre(columns, lane) - atom.w / 2
            atom.y = y + (place.h - atom.h) / 2
        if place.inner:
            _place_rows(place.inner, columns, {}, y + FRAME_TITLE + PAD)
            for lane in LANES:
                item = place.row.at(lane)
                if item and place.row.is_framed(lane):
                    frames[lane] = item, rect_of(place, lane, columns)
        y += place.h + GAP
    return y - GAP


def _centre(columns: Columns, lane: str) -> float:
    left, right = columns.get(lane, (0, 0))
    return (left + right) / 2


def rect_of(place: Place, lane: str, columns: Columns) -> Rect:
    """The frame of an open pair in one lane."""
    w = _width_within(place.inner, lane) if place.inner else 0
    return Rect(_centre(columns, lane) - w / 2, place.y, w, place.h)


def _stack(atoms: Sequence[Atom], x: float, top: float) -> float:
    """Below one another, from `top` on. Returns where more would follow."""
    y = top
    for one in atoms:
        one.x = x
        one.y = y
        y += one.h + GAP
    return y


def _arrange(atoms: Sequence[Atom], bundles: Sequence[Bundle]) -> float:
    """What follows the lanes is a small region of its own; gives its width."""
    own = [one for one in atoms if one.column == "after"]
    within = [b for b in bundles if b.source.column == "after" and b.target.column == "after"]
    placement = layout_region(
        Region(
            width=[one.w for one in own],
            height=[one.h for one in own],
            source=[bundle.source.order for bundle in within],
            target=[bundle.target.order for bundle in within],
        )
    )
    for index, one in enumerate(own):
        one.x = placement.x[index] - one.w / 2
        one.y = placement.y[index] - one.h / 2
    return placement.width


def _gutter(plan: Drawn, bundles: Sequence[Bundle], column: str) -> float:
    """The space on the left of a column: room for what is written on the edges to it."""
    labels = [label_of(plan, bundle) for bundle in bundles if bundle.target.column == column]
    if column in ("after", "outputs"):
        labels += _gradients_of(plan, bundles, column)
    wide = max((label.width for label in labels), default=0)
    return max(GUTTER_LEAST, wide + GUTTER_AROUND if wide else 0)


def _gradients_of(plan: Drawn, bundles: Sequence[Bundle], column: str) -> list[Label]:
    """What is written on the edges from the whole backward lane to the atoms of a column."""
    found: dict[Atom, list[int]] = {}
    for bundle in bundles:
        if bundle.source.column == "backward" and bundle.target.column == column:
            found.setdefault(bundle.target, []).extend(bundle.vars)
    return [carried(plan, variables, "gradients") for variables in found.values()]
