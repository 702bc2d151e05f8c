"""What names the values of cut wires. As `js/src/layout/mentions.ts`."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz import schema
from jaxviz.picture.layout.caption import name_of
from jaxviz.picture.layout.measure import SMALL, text_width
from jaxviz.picture.layout.wires import BORDER, Wiring
from jaxviz.picture.model.outline import Item, Outline

MENTION_HEIGHT, MENTION_SIDE = 16, 4


def mentions_of(
    items: Sequence[Item], wiring: Wiring, cut: Sequence[int], where: str
) -> dict[int, list[int]]:
    """The cut wires whose far end is told at such a place, by item (or by port of the border).

    `where` is `user` (beside it), `output` (in it) or `border`.
    """
    found: dict[int, list[int]] = {}
    for index in cut:
        item, port = wiring.wires[index].target
        place = "border" if item == BORDER else "output" if items[item].is_output else "user"
        if place == where:
            found.setdefault(port if place == "border" else item, []).append(index)
    return found


def mention_text(
    outline: Outline, graph: schema.Graph, wiring: Wiring, indices: Sequence[int]
) -> str:
    """The name of what some wires carry: that of the first value, and how many others there are."""
    variables = [var for index in indices for var in wiring.wires[index].vars]
    name = name_of(graph, outline.flow(graph).producer[variables[0]], variables[0])
    return name if len(variables) == 1 else f"{name} +{len(variables) - 1}"


def mention_width(text: str) -> float:
    return text_width(text, SMALL) + 2 * MENTION_SIDE
