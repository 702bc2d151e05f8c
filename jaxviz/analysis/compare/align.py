"""Which eqns of one graph are which of another, in an order that never crosses.

Both are in topological order, so a chain that never crosses keeps the union in one. What computes
the same, or is needed for the same, is found first, wherever it is unmistakable; what stays in
between is matched by how much eqns look alike, where that is little enough to try.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from jaxviz.analysis.compare.likeness import Likeness
from jaxviz.analysis.compare.sequences import Pairs, anchors, common, few_edits
from jaxviz.analysis.compare.view import View

SMALL = 3_000
"""Pairs of eqns in a gap of which each is tried."""

Gap = tuple[int, int, int, int]
"""Eqns `[a, b)` of the one graph and `[c, d)` of the other."""


def aligned(before: View, after: View) -> Pairs:
    found: Pairs = []
    for often, keys in LEVELS:
        if not any(gaps(found, before, after)):
            return found
        found = refined(found, before, after, keys, lambda a, b, often=often: anchors(a, b, often))
    if any(gaps(found, before, after, SMALL + 1)):
        found = refined(found, before, after, lambda view: view.heads, few_edits, SMALL + 1)
        found = refined(found, before, after, View.nearby, common, SMALL + 1)
    likeness = Likeness(before, after, found)
    more = [likeness.best(gap) for gap in gaps(found, before, after) if area(gap) <= SMALL]
    return sorted([*found, *chain.from_iterable(more)])


LEVELS: list[tuple[bool, Callable[[View], list[int]]]] = [
    (True, View.computed),
    (True, View.shaped),
    (False, View.needed),
    (False, View.nearby),
]
"""From what is surest on, and whether eqns that are alike are told apart by their order."""


def refined(
    found: Pairs,
    before: View,
    after: View,
    keys: Callable[[View], list[int]],
    search: Callable[[Sequence[int], Sequence[int]], Pairs],
    least: int = 1,
) -> Pairs:
    """With more pairs in the gaps that hold so many."""
    one, other = keys(before), keys(after)
    more: Pairs = []
    for a, b, c, d in gaps(found, before, after, least):
        more += [(a + x, c + y) for x, y in search(one[a:b], other[c:d])]
    return sorted([*found, *more])


def gaps(found: Pairs, before: View, after: View, least: int = 1) -> Iterator[Gap]:
    """What lies between pairs, where it holds so many pairs more."""
    a = c = 0
    for b, d in [*found, (len(before.ops), len(after.ops))]:
        if (b - a) * (d - c) >= least:
            yield a, b, c, d
        a, c = b + 1, d + 1


def area(gap: Gap) -> int:
    a, b, c, d = gap
    return (b - a) * (d - c)
