"""Calls that JAX's fastest cache did not answer, until it is known whether another one did."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple


class OpenCall(NamedTuple):
    """A call that was neither lowered nor compiled so far."""

    thread: int
    """The number of its thread (`threading.get_ident`)."""
    known: Callable[[], None]
    """Counts the call as one that JAX's caches answered."""


class SlowCalls:
    """Counts each call when it is over, unless it was lowered or compiled: no cache answered that.
    JAX does not say when a call is over: `settle` looks whether its frame is still on a stack."""

    def __init__(self) -> None:
        self._open: dict[int, OpenCall] = {}
        """By the `id` of the call's frame, which is no other frame's while the call lasts."""

    def begin(self, call: FrameType, known: Callable[[], None]) -> None:
        """Notes a call that has begun. `known` is called if JAX's caches turn out to answer it."""
        self._open[id(call)] = OpenCall(threading.get_ident(), known)

    def miss(self, call: FrameType) -> None:
        """Notes that the call is lowered or compiled, so that it is not counted."""
        self._open.pop(id(call), None)

    def settle(self, new: FrameType | None = None) -> None:
        """Counts the calls that are over. If a `new` call begins in a frame with the `id` of an
        earlier one, the earlier one is over, too."""
        earlier = self._open.pop(id(new), None)
        if earlier is not None:
            earlier.known()
        if not self._open:
            return
        running = _running({call.thread for call in self._open.values()})
        for number in [number for number in self._open if number not in running]:
            self._open.pop(number).known()

    def clear(self) -> None:
        """Forgets the calls that are not over."""
        self._open.clear()


def _running(threads: set[int]) -> set[int]:
    """The `id`s of all frames on the stacks of these threads."""
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
