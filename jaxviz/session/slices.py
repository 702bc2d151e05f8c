"""Counts over time: few slices, however long it lasts."""

from __future__ import annotations

MOST = 128
SHORTEST = 0.001
"""Seconds of a slice at first; it doubles whenever there would be more than `MOST`."""


class Slices:
    """How often each of several things happened, in slices of equal length from the start on."""

    def __init__(self) -> None:
        self.width = SHORTEST
        """Seconds of a slice."""
        self._rows: dict[int, list[int]] = {}
        self._used = 0

    def add(self, number: int, at: float, times: int) -> None:
        """Thing `number` happened `times` times at `at` seconds."""
        while at >= MOST * self.width:
            self._double()
        index = int(at / self.width)
        row = self._rows.setdefault(number, [])
        row.extend([0] * (index + 1 - len(row)))
        row[index] += times
        self._used = max(self._used, index + 1)

    def row(self, number: int) -> list[int]:
        """All slices up to the last in which anything happened."""
        row = self._rows.get(number, [])
        return row + [0] * (self._used - len(row))

    def _double(self) -> None:
        self.width *= 2
        self._used = (self._used + 1) // 2
        for number, row in self._rows.items():
            self._rows[number] = [sum(row[i : i + 2]) for i in range(0, len(row), 2)]
