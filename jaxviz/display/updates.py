"""Decides when logs and panels are sent to a page again: after a change, but not too often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

REST_SHARE = 30
"""The rest after an update is at least this many times as long as the update took."""
BYTES_A_SECOND = 250_000
"""The most bytes per second on average. By default Jupyter's server drops outputs of a kernel, also
the user's, above four times as many."""

_flags: list[Event] = []


def changed() -> None:
    """Reports a change in this kernel. It only sets flags, so any thread may call it, also within
    the user's calls."""
    for flag in [*_flags]:
        flag.set()


@contextmanager
def waking(flag: Event) -> Iterator[None]:
    """Sets `flag` at each change, until the context ends."""
    _flags.append(flag)
    try:
        yield
    finally:
        _flags.remove(flag)


def rest(shortest: float, seconds: float, size: int) -> float:
    """Seconds to rest after an update that took `seconds` and has `size` bytes, at least
    `shortest`."""
    return max(shortest, REST_SHARE * seconds, size / BYTES_A_SECOND)
