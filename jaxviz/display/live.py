"""The display of a log that grows while a cell runs."""

from __future__ import annotations

from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic

from msgspec.json import encode

from jaxviz.display.bundle import announced
from jaxviz.display.hosts import takes_updates
from jaxviz.display.logs import log_bundle
from jaxviz.display.pace import rest
from jaxviz.display.place import Place
from jaxviz.display.traces import Traces
from jaxviz.session import Log

OFTEN = 0.1
"""Seconds between two updates, at least."""
SOON = 0.02
"""Seconds between two looks at what was added, at least."""
PATIENCE = 2.0
"""Seconds that the cell waits for an update that is under way when it ends."""


class Live:
    """Shows a log from now on, or as a strip once something was made again; where nothing can take
    the place of an earlier display, at the end alone.

    It is sent whole from a thread of its own, which sleeps until `told` is set and something was
    added. Whatever fails here costs the display alone.
    """

    def __init__(self, log: Log, told: Event, strip: bool) -> None:
        """In the thread that runs the cell. Raises where its outputs do not go to a page."""
        self._log = log
        self._told = told
        self._strip = strip
        self._key = ""
        self._ending = Event()
        self._grows = takes_updates()
        # In the context of the cell, so that what is sent is its own.
        work = copy_context().run
        self._thread = Thread(target=work, args=(self._work,), daemon=True, name="jaxviz live")
        self._place = Place()
        with suppress(Exception):
            if self._grows and not strip:
                self._put()
        self._thread.start()

    def end(self, went_on: bool) -> None:
        """In the thread that ran the cell: shows what the log has become. `went_on` says that the
        cell ended with an output of its own, its last value or an error."""
        self._ending.set()
        self._told.set()
        self._thread.join(PATIENCE)
        with suppress(Exception):
            self._log.settle()
        self._place.end(went_on)
        if self.due:
            self._put(last=True)

    @property
    def due(self) -> bool:
        """Whether there is something to show, and where."""
        return self._place.open and (not self._strip or again(self._log))

    def _work(self) -> None:
        """Programs are kept soon, before JAX forgets them; messages rest for longer."""
        due, unsent = 0.0, False
        while not self._ending.is_set():
            unsent |= self._told.wait(max(0.0, due - monotonic()) if unsent else None)
            if self._told.is_set():
                self._told.clear()
                self._settle()
            if monotonic() >= due and not self._ending.is_set():
                due, unsent = monotonic() + self._update(), False
            self._ending.wait(SOON)

    def _settle(self) -> None:
        with suppress(Exception):
            self._log.settle()

    def _update(self) -> float:
        """How long to rest after it, in seconds."""
        start = monotonic()
        size = 0
        with suppress(Exception):
            if self._grows and self.due:
                size = self._put()
        return rest(OFTEN, monotonic() - start, size)

    def _put(self, last: bool = False) -> int:
        """The bytes that it took."""
        if not self._key:
            self._key = announced(Traces(self._log.program, self._log.record))
        record = self._log.record()
        text = self._log.summary(record)
        data = log_bundle(record, text, self._strip, self._key, last)
        if last or not self._ending.is_set():
            self._place.put(data)
        return len(encode(data))


def again(log: Log) -> bool:
    """Whether a function was traced, lowered or compiled again."""
    return log.again > 0
