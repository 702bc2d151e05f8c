"""What is open at first. As `js/src/state/budget.ts`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import NamedTuple

from jaxviz import schema
from jaxviz.picture.model.compared import ADDED, REMOVED, Differences, is_loud
from jaxviz.picture.model.detail import applies_body
from jaxviz.picture.model.ids import ROOT, parse
from jaxviz.picture.model.outline import Item, Outline, group_of
from jaxviz.picture.model.pairs import pair_of

AREA = 15_000
"""What a box takes of the view with the space around it, where types can still be read: px²."""
LEAST, MOST = 24, 60
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


class Region(NamedTuple):
    """The items of one region that show, and the group that holds them."""

    graph: schema.Graph
    group: schema.Group | None
    items: list[Item]


Worth = Callable[[Item, Region, Collection[str]], bool]
"""Whether to open an item of a region, of which that is open."""


def first_view(
    outline: Outline,
    view: View = CELL,
    most: int = MOST_BOXES,
    differences: Differences | None = None,
) -> list[str]:
    """Of two programs, of which `differences` tell, what holds changes beside what is the same,
    unless all are of types."""
    worth = _changing(outline, differences) if differences and differences.loud else _telling()
    return open_within(outline, budget_of(view), most, worth)


def everything(outline: Outline) -> list[str]:
    return open_within(outline, MOST_BOXES)


def open_within(
    outline: Outline,
    budget: int,
    most: int = MOST_BOXES,
    worth: Worth = lambda _item, _region, _opened: True,
) -> list[str]:
    """What to open so that at most `budget` boxes show, outer before inner.

    Breadth first, what holds the most before others, each item that still fits and is `worth` it.
    A wrapper (the only eqn or group of its region) is opened whatever it costs, up to `most` boxes;
    a forward and its backward group are opened both or none, and count once, as they stand side by
    side.
    """
    opened: dict[str, None] = {}
    root = outline.drawn(ROOT)
    boxes = len(root)
    level = [Region(outline.stage.graphs[0], None, root)]
    while level:
        following: list[Region] = []
        shown = {item.id for region in level for item in region.items}
        for region in level:
            single = sum(map(_is_work, region.items)) == 1
            for item in _largest_first(region):
                if not item.foldable or item.kind == "gathered" or item.id in opened:
                    continue
                inner = _is_inner(region, item)
                if not (single and not inner) and not worth(item, region, opened):
                    continue
                together = [item.id, *(id for id in pair_of(outline, item.id) if id in shown)]
                held = [_region_of(outline, id) for id in together]
                more = max(len(one.items) for one in held)
                if not (single and more <= most) and boxes + more > budget:
                    continue
                opened.update(dict.fromkeys(together))
                boxes += more
                following += held
        level = [] if boxes > most else following
    return list(opened)


def _largest_first(region: Region) -> list[Item]:
    """An optimizer comes behind the passes, which it follows."""

    def order(item: Item) -> tuple[bool, int]:
        group = group_of(region.graph, item)
        return group is not None and group.role == "optimizer", -item.count

    return sorted(region.items, key=order)


def _is_inner(region: Region, item: Item) -> bool:
    """Whether it holds but how an operation works inside: of a reduction how two values become
    one, of a fusion, where there is more to see, what it was made from."""
    op = region.graph.eqns[item.start].op if item.kind == "eqn" else ""
    return applies_body(op) or (op == "fusion" and bool(region.graph.groups))


def _is_work(item: Item) -> bool:
    return item.kind in ("eqn", "group")


def _telling() -> Worth:
    """What the first view opens: of groups that repeat one another the first, and of a pass of a
    training step only what is most of it: the names of its parts tell enough. The optimizer stays
    closed where the passes do."""
    seen: set[tuple[str, str, int]] = set()

    def worth(item: Item, region: Region, opened: Collection[str]) -> bool:
        if _is_inner(region, item):
            return False
        group = group_of(region.graph, item)
        repeats = False
        if group:
            key = region.graph.name, group.role, group.alike
            repeats = group.alike >= 0 and key in seen
            seen.add(key)
        if group and group.role == "optimizer" and _passes_closed(region, opened):
            return False
        if region.group is None or not region.group.role:
            return not repeats
        whole = sum(max(1, one.count) for one in region.items if _is_work(one))
        alike = group is not None and group.kind == "repeat"
        return not repeats and not alike and 2 * item.count >= whole

    return worth


def _changing(outline: Outline, differences: Differences) -> Worth:
    tells = _telling()

    def worth(item: Item, region: Region, opened: Collection[str]) -> bool:
        if differences.kind(outline, item, opened=False) in (ADDED, REMOVED):
            return tells(item, region, opened)
        return not _is_inner(region, item) and is_loud(differences.held(outline, item))

    return worth


def _passes_closed(region: Region, opened: Collection[str]) -> bool:
    """Whether a pass of the step is closed."""
    groups = ((item.id, group_of(region.graph, item)) for item in region.items)
    return any(group and group.role == "forward" and id not in opened for id, group in groups)


def _region_of(outline: Outline, id: str) -> Region:
    items = outline.drawn(id)
    graph = outline.graph_at(parse(items[0].id)[0] if items else ROOT)
    step = parse(id)[1]
    return Region(graph, graph.groups[step.index] if step.kind == "group" else None, items)
