"""The exchange of neighbours on a row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

Ends = Callable[[int], list[float]]
"""Where the links of a node meet the row above or below, from left to right."""


def exchange(row: list[int], ends_above: Ends, ends_below: Ends, even: bool) -> int:
    """Goes along a row and exchanges neighbours where fewer links cross then, and with `even` where
    no more do, which leads out of dead ends. Returns how many fewer."""
    saved = 0
    above, below = ends_above(row[0]), ends_below(row[0])
    for i in range(1, len(row)):
        next_above, next_below = ends_above(row[i]), ends_below(row[i])
        now = _crossing(above, next_above) + _crossing(below, next_below)
        then = _crossing(next_above, above) + _crossing(next_below, below)
        if now > 0 and (then < now or (even and then == now)):
            row[i - 1], row[i] = row[i], row[i - 1]
            saved += now - then
        else:
            above, below = next_above, next_below
    return saved


def _crossing(left: list[float], right: list[float]) -> int:
    """How many links of two neighbours cross."""
    return sum(bisect_left(right, end) for end in left)
