"""Profiles what a cell runs, as it is: nothing is run again, and nothing is changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from threading import Event, RLock, Thread
from typing import NamedTuple

from jaxviz.capture.changes import noted, take_back
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.profiling import _jax_profile
from jaxviz.capture.profiling.called_functions import CalledFunction, CalledFunctions
from jaxviz.capture.profiling.cell_runs import CellEvents, events_of_cell
from jaxviz.capture.profiling.sessions import (
    ENDS_ARE_TOLD,
    LONGEST,
    MOST_INTERVALS,
    begin_session,
    end_session,
    session_folder,
    written_in,
)

MOST_BYTES = 200_000_000
"""After so many bytes that the process grew by, the profiler ends."""
_EVENTS_OF_A_CALL = 28
"""How many events JAX and XLA tell of one call of a small program (0.6.2: 28, 0.10.2: 18)."""
_SECONDS_BETWEEN_LOOKS = 0.05


class ProfiledCell(NamedTuple):
    """What a profile of a cell told."""

    start: float
    """Seconds since 1970."""
    seconds: float
    """How long the profiler was on."""
    ended: str
    """Why it ended before the cell: `time`, `events` or `memory`; empty where it did not."""
    events: CellEvents
    functions: list[CalledFunction]


class CellSession:
    """One profile. It ends by itself after 10 seconds, 200,000 events or 200 MB."""

    def __init__(self, is_wanted: Callable[[], bool]) -> None:
        """Begins it. `is_wanted` says whether it has an owner that ends it. Raises `CaptureError`
        if something else profiles this process, or there is no room for the profile."""
        self._folder = session_folder()
        self._start = time.time()
        self._bytes = resident_bytes()
        self._called = CalledFunctions()
        self._lock, self._over, self._ended = RLock(), Event(), ""
        self._seconds: float | None = None
        self._is_ended = False
        self._failure: CaptureError | None = None
        self._watch = Thread(target=self._work, daemon=True, name="jaxviz profile")
        self._change = noted(self._abandon, is_wanted)
        try:
            begin_session(self._folder.name)
            self._called.start()
            self._watch.start()
        except BaseException:
            take_back(self._change)
            raise

    def stop(self) -> None:
        """Says that the cell has ended, and takes away what we have put into JAX."""
        self._called.stop()
        self._over.set()
        self._note("")

    def told(self) -> ProfiledCell:
        """Ends the profile where it still goes on, and reads it. To be called once, after
        `stop`. Raises `CaptureError` if JAX could not write it."""
        try:
            self._watch.join()
            if not self._is_ended:
                time.sleep(ENDS_ARE_TOLD)
                self._end()
            if self._failure is not None:
                raise self._failure
            events = events_of_cell(written_in(self._folder.name), MOST_INTERVALS)
        finally:
            take_back(self._change)
        seconds, ended = self._seconds or 0.0, self._ended
        if events.until is not None:
            seconds, ended = events.until, ended or "events"
        return ProfiledCell(self._start, seconds, ended, events, self._called.functions())

    def _work(self) -> None:
        while not self._over.wait(_SECONDS_BETWEEN_LOOKS):
            reason = self._no_room()
            if reason:
                if self._note(reason):
                    self._end()
                return

    def _end(self) -> None:
        """Ends JAX's profile, once: in the thread that watches, or after that has ended."""
        self._is_ended = True
        try:
            end_session(self._folder.name)
        except CaptureError as error:
            self._failure = error

    def _abandon(self) -> None:
        """Ends what goes on still, and leaves nothing behind."""
        with ExitStack() as last:
            last.callback(self._folder.cleanup)
            last.callback(_jax_profile.drop, self._folder.name)
            self.stop()

    def _no_room(self) -> str:
        if time.time() - self._start >= LONGEST:
            return "time"
        calls = sum(one.calls for one in self._called.functions())
        if calls * _EVENTS_OF_A_CALL >= MOST_INTERVALS:
            return "events"
        return "memory" if resident_bytes() - self._bytes >= MOST_BYTES else ""

    def _note(self, reason: str) -> bool:
        """Notes that it ends now, and why. False where it has ended already."""
        with self._lock:
            if self._seconds is not None:
                return False
            self._called.profiled_until_now()
            self._seconds, self._ended = time.time() - self._start, reason
            return True


def resident_bytes() -> int:
    """How much memory the process has; 0 where that cannot be read, as on macOS and Windows."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return 0
