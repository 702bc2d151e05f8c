"""That something changed in this kernel, for those who sleep until it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

_flags: list[Event] = []


def changed() -> None:
    """Wakes all who sleep. Safe in any thread, and within the user's own calls: it only sets
    flags."""
    for flag in [*_flags]:
        flag.set()


@contextmanager
def waking(flag: Event) -> Iterator[None]:
    """Sets the flag whenever something changed."""
    _flags.append(flag)
    try:
        yield
    finally:
        _flags.remove(flag)
