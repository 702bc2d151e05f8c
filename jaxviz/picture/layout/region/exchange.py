"""The exchange of neighbours on a row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable


def exchange(
    row: list[int],
    ends_above: Callable[[int], list[float]],
    ends_below: Callable[[int], list[float]],
) -> int:
    """Goes along a row and exchanges neighbours where fewer links cross then (`transpose` of
    Gansner, Koutsofios, North and Vo, 1993). Returns how many fewer.

    The ends of a node are where its links meet the row above or below, from left to right.
    """
    saved = 0
    above, below = ends_above(row[0]), ends_below(row[0])
    for i in range(1, len(row)):
        next_above, next_below = ends_above(row[i]), ends_below(row[i])
        fewer = _surplus(above, next_above) + _surplus(below, next_below)
        if fewer > 0:
            row[i - 1], row[i] = row[i], row[i - 1]
            saved += fewer
        else:
            above, below = next_above, next_below
    return saved


def _surplus(left: list[float], right: list[float]) -> int:
    """How many more links of two neighbours cross than would if they were exchanged."""
    return sum(bisect_left(right, end) - len(right) + bisect_right(right, end) for end in left)
