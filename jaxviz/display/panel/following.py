"""Tells a panel what changes in the kernel, while the panel is seen."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.panel.kernel_wide import kernel_wide
from jaxviz.display.updates import rest, waking

SECONDS_APART = 0.2
"""Seconds between two updates, at least."""
SECONDS_UNHEARD = 5.0
"""Seconds between two updates where the page did not say that it has read the first."""
MOST_UNHEARD = 100
"""Updates in a row that the page did not read, after which it counts as gone."""


class Following:
    """Tells the state of the kernel at once, and then whenever something changed, from a thread of
    its own."""

    def __init__(self, tell: Callable[[bytes], None], here: Callable[[], bool]) -> None:
        """`tell` is called with each `schema.Panel` whole, as deflated JSON, while `here` says
        that the page is there."""
        self._tell = tell
        self._here = here
        self._told: schema.Panel | None = None
        self._woken = Event()
        self._heard = Event()
        self._ended = Event()
        # In the context of the message, so that what is sent is taken for its own.
        work = copy_context().run
        Thread(target=work, args=(self._work,), daemon=True, name="jaxviz panel").start()

    def heard(self) -> None:
        """The page has read the last update."""
        self._heard.set()

    def end(self) -> None:
        """Tells nothing more."""
        for flag in (self._ended, self._woken, self._heard):
            flag.set()

    def _work(self) -> None:
        unheard = 0
        with waking(self._woken):
            size = self._update()
            while not self._ended.is_set() and self._here() and unheard < MOST_UNHEARD:
                if size > 0:
                    unheard = 0 if self._heard.wait(SECONDS_UNHEARD) else unheard + 1
                self._woken.wait()
                size = self._update() if self._here() else 0

    def _update(self) -> int:
        """Tells what changed, and rests. Returns the bytes sent: 0 where nothing changed."""
        self._woken.clear()
        self._heard.clear()
        start = monotonic()
        kernel_wide.settle()
        size = self._put()
        self._ended.wait(rest(SECONDS_APART, monotonic() - start, size))
        return size

    def _put(self) -> int:
        with suppress(Exception):
            panel = kernel_wide.record()
            timeless = replace(panel, log=replace(panel.log, seconds=0.0))
            if timeless != self._told and not self._ended.is_set():
                self._told = timeless
                data = zlib.compress(msgspec.json.encode(panel))
                self._tell(data)
                return len(data)
        return 0
