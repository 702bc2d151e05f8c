"""A training step in lanes: forward running down, backward beside it running up, the update of the
parameters beside that. As `js/src/layout/step/lanes.ts`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from jaxviz import schema
from jaxviz.picture.model.ids import parse
from jaxviz.picture.model.outline import Item, Outline, group_of

LANES = ("forward", "backward", "update")

DEEPEST = 6
"""Parts nest in lanes this deep; what lies deeper is laid out on its own."""
MOST_LOOSE = 8
"""Items beside the forward and the backward pass that may stand above, below or between."""
SHARE = 5
"""Parts of a pair stand in rows where at least one of so many has its twin."""


@dataclass(frozen=True)
class Row:
    """What stands side by side: a forward item, its derivative, the update of its parameters.
    Where both of the first are open and their parts pair too, these are rows within."""

    forward: Item | None
    backward: Item | None = None
    update: Item | None = None
    rows: list[Row] | None = None

    def at(self, lane: str) -> Item | None:
        if lane == "forward":
            return self.forward
        return self.backward if lane == "backward" else self.update

    def is_framed(self, lane: str) -> bool:
        """Whether its part of a lane is a frame around the rows within."""
        if self.rows is None:
            return False
        return lane != "update" or any(row.update for row in self.rows)


@dataclass(frozen=True)
class Step:
    inputs: list[Item]
    rows: list[Row]
    after: list[Item]
    """What follows the backward pass and pairs with no row."""
    outputs: list[Item]


@dataclass(frozen=True)
class _Opened:
    """What of a graph is open."""

    outline: Outline
    graph: schema.Graph
    ids: Collection[str]

    def derivative(self, items: Sequence[Item]) -> Item | None:
        """The one open group that is the derivative of another."""
        found = [item for item in items if self.role(item) == "backward"]
        return found[0] if len(found) == 1 and found[0].id in self.ids else None

    def twinned(self, forward: Item, other: Item) -> bool:
        """Whether both are open, and one is the derivative of the other."""
        group = group_of(self.graph, other)
        twin = group is not None and group.twin is not None and group.twin == _index(forward)
        return twin and forward.id in self.ids and other.id in self.ids

    def role(self, item: Item) -> str:
        group = group_of(self.graph, item)
        return group.role if group else ""


def step_of(
    outline: Outline, graph: schema.Graph, ids: Collection[str], items: Sequence[Item]
) -> Step | None:
    """The lanes of a region, None where it holds no open pair of a forward pass (or its
    recomputation) and a backward one, or where it is not clear what belongs beside what."""
    opened = _Opened(outline, graph, ids)
    backward = opened.derivative(items)
    if backward is None:
        return None
    forward = next((item for item in items if opened.twinned(item, backward)), None)
    if forward is None or backward.start < forward.stop:
        return None
    work = [item for item in items if item.kind in ("eqn", "group")]
    after = [item for item in work if item.start >= backward.stop]
    updates = (one for one in after if opened.role(one) == "optimizer" and one.id in ids)
    update = next(updates, None)
    rows = _pair_up(opened, forward, backward, update, 0)
    if rows is None:
        return None
    known = {forward.id, backward.id, *(item.id for item in after)}
    loose = [item for item in work if item.id not in known]
    if len(loose) > MOST_LOOSE:
        return None
    paired = update is not None and any(row.update for row in rows)
    lanes = Row(forward, backward, update if paired else None, rows)
    return Step(
        inputs=[i for i in items if not i.is_output and i.kind not in ("eqn", "group")],
        rows=[
            *(Row(item) for item in loose if item.stop <= forward.start),
            lanes,
            *(Row(item) for item in loose if item.start >= forward.stop),
        ],
        after=[item for item in after if item is not update] if paired else after,
        outputs=[item for item in items if item.is_output],
    )


def lane_of(step: Step, lane: str) -> list[Item]:
    """The items of one lane that are no frames around others, from top to bottom."""
    found: list[Item] = []
    waiting = step.rows[::-1]
    while waiting:
        row = waiting.pop()
        item = row.at(lane)
        if row.is_framed(lane):
            waiting += (row.rows or [])[::-1]
        elif item:
            found.append(item)
    return found


def atoms_of(step: Step) -> list[Item]:
    """The items of a step that are drawn as one."""
    lanes = [item for lane in LANES for item in lane_of(step, lane)]
    return [*step.inputs, *lanes, *step.after, *step.outputs]


def _pair_up(
    opened: _Opened, forward: Item, backward: Item, update: Item | None, depth: int
) -> list[Row] | None:
    """The rows within a pair, None where too few of its parts pair. No deeper than `DEEPEST`."""
    down = opened.outline.drawn(forward.id)
    up = opened.outline.drawn(backward.id)[::-1]
    aside = opened.outline.drawn(update.id) if update else []
    pairs = _ascending(_twins(opened.graph, down, up))
    updates = _twins(opened.graph, down, aside)
    if not pairs or len(pairs) * SHARE < max(len(down), len(up)):
        return None
    paired = updates if len(updates) * 2 >= len(aside) else []
    updated = {down[one].id: aside[other] for one, other in paired}
    rows: list[Row] = []
    for one, other in _zip(down, up, pairs):
        row = Row(one, other, updated.get(one.id) if one else None)
        if one and other and depth < DEEPEST and opened.twinned(one, other):
            row = replace(row, rows=_pair_up(opened, one, other, None, depth + 1))
        rows.append(row)
    placed = {item.id for item in updated.values()}
    rest = [item for item in aside if paired and item.id not in placed]
    return [*rows, *(Row(None, update=item) for item in rest)]


def _index(item: Item) -> int | None:
    return parse(item.id)[1].index if item.kind == "group" else None


def _twins(
    graph: schema.Graph, first: Sequence[Item], second: Sequence[Item]
) -> list[tuple[int, int]]:
    """For each item of the second list that has its twin in the first: both their positions."""
    at = {_index(item): position for position, item in enumerate(first) if item.kind == "group"}
    found: list[tuple[int, int]] = []
    for index, item in enumerate(second):
        group = group_of(graph, item)
        if group and group.twin is not None and group.twin in at:
            found.append((at[group.twin], index))
    return found


def _ascending(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Of pairs of positions the longest ascending run of both, so that no two cross."""
    ends: list[int] = []
    before: list[int] = []
    for index, (position, _) in enumerate(pairs):
        at = len(ends)
        while at > 0 and pairs[ends[at - 1]][0] >= position:
            at -= 1
        before.append(ends[at - 1] if at > 0 else -1)
        ends[at : at + 1] = [index]
    kept: dict[int, int] = {}
    at = ends[-1] if ends else -1
    while at >= 0:
        kept[pairs[at][0]] = pairs[at][1]
        at = before[at]
    return kept


def _zip(
    first: Sequence[Item], second: Sequence[Item], pairs: dict[int, int]
) -> list[tuple[Item | None, Item | None]]:
    """Both lists side by side: pairs on one row, and what lies between two pairs next to each
    other."""
    rows: list[tuple[Item | None, Item | None]] = []
    one = other = 0
    for stop, until in [*sorted(pairs.items()), (len(first), len(second))]:
        for by in range(max(stop - one, until - other)):
            left = first[one + by] if one + by < stop else None
            rows.append((left, second[other + by] if other + by < until else None))
        if stop < len(first):
            rows.append((first[stop], second[until]))
        one, other = stop + 1, until + 1
    return rows
