"""Time in bounded memory, however long it lasts: counts in slices, and a union of intervals."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

MOST_SLICES = 128
SHORTEST_SLICE = 0.001
"""Seconds of a slice at first. The slices double when there would be more than `MOST_SLICES`."""
INTERVALS = 50_000
"""The least number of intervals of a union that are stored separately. An interval that began
before all of these counts only from their beginning."""


class CountsOverTime:
    """Counts of several kinds of events, in slices of equal length from the start on."""

    def __init__(self) -> None:
        self.width = SHORTEST_SLICE
        """Seconds of a slice."""
        self._rows: dict[int, list[int]] = {}
        self._used = 0

    def add(self, number: int, at: float, times: int) -> None:
        """Counts `times` events of the kind `number`, `at` seconds after the start."""
        while at >= MOST_SLICES * self.width:
            self._double()
        index = int(at / self.width)
        row = self._rows.setdefault(number, [])
        row.extend([0] * (index + 1 - len(row)))
        row[index] += times
        self._used = max(self._used, index + 1)

    def row(self, number: int) -> list[int]:
        """The counts of the kind `number`, up to the last slice with an event."""
        row = self._rows.get(number, [])
        return row + [0] * (self._used - len(row))

    def _double(self) -> None:
        self.width *= 2
        self._used = (self._used + 1) // 2
        for number, row in self._rows.items():
            self._rows[number] = [sum(row[i : i + 2]) for i in range(0, len(row), 2)]


class UnionOfIntervals:
    """The length of the union of intervals of time, so that parallel work of threads counts once.

    Intervals may come in any order. In the usual order, by their ends, each has constant cost on
    average, since an interval replaces those within it.
    """

    def __init__(self) -> None:
        self._starts = array("d")
        self._stops = array("d")
        self._closed = float("-inf")
        """Events before this time are no longer separate."""
        self.length = 0.0
        """Seconds of the union."""

    def add(self, start: float, stop: float) -> None:
        """Adds the interval `[start, stop]`, in seconds of any clock."""
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
        if len(self._starts) > 2 * INTERVALS:
            self._close()

    def __iter__(self) -> Iterator[tuple[float, float]]:
        """The separate intervals, in order."""
        return zip(self._starts, self._stops, strict=True)

    def _close(self) -> None:
        """Forgets the earlier half of the intervals. Their length stays counted."""
        self._closed = self._stops[INTERVALS - 1]
        del self._starts[:INTERVALS], self._stops[:INTERVALS]
