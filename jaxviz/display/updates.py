"""When what grows is sent to a page again: once something changed, and not too often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

REST_SHARE = 30
"""An update is followed by a rest of at least so many times its own duration."""
BYTES_A_SECOND = 250_000
"""A quarter of what Jupyter's server by default lets pass of a kernel's outputs a second, before it
drops the user's own."""

_flags: list[Event] = []


def changed() -> None:
    """Says that something changed in this kernel. Safe in any thread, and within the user's own
    calls: it only sets flags."""
    for flag in [*_flags]:
        flag.set()


@contextmanager
def waking(flag: Event) -> Iterator[None]:
    """Sets `flag` whenever something changed, while the context lasts."""
    _flags.append(flag)
    try:
        yield
    finally:
        _flags.remove(flag)


def rest(often: float, seconds: float, size: int) -> float:
    """Seconds to rest after an update that took `seconds` and is `size` bytes; at least `often`."""
    return max(often, REST_SHARE * seconds, size / BYTES_A_SECOND)
