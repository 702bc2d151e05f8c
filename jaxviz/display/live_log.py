"""The display of a log that grows under its cell while the cell runs."""

from __future__ import annotations

from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic

from msgspec.json import encode

from jaxviz.display.bundle import announced
from jaxviz.display.cell_display import CellDisplay
from jaxviz.display.hosts import takes_updates
from jaxviz.display.logs import log_bundle
from jaxviz.display.traces import Traces
from jaxviz.display.updates import rest
from jaxviz.session import Log

SECONDS_APART = 0.1
"""Seconds between two updates, at least."""
SECONDS_BETWEEN_LOOKS = 0.02
"""Seconds between two looks at what was added, at least."""
SECONDS_TO_WAIT = 2.0
"""Seconds that the cell waits for an update that is under way when it ends."""


class LiveLog:
    """Shows a log from now on; as a `strip`, once something was made again. Where a display
    cannot be replaced by a later one, it is shown once, at the end.

    The log is sent whole, from a thread that sleeps until `changed` is set. Whatever fails here
    costs the display alone.
    """

    def __init__(self, log: Log, changed: Event, strip: bool) -> None:
        """To be made in the thread that runs the cell. Raises where its outputs go to no page."""
        self._log = log
        self._changed = changed
        self._strip = strip
        self._key = ""
        self._ending = Event()
        self._grows = takes_updates()
        # In the context of the cell, so that what is sent is its own.
        work = copy_context().run
        self._thread = Thread(target=work, args=(self._work,), daemon=True, name="jaxviz live")
        self._display = CellDisplay()
        with suppress(Exception):
            if self._grows and not strip:
                self._put()
        self._thread.start()

    def end(self, went_on: bool) -> None:
        """Shows what the log has become. To be called in the thread that ran the cell.

        `went_on` says that the cell ended with an output of its own, its last value or an error."""
        self._ending.set()
        self._changed.set()
        self._thread.join(SECONDS_TO_WAIT)
        with suppress(Exception):
            self._log.settle()
        self._display.end(went_on)
        if self.due:
            self._put(last=True)

    @property
    def due(self) -> bool:
        """Whether there is something to show, and a place for it."""
        return self._display.open and (not self._strip or again(self._log))

    def _work(self) -> None:
        """Keeps programs soon, before JAX forgets them, and sends updates less often."""
        due, unsent = 0.0, False
        while not self._ending.is_set():
            unsent |= self._changed.wait(max(0.0, due - monotonic()) if unsent else None)
            if self._changed.is_set():
                self._changed.clear()
                self._settle()
            if monotonic() >= due and not self._ending.is_set():
                due, unsent = monotonic() + self._update(), False
            self._ending.wait(SECONDS_BETWEEN_LOOKS)

    def _settle(self) -> None:
        with suppress(Exception):
            self._log.settle()

    def _update(self) -> float:
        """Sends an update if one is due. Returns how many seconds to rest after it."""
        start = monotonic()
        size = 0
        with suppress(Exception):
            if self._grows and self.due:
                size = self._put()
        return rest(SECONDS_APART, monotonic() - start, size)

    def _put(self, last: bool = False) -> int:
        """Puts the log as it is now. Returns the bytes that this took."""
        if not self._key:
            self._key = announced(Traces(self._log.program, self._log.record))
        record = self._log.record()
        text = self._log.summary(record)
        data = log_bundle(record, text, self._strip, self._key, last)
        if last or not self._ending.is_set():
            self._display.put(data)
        return len(encode(data))


def again(log: Log) -> bool:
    """Whether a function was traced, lowered or compiled again."""
    return log.again > 0
