"""Tells listeners when jaxviz itself traces to show a program, so that they do not count it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol
from weakref import WeakSet


class Listens(Protocol):
    """A listener to JAX's traces that has to know which of them are jaxviz's."""

    def begin_look(self) -> None: ...
    def end_look(self) -> None: ...


LISTENERS: WeakSet[Listens] = WeakSet()


@contextmanager
def looking() -> Iterator[None]:
    """Within this context, traces of this thread are no events. Listeners remember each one, and
    report it when a call of the user's finds it in JAX's cache. So counts and reasons are the same
    whether the user looked at the program or not."""
    begun: list[Listens] = []
    with suppress(Exception):
        for listener in [*LISTENERS]:
            listener.begin_look()
            begun.append(listener)
    try:
        yield
    finally:
        for listener in begun:
            with suppress(Exception):
                listener.end_look()
