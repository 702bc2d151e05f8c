"""The one listener of this process to what JAX does, and the logs that it fills."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from jaxviz.analysis.findings import findings_of_frozen
from jaxviz.analysis.retraces import History
from jaxviz.capture.changes import Change, heal, note_change, take_back
from jaxviz.capture.events import CallCount, Hits, Listener
from jaxviz.capture.events.frozen.frozen_traces import CellCode
from jaxviz.safety.guard import guarded
from jaxviz.schema import Event, FrozenValue, Program
from jaxviz.schema.signature import Trace
from jaxviz.sentences import sentence
from jaxviz.session.log import Log

MOST_WAITING = 100
"""Traces wait for their comparison until a log is read, or until this many wait."""


class Session:
    """Listens while any log is open, and stores earlier calls from one `watch()` to the next."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._history = History()
        self._waiting: deque[Trace] = deque()
        """Traces that are in no log yet."""
        self._listener = Listener(self._take)
        self._hits = Hits(self._take_hits, self._listener.answered_calls(self._take_hit))
        self._open: dict[Log, Change] = {}
        """The open logs, each with the change that opened it."""
        self._companions: list[Log] = []
        self._changed: Callable[[], None] = lambda: None

    def accompany(self, log: Log, changed: Callable[[], None]) -> None:
        """Adds to `log` every event that is added to any log. It replaces an earlier log given
        here, and does not start listening.

        `changed` is called whenever a log is opened or closed.
        """
        with self._lock:
            self.catch_up()
            log.begin(self)
            self._companions, self._changed = [log], changed

    def open(self, log: Log, is_wanted: Callable[[], bool] = lambda: True) -> None:
        """Fills a log until `close`. `is_wanted` returns True while its owner still has it, since
        an interrupt may keep the owner from closing it."""
        heal()
        change = note_change(partial(self._end, log, "KeyboardInterrupt"), is_wanted)
        with self._lock:
            self.catch_up()
            log.begin(self)
            self._open[log] = change
            self._listener.start()
            if self._listener.lacks_names:
                log.note(sentence("reasons missing"))
            if log.hits and self._counting() == [log] and not self._hits.start():
                log.note(sentence("hits uncounted"))
        self._changed()

    def close(self, log: Log, error: str | None = None) -> None:
        """Ends a log, if it is open. `error` is the class of the exception that ended it, if
        any."""
        change = self._open.get(log)
        if change is not None:
            change.undo = partial(self._end, log, error)
            take_back(change)

    def _end(self, log: Log, error: str | None) -> None:
        """Ends a log. Each step is done, even if another one fails or is interrupted."""
        with self._lock, ExitStack() as last:
            last.callback(self._changed)
            last.callback(log.close, error)
            last.callback(self._stop_listening)
            last.callback(self._open.pop, log, None)
            last.callback(self.catch_up)
            if self._counting() == [log] and not self._hits.stop():
                log.note(sentence("hits lost"))

    def _stop_listening(self) -> None:
        """Removes hooks from JAX that no open log needs."""
        if not self._counting():
            self._hits.withdraw()
        if not self._open:
            self._listener.stop()

    def at_rest(self) -> None:
        """Repairs the effects of an interrupt. Call it in the thread of the cells, when a cell
        begins or ends, while JAX does nothing there."""
        heal()
        self._listener.forget_open_events()
        self._stop_listening()
        if self._open:
            self._listener.start()

    def restart_after_fork(self) -> None:
        """Restarts in a forked process: the threads that held our locks, or that wait for events,
        are in the other process."""
        self._listener.end()
        self._hits.withdraw()
        self.__init__()

    def program(self, event: Event) -> Program | None:
        """The program that an event traced, lowered or compiled, without tracing again; None if
        JAX's caches no longer have it."""
        with self._lock:
            number = self._history.program(event)
        return None if number is None else self._listener.program(number, event.name)

    def cell_ends(self, code: CellCode, log: Log | None = None) -> None:
        """Adds to the logs what functions that the code of a cell can reach still use, although it
        is another value now: once to all logs, or only to `log`."""
        found = guarded([], self._listener.frozen.of_cell, code, once=log is None)
        for one in findings_of_frozen(found):
            for each in (*self._open, *self._companions) if log is None else (log,):
                each.found(one)

    def frozen_in(self, fun: Any, jaxpr: Any) -> list[FrozenValue]:
        """The values that the program of a jitted function keeps and that are others now."""
        return guarded([], self._listener.frozen.of_program, fun, jaxpr)

    def stored(self, event: Event, packed: bytes) -> None:
        """Passes a program stored by a cell's log to the log of `accompany`, since the cell's own
        log is forgotten with its output."""
        for log in self._companions:
            log.adopt(event, packed)

    def catch_up(self) -> None:
        """Adds to the logs the events that wait, and the calls counted since the last report."""
        self._add_waiting()
        self._hits.report()

    def _take(self, trace: Trace) -> None:
        """Queues an event within the user's call, which continues at once."""
        self._waiting.append(trace)
        if len(self._waiting) > MOST_WAITING:
            self._add_waiting()
        for log in (*self._open, *self._companions):
            log.announce()

    def _add_waiting(self) -> None:
        with self._lock:
            while self._waiting:
                with suppress(Exception):  # it is lost, but later ones are not
                    self._add(self._waiting.popleft())

    def _add(self, trace: Trace) -> None:
        event = self._history.event(trace) if trace.op is None else trace
        for log in (*self._open, *self._companions):
            log.add(event, trace)
            if log.hits and trace.effects and not self._hits.effects:
                log.note(sentence("effects"))
            if self._listener.may_miss_traces:
                log.note(sentence("too many traces"))

    def _take_hits(self, since: float, called: list[CallCount]) -> None:
        self._add_waiting()
        for log in self._counting():
            log.add_hits(since, called)

    def _take_hit(self, call: Trace) -> None:
        self._add_waiting()
        for log in self._counting():
            log.caches.add_hit(call)

    def _counting(self) -> list[Log]:
        return [log for log in [*self._open] if log.hits]


session = Session()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=session.restart_after_fork)
