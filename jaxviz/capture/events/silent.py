"""Traces that JAX does not announce: from 0.10 on those within another, or under grad and vmap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from threading import Lock
from typing import Any, NamedTuple

from jaxviz.capture import _events as seen

ANNOUNCED = 10_000
"""Announced traces that are remembered until the next look."""


class Body(NamedTuple):
    """A function whose body was traced, and for which arguments."""

    fun: Any
    names: list[str]
    avals: tuple[Any, ...]


class Silent:
    """Compares the keys of JAX's cache of traces with those at the last look."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: set[tuple[int, ...]] = set()
        self._announced: Counter[Hashable] = Counter()

    def announce(self, identity: int | None, avals: tuple[Any, ...]) -> None:
        """A trace that JAX announced: it is none of these."""
        if seen.NESTED_ARE_SILENT:
            self._announced[identity, avals] += 1
            if len(self._announced) > ANNOUNCED:
                del self._announced[next(iter(self._announced))]

    def is_announced(self, identity: int | None, avals: tuple[Any, ...]) -> bool:
        """Whether it was announced; each announcement counts once."""
        times = self._announced.pop((identity, avals), 0)
        if times > 1:
            self._announced[identity, avals] = times - 1
        return times > 0

    def look(self) -> list[Body]:
        """What was traced since the last look, announced or not."""
        keys = seen.trace_keys() if seen.NESTED_ARE_SILENT else None
        if keys is None:
            return []
        with self._lock:
            new = [Body(*key.body) for key in keys if key.identity not in self._known]
            self._known = {key.identity for key in keys}
        return new

    def forget(self) -> None:
        """JAX's caches were cleared: what is in them now is new."""
        self._known.clear()
        self._announced.clear()
