"""What is drawn of how two programs differ: a class for each box, signs, and a line of both."""

from __future__ import annotations

from typing import NamedTuple

from jaxviz.picture.layout.caption import is_pill
from jaxviz.picture.layout.scene import Box, Scene
from jaxviz.picture.model.compared import KINDS, RETYPED, SAME, Differences, Told, told
from jaxviz.picture.model.outline import Outline


class Badge(NamedTuple):
    """A sign, perhaps with how many there are, in the colours of its class."""

    paint: str
    text: str


class Marked(NamedTuple):
    paints: list[str]
    """By box the class of its colours."""
    badges: list[list[Badge]]
    """By box what stands at its corner."""
    before: str
    after: str
    """What the programs are called."""
    told: list[Told]


def marked(outline: Outline, scene: Scene, differences: Differences, eqns: str) -> Marked:
    kinds = [differences.kind(outline, box.item, box.open) for box in scene.boxes]
    compared = differences.compared
    alike = compared.before == compared.after
    return Marked(
        [paint_of(box, kind) for box, kind in zip(scene.boxes, kinds, strict=True)],
        [
            _badges(outline, box, kind, differences)
            for box, kind in zip(scene.boxes, kinds, strict=True)
        ],
        "before" if alike else compared.before,
        "after" if alike else compared.after,
        told(differences, eqns),
    )


def paint_of(box: Box, kind: int) -> str:
    if kind != SAME:
        return KINDS[kind].name
    return "pill" if is_pill(box.item) else "same"


def _badges(outline: Outline, box: Box, kind: int, differences: Differences) -> list[Badge]:
    """Of a closed box that holds eqns, how many of each kind; none where only types differ."""
    if kind >= RETYPED:
        return []
    if box.open or not box.item.foldable or box.item.start == box.item.stop:
        return [Badge(KINDS[kind].name, KINDS[kind].sign)]
    held = differences.held(outline, box.item)[:RETYPED]
    return [
        Badge(KINDS[one].name, f"{KINDS[one].sign}{count:,}")
        for one, count in enumerate(held)
        if count
    ]
