"""Changes that jaxviz makes outside of itself for a while, and undoes: a listener registered with
JAX, standard output or a name of JAX replaced, a log opened.

An interrupt may come between any two lines, also while a change is undone. So each change is noted
before it is made, and `heal` undoes changes that an interrupt left. It is called when a cell begins
or ends, and whenever jaxviz traces or opens a log. A change that is left until then must do no
harm.

Use `changed` for a change within one context, `note_change` and `take_back` for a longer one.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from inspect import CO_GENERATOR
from threading import get_ident
from types import FrameType
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A variable outside of jaxviz, by the functions that get and set it."""

    get: Callable[[], Any]
    set: Callable[[Any], object]


STDOUT = Place(lambda: sys.stdout, lambda out: setattr(sys, "stdout", out))


class Change:
    """A change that may have been made."""

    def __init__(self, undo: Callable[[], object], is_wanted: Callable[[], bool]) -> None:
        self.undo = undo
        """Undoes the change. Does no harm if it was not made, or was undone before."""
        self.is_wanted = is_wanted
        """False once no other code will undo it."""


_changes: list[Change] = []
"""The changes that may be in force, in the order in which they were made."""


def note_change(undo: Callable[[], object], is_wanted: Callable[[], bool]) -> Change:
    """Notes a change. Call it before the change is made."""
    change = Change(undo, is_wanted)
    _changes.append(change)
    return change


def take_back(change: Change) -> None:
    """Undoes a change. If that is interrupted, `heal` does it again."""
    with suppress(Exception):
        change.undo()
    with suppress(ValueError):  # another thread was faster
        _changes.remove(change)


@contextmanager
def changed(do: Callable[[], object], undo: Callable[[], object]) -> Iterator[None]:
    """Makes a change within this context. It lasts no longer than the function that enters it."""
    frame, thread = _caller(), get_ident()
    change = note_change(undo, lambda: get_ident() != thread or _runs(frame))
    try:
        do()
        yield
    finally:
        take_back(change)


@contextmanager
def replaced(place: Place, ours: Any) -> Iterator[None]:
    """Puts a value of ours in a place within this context."""
    earlier = place.get()

    def put_back() -> None:
        if place.get() is ours:
            place.set(earlier)

    with changed(lambda: place.set(ours), put_back):
        yield


def heal() -> None:
    """Undoes the changes that an interrupt left."""
    while left := [change for change in _changes if not change.is_wanted()]:
        take_back(left[-1])


def _caller() -> FrameType | None:
    """The frame of the function that enters a context. Frames of `contextlib` and of the context's
    generators come before it."""
    frame = sys._getframe(1)
    while frame is not None and (
        frame.f_code.co_filename == contextlib.__file__ or frame.f_code.co_flags & CO_GENERATOR
    ):
        frame = frame.f_back
    return frame


def _runs(frame: FrameType | None) -> bool:
    """True if a frame is on the stack of this thread."""
    at = sys._getframe()
    while at is not None and at is not frame:
        at = at.f_back
    return at is frame
