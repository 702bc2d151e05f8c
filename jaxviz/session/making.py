"""How long JAX was making programs, whatever the number of threads that made some."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

KEPT = 50_000
"""Intervals that are told apart at least. Of one that began before all of these only what
lies after them is counted."""


class Union:
    """The length of the union of intervals.

    They may come in any order; in that in which they end, which is theirs but for threads that take
    turns, each costs the same on average. An interval around others swallows them.
    """

    def __init__(self) -> None:
        self._starts = array("d")
        self._stops = array("d")
        self._closed = float("-inf")
        self.length = 0.0

    def add(self, start: float, stop: float) -> None:
        """The interval `[start, stop]`, in seconds of any clock."""
        start = max(start, self._closed)
        if stop <= start:
            return
        first = bisect_left(self._stops, start)
        last = bisect_right(self._starts, stop)
        touched = range(first, last)
        if touched:
            start = min(start, self._starts[first])
            stop = max(stop, self._stops[last - 1])
        self.length += stop - start - sum(self._stops[i] - self._starts[i] for i in touched)
        self._starts[first:last] = array("d", (start,))
        self._stops[first:last] = array("d", (stop,))
        if len(self._starts) > 2 * KEPT:
            self._close()

    def _close(self) -> None:
        """Forgets the earlier half."""
        self._closed = self._stops[KEPT - 1]
        del self._starts[:KEPT], self._stops[:KEPT]
