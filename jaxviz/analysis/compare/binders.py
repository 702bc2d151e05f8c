"""Which inputs, consts or results of one graph are which of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.compare.sequences import common


class Binder(NamedTuple):
    """What an input, a const or a result is known by."""

    place: Hashable
    """What it is to the graph's user: its path, or what feeds it. None where that is not known."""
    type: str
    sort: Hashable
    """What stays of its type where its shape changes."""


def binder(stage: schema.Stage, graph: schema.Graph, var: int, place: Hashable) -> Binder:
    aval = stage.avals[graph.vars[var].aval]
    rank = None if aval.shape is None else len(aval.shape)
    return Binder(place or None, aval.text, (aval.kind, aval.dtype, rank))


def in_order(before: Sequence[Binder], after: Sequence[Binder]) -> dict[int, int]:
    """One by one where they are as many, and their places do not say that one has gone and another
    one has come; else as `by_place`."""
    if len(before) == len(after):
        same = pairs_of_places(before, after)
        moved = any(a != b for a, b in same.items())
        if not moved or any(x >= y for x, y in pairwise(same.values())):
            return {at: at for at in range(len(before))}
    return by_place(before, after, renamed=False)


def by_place(
    before: Sequence[Binder], after: Sequence[Binder], renamed: bool = True
) -> dict[int, int]:
    """By their places where both have these; of the rest those of equal types in one order, and
    then of equal sorts: an argument may have another name now. Without `renamed` a place that is
    known and not met again is gone."""
    pairs = pairs_of_places(before, after)
    for key in (lambda one: one.type, lambda one: one.sort):
        rest = [
            at
            for at, one in enumerate(before)
            if at not in pairs and (renamed or one.place is None)
        ]
        taken = set(pairs.values())
        others = [at for at in range(len(after)) if at not in taken]
        numbers: dict[Hashable, int] = {}

        def of(one: Binder, key=key, numbers=numbers) -> int:
            return numbers.setdefault(key(one), len(numbers))

        found = common([of(before[at]) for at in rest], [of(after[at]) for at in others])
        pairs.update({rest[a]: others[b] for a, b in found})
    return pairs


def pairs_of_places(before: Sequence[Binder], after: Sequence[Binder]) -> dict[int, int]:
    places = {place: at for at, place in enumerate(told(after)) if place is not None}
    return {at: places[place] for at, place in enumerate(told(before)) if place in places}


def told(binders: Sequence[Binder]) -> list[Hashable]:
    """Their places, those that come again told apart."""
    met: Counter[Hashable] = Counter()
    found: list[Hashable] = []
    for one in binders:
        found.append(None if one.place is None else (one.place, met[one.place]))
        met[one.place] += 1
    return found
