"""What is open at first. As `js/src/model/budget.ts`."""

from __future__ import annotations

import math
from typing import NamedTuple

from jaxviz import schema
from jaxviz.picture.model.ids import ROOT, parse
from jaxviz.picture.model.outline import Item, Outline, group_of
from jaxviz.picture.model.pairs import pair_of, partners_in

AREA = 15_000
"""What a box takes of the view with the space around it, where types can still be read: px²."""
LEAST, MOST = 16, 60
"""Boxes that one can take in at a glance, however small the view, and however large."""
MOST_BOXES = 20_000
"""Boxes that "expand all" stops at: a body shared 2^16 times must not fill the memory."""


class View(NamedTuple):
    """Px at zoom 1."""

    width: float
    height: float


CELL = View(900, 540)
"""A cell of a notebook."""


def budget_of(view: View) -> int:
    return max(LEAST, min(MOST, math.floor(view.width * view.height / AREA + 0.5)))


def first_view(outline: Outline, view: View = CELL, most: int = MOST_BOXES) -> list[str]:
    return open_within(outline, budget_of(view), most)


def everything(outline: Outline) -> list[str]:
    return open_within(outline, MOST_BOXES)


def open_within(outline: Outline, budget: int, most: int = MOST_BOXES) -> list[str]:
    """What to open so that at most `budget` boxes show, outer before inner.

    Breadth first, in program order, each item that still fits. A wrapper (the only eqn or group of
    its region) is opened whatever it costs; a forward and its backward group are opened both or
    none, and count once, as they stand side by side; of groups that repeat one another only the
    first is opened, of a pass only what has its counterpart. Wrappers end after `most` boxes.
    """
    opened: dict[str, None] = {}
    repeated: set[tuple[str, str, int]] = set()
    root = outline.children(ROOT)
    boxes = len(root)
    level = [root]
    while level:
        following: list[list[Item]] = []
        shown = {item.id for items in level for item in items}
        for items in level:
            work = sum(item.kind in ("eqn", "group") for item in items)
            graph = outline.graph_at(parse(items[0].id)[0]) if items else outline.stage.graphs[0]
            for item in items:
                if not item.foldable or item.kind == "gathered" or item.id in opened:
                    continue
                group = group_of(graph, item)
                kind = (graph.name, group.role, group.alike) if group else ("", "", -1)
                if budget < MOST_BOXES and kind[2] >= 0 and kind in repeated:
                    continue
                if budget < MOST_BOXES and group and _is_unpaired(graph, item, group):
                    continue
                pair = [id for id in pair_of(outline, item.id) if id in shown] if group else []
                held = [outline.children(id) for id in (item.id, *pair)]
                more = max(map(len, held))
                wrapper = work == 1 and more <= most
                if not wrapper and boxes + more > budget:
                    continue
                opened.update(dict.fromkeys((item.id, *pair)))
                repeated.add(kind)
                boxes += more
                following += held
        level = [] if boxes > most else following
    return list(opened)


def _is_unpaired(graph: schema.Graph, item: Item, group: schema.Group) -> bool:
    """Whether a part of a pass has no counterpart in the other one."""
    if not group.role or group.parent is None or graph.groups[group.parent].role != group.role:
        return False
    return not partners_in(graph, parse(item.id)[1].index)
