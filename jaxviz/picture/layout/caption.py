"""The texts on a box, cut to what is drawn. As `js/src/layout/caption.ts`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from jaxviz import schema
from jaxviz.picture.layout.measure import (
    APART,
    BOX_HEIGHT,
    BOX_LEAST,
    BOX_SIDE,
    FOLD,
    PILL_HEIGHT,
    PILL_LEAST,
    PILL_SIDE,
    head,
    one_line,
    tail,
    text_width,
)
from jaxviz.picture.model.outline import Item

LITERAL, TYPE, NAME = 10, 30, 24
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


def caption_of(item: Item, graph: schema.Graph, room: Room = ROOM) -> Caption:
    literals = literals_of(graph, graph.eqns[item.start]) if item.kind == "eqn" else []
    return Caption(
        label=_label(item, room.label) or "·",
        note=head(one_line(" ".join(filter(None, [*literals, item.detail]))), room.note),
        count=f"{item.count:,}" if item.count > 0 else "",
    )


_MARK = re.compile(" [⟵↻]\\Z")


def _label(item: Item, room: int) -> str:
    """What runs backward, or again, says so at its end, however long its name is."""
    if is_pill(item):
        return tail(one_line(item.label), room)
    mark = _MARK.search(item.label)
    name = item.label[: mark.start()] if mark else item.label
    end = mark[0] if mark else ""
    return head(one_line(name), room - len(end)) + end


def literals_of(graph: schema.Graph, eqn: schema.Eqn) -> list[str]:
    """The literal operands of an eqn without their types: `2.0` of `2.0:f32[]`."""
    return [
        head(re.sub(r":[^:]*\Z", "", graph.vars[var].name), LITERAL)
        for var in eqn.invars
        if graph.vars[var].literal
    ]


def size_of(item: Item, caption: Caption) -> tuple[float, float]:
    """The size of a closed box, or of an open one's title."""
    height, least, side = (
        (PILL_HEIGHT, PILL_LEAST, PILL_SIDE) if is_pill(item) else (BOX_HEIGHT, BOX_LEAST, BOX_SIDE)
    )
    wide = float(-APART)
    for text in filter(None, (caption.label, caption.note, caption.count)):
        wide = wide + text_width(text) + APART
    fold = FOLD if item.foldable else 0
    return math.ceil(max(least, wide + fold + 2 * side)), height


def types_of(stage: schema.Stage, graph: schema.Graph, variables: list[int]) -> str:
    """What flows out of a box: `f32[8,64]`, `f32[8] ×3`, `f32[8], …`."""
    texts = [stage.avals[graph.vars[var].aval].text for var in variables]
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
