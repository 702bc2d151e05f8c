"""Keeps calls that the C++ cache did not answer until it is known whether other caches did."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple


class Open(NamedTuple):
    """A call that was neither lowered nor compiled so far."""

    thread: int
    known: Callable[[], None]
    """Counts it as known to JAX's caches."""


class SlowCalls:
    """Counts a call once it is over, unless it was lowered or compiled meanwhile: then no cache
    answered it."""

    def __init__(self) -> None:
        self._open: dict[int, Open] = {}
        """By the identity of the call's frame, which is its own while the call lasts."""

    def begin(self, call: FrameType, known: Callable[[], None]) -> None:
        """`known` counts it, if it turns out to be."""
        self._open[id(call)] = Open(threading.get_ident(), known)

    def miss(self, call: FrameType) -> None:
        """It is lowered or compiled: no cache knew it."""
        self._open.pop(id(call), None)

    def settle(self, new: FrameType | None = None) -> None:
        """Counts those that are over, as is one whose frame is now that of a `new` call."""
        earlier = self._open.pop(id(new), None)
        if earlier is not None:
            earlier.known()
        if not self._open:
            return
        running = _running({call.thread for call in self._open.values()})
        for number in [number for number in self._open if number not in running]:
            self._open.pop(number).known()

    def clear(self) -> None:
        """Forgets those that are not over."""
        self._open.clear()


def _running(threads: set[int]) -> set[int]:
    """The frames of these threads, by identity."""
    if threads == {threading.get_ident()}:
        return _stack(sys._getframe())
    frames = sys._current_frames()
    return {number for thread in threads for number in _stack(frames.get(thread))}


def _stack(frame: Any) -> set[int]:
    found = set()
    while frame is not None:
        found.add(id(frame))
        frame = frame.f_back
    return found
