"""Sends a panel the kernel's state whenever it changes, while the panel is seen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.panel.kernel_wide import kernel_wide
from jaxviz.display.traces import deflated
from jaxviz.display.updates import rest, waking

SECONDS_APART = 0.2
"""The shortest time between two updates."""
SECONDS_UNHEARD = 5.0
"""How long to wait for the page to say that it has read an update, before the next one is sent."""
MOST_UNHEARD = 100
"""After this many updates in a row that the page did not read, it counts as gone."""


class Following:
    """Sends the state of the kernel at once, and then whenever something changed, from its own
    thread."""

    def __init__(self, tell: Callable[[bytes], None], here: Callable[[], bool]) -> None:
        """`tell` is called with each whole `schema.Panel` as deflated JSON, for as long as `here`
        says that the page is there."""
        self._tell = tell
        self._here = here
        self._last_sent: schema.Panel | None = None
        self._woken = Event()
        self._heard = Event()
        self._ended = Event()
        # In the message's context, so that what is sent counts as an answer to it.
        work = copy_context().run
        Thread(target=work, args=(self._work,), daemon=True, name="jaxviz panel").start()

    def heard(self) -> None:
        """Says that the page has read the last update."""
        self._heard.set()

    def end(self) -> None:
        """Stops sending."""
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
        """Sends what changed, and rests. Returns the bytes sent: 0 where nothing changed."""
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
            if timeless != self._last_sent and not self._ended.is_set():
                self._last_sent = timeless
                data = deflated(panel)
                self._tell(data)
                return len(data)
        return 0
