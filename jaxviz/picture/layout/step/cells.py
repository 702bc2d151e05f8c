"""What is written at the atoms, and the cells they are. As `js/src/layout/step/cells.ts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jaxviz.picture.layout.caption import LANE, caption_of, types_of
from jaxviz.picture.layout.frame import Cell, Frame
from jaxviz.picture.layout.measure import FRAME_TITLE, SMALL
from jaxviz.picture.layout.step.atoms import Atom, Drawn, Geometry, List, Rect
from jaxviz.picture.layout.step.bundles import Bundle
from jaxviz.picture.layout.step.geometry import BESIDE, rect_of
from jaxviz.picture.layout.step.lanes import LANES
from jaxviz.picture.model.outline import Item


def types_within(plan: Drawn, bundles: Sequence[Bundle]) -> dict[Atom, str]:
    """The type of what flows to the next row; of an input its own type, and where it goes without
    an edge."""
    types: dict[Atom, str] = {}
    beyond: dict[Atom, dict[str, None]] = {}
    for bundle in bundles:
        source, target = bundle.source, bundle.target
        if bundle.kind == "next" and source.frame is None:
            types[source] = types_of(plan.stage, plan.graph, bundle.vars)
        if source.column == "inputs" and target.column != "forward":
            name = target.item.label if target.column == "after" else target.column
            beyond.setdefault(source, {})[name] = None
    for source in (bundle.source for bundle in bundles):
        if source.column != "inputs" or source in types or source.frame:
            continue
        gathered = source.item.kind == "gathered"
        type_ = [] if gathered else [types_of(plan.stage, plan.graph, list(source.item.vars))]
        names = list(beyond.get(source, ()))
        if names:
            type_.append(f"→ {', '.join(names[:2])}{', …' if len(names) > 2 else ''}")
        types[source] = " ".join(type_)
    return types


def cell_of_atom(plan: Drawn, one: Atom, types: Mapping[Atom, str]) -> Cell:
    """The cell of what is drawn as one."""
    up = one.column == "backward"
    rect = Rect(one.x, one.y, one.w, one.h)
    made = _cell(plan, one.item, rect, one.frame, types.get(one, ""), up)
    return replace(made, type_x=one.x + BESIDE) if one.column == "inputs" else made


def _cell(
    plan: Drawn, item: Item, rect: Rect, inner: Frame | None, type_: str, up: bool = False
) -> Cell:
    return Cell(
        item,
        caption_of(plan.outline, plan.graph, item, LANE),
        inner,
        rect.x,
        rect.y,
        rect.w,
        rect.h,
        type_,
        rect.x + rect.w / 2 + BESIDE,
        rect.y - 4 - SMALL if up else rect.y + rect.h + 4,
    )


def cells_of(
    plan: Drawn,
    atoms: Sequence[Atom],
    outer: List,
    geometry: Geometry,
    types: Mapping[Atom, str],
) -> list[Cell]:
    """Cells, those of open pairs within the cells of these."""

    def of_list(rows: List, lane: str) -> list[Cell]:
        cells: list[Cell] = []
        for place in rows.places:
            one, item = place.atoms.get(lane), place.row.at(lane)
            if one:
                cells.append(cell_of_atom(plan, one, types))
            elif item and place.inner:
                rect = rect_of(place, lane, geometry.columns)
                inside = _around(rect, of_list(place.inner, lane))
                cells.append(_cell(plan, item, rect, inside, ""))
        return cells

    def beside(column: str) -> list[Cell]:
        return [cell_of_atom(plan, one, types) for one in atoms if one.column == column]

    return [
        *beside("inputs"),
        *(cell for lane in LANES for cell in of_list(outer, lane)),
        *beside("after"),
        *beside("outputs"),
    ]


def _around(rect: Rect, cells: Sequence[Cell]) -> Frame:
    """A frame around cells that have their place already."""
    moved = [
        replace(
            cell,
            x=cell.x - rect.x,
            y=cell.y - rect.y,
            type_x=cell.type_x - rect.x,
            type_y=cell.type_y - rect.y,
        )
        for cell in cells
    ]
    return Frame(rect.w, rect.h, FRAME_TITLE, moved)
