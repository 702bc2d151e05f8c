"""The texts on a box, cut to what is drawn. As `js/src/layout/caption.ts`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jaxviz import schema
from jaxviz.picture.layout.measure import (
    APART,
    BOX_HEIGHT,
    BOX_LEAST,
    BOX_SIDE,
    CHIP_HEIGHT,
    CHIP_LEAST,
    CHIP_SIDE,
    FOLD,
    FONT,
    PILL_HEIGHT,
    PILL_LEAST,
    PILL_SIDE,
    SMALL,
    head,
    one_line,
    tail,
    text_width,
)
from jaxviz.picture.model.family import plain_name
from jaxviz.picture.model.outline import Item, Outline
from jaxviz.picture.model.types import type_label

LITERAL, TYPE, NAME, ELEMENT = 10, 30, 24, 20
"""Columns that texts are cut to."""


@dataclass(frozen=True)
class Room:
    """Columns of the texts on a box."""

    label: int
    note: int


ROOM = Room(label=36, note=30)
LANE = Room(label=24, note=14)
"""The same in a lane, beside which others stand."""


@dataclass(frozen=True)
class Caption:
    label: str
    note: str
    """What distinguishes it, fainter: literals and telling parameters."""
    count: str
    """Eqns or leaves inside."""


def is_pill(item: Item) -> bool:
    return item.kind in ("input", "output", "const", "gathered")


def caption_of(outline: Outline, graph: schema.Graph, item: Item, room: Room = ROOM) -> Caption:
    if item.free:
        return Caption(label=_chip(item), note="", count="")
    literals: list[str] = []
    if item.kind == "eqn":
        literals = literals_of(graph, graph.eqns[item.start], _written(outline, graph, item))
    return Caption(
        label=_label(item, room.label) or "·",
        note=head(one_line(" ".join(filter(None, [*literals, item.detail]))), room.note),
        count=f"{item.count:,}" if item.count > 0 else "",
    )


_MARK = re.compile(" [⟵↻]\\Z")


def _chip(item: Item) -> str:
    """`#2 …['w']`: which element, and the argument that it is."""
    first, _, argument = one_line(item.detail or item.label).partition(" ")
    return f"{first} {tail(argument, ELEMENT)}".strip()


def _written(outline: Outline, graph: schema.Graph, item: Item) -> Mapping[int, str]:
    """What a loop begins with is told by what it holds: it is many values, and they change."""
    loop = plain_name(graph.eqns[item.start].op) == "while"
    return {} if loop else outline.literals(graph)


def _label(item: Item, room: int) -> str:
    """What runs backward, or again, says so at its end, however long its name is."""
    if is_pill(item):
        return tail(one_line(item.label), room)
    mark = _MARK.search(item.label)
    name = item.label[: mark.start()] if mark else item.label
    end = mark[0] if mark else ""
    return head(one_line(name), room - len(end)) + end


def literals_of(
    graph: schema.Graph, eqn: schema.Eqn, written: Mapping[int, str] = MappingProxyType({})
) -> list[str]:
    """The literal operands of an eqn without their types: `2.0` of `2.0:f32[]`; of later stages
    what is written on it."""
    return [
        head(
            re.sub(r":[^:]*\Z", "", graph.vars[var].name)
            if graph.vars[var].literal
            else written[var],
            LITERAL,
        )
        for var in eqn.invars
        if graph.vars[var].literal or var in written
    ]


def size_of(item: Item, caption: Caption) -> tuple[float, float]:
    """The size of a closed box, or of an open one's title."""
    height, least, side = BOX_HEIGHT, BOX_LEAST, BOX_SIDE
    if item.free:
        height, least, side = CHIP_HEIGHT, CHIP_LEAST, CHIP_SIDE
    elif is_pill(item):
        height, least, side = PILL_HEIGHT, PILL_LEAST, PILL_SIDE
    size = SMALL if item.free else FONT
    wide = float(-APART)
    for text in filter(None, (caption.label, caption.note, caption.count)):
        wide = wide + text_width(text, size) + APART
    fold = FOLD if item.foldable else 0
    return math.ceil(max(least, wide + fold + 2 * side)), height


def types_of(stage: schema.Stage, graph: schema.Graph, variables: list[int]) -> str:
    """What flows out of a box: `f32[8,64]`, `f32[8] ×3`, `f32[8], …`."""
    texts = [type_label(stage, stage.avals[graph.vars[var].aval]) for var in variables]
    if not texts:
        return ""
    first = head(texts[0], TYPE)
    if len(texts) == 1:
        return first
    return f"{first} ×{len(texts)}" if set(texts) == {texts[0]} else f"{first}, …"


def name_of(graph: schema.Graph, producer: int, variable: int) -> str:
    """What a value is called where it is used far from where it is made."""
    name = graph.vars[variable].name
    if producer >= 0:
        return head(f"{name} = {graph.eqns[producer].op}", NAME)
    path = graph.args[graph.invars.index(variable)] if variable in graph.invars else ""
    return tail(one_line(path or name), NAME)
