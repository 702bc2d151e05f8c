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
"""The shortest time between two updates."""
SECONDS_BETWEEN_LOOKS = 0.02
"""The shortest time between two looks at what was added to the log."""
SECONDS_TO_WAIT = 2.0
"""How long the end of a cell waits for an update that is under way."""


class LiveLog:
    """Shows a log while it grows. A `strip` is shown only once something was traced, lowered or
    compiled again. Where a display cannot be replaced by a later one, it is shown once, at the end.

    A thread sleeps until `changed` is set, and then sends the whole log. If anything fails here,
    only the display is lost.
    """

    def __init__(self, log: Log, changed: Event, strip: bool) -> None:
        """Must be called in the thread that runs the cell. Raises where no kernel publishes the
        cell's outputs."""
        self._log = log
        self._changed = changed
        self._strip = strip
        self._key = ""
        self._ending = Event()
        self._grows = takes_updates()
        # In the cell's context, so that what is sent counts as an output of the cell.
        work = copy_context().run
        self._thread = Thread(target=work, args=(self._work,), daemon=True, name="jaxviz live")
        self._display = CellDisplay()
        with suppress(Exception):
            if self._grows and not strip:
                self._put()
        self._thread.start()

    def end(self, went_on: bool) -> None:
        """Shows the log as it is at the end. Must be called in the thread that ran the cell.

        `went_on` says whether the cell ended with an output of its own: its last value or an
        error."""
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
        """The thread: soon after each change it keeps programs before JAX forgets them; updates it
        sends less often."""
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
        """Shows the log as it is now. Returns how many bytes were sent."""
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
