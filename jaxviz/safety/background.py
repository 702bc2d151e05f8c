"""Background jobs: each works in its own thread, and any number of others may wait for its result.

Used for what takes long and is asked for by several at once: JAX's later stages are one such work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Thread
from time import monotonic
from typing import Generic, TypeVar

OnProgress = Callable[[str, float], None]
"""Called again and again while one waits for a job, with what it is doing (`compiling`) and for how
many seconds it has been under way."""
SECONDS_BETWEEN_REPORTS = 0.5
"""Seconds between two calls of OnProgress."""

SECONDS_TO_LISTEN = 0.2
"""After so long Windows, too, hears an interrupt."""
SECONDS_OF_SILENCE = 5.0
"""A wait that nobody follows is reported after these seconds."""

Result = TypeVar("Result")


class NobodyWaits(BaseException):
    """Ends work that nobody waits for any more. No handler of failures is to catch it."""


class Job(Generic[Result]):
    """Work that is under way or done. One who waits for it may stop waiting: the work goes on, but
    for what is done by another process, which is ended where nobody waits any more."""

    def __init__(self, doing: str = "waiting") -> None:
        self.future: Future[Result] = Future()
        self.doing = doing
        """The present work, in a word or two for the page."""
        self._start = monotonic()
        self._waits: set[object] = set()
        self._began = False

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return monotonic() - self._start

    @property
    def is_awaited(self) -> bool:
        """True if somebody waits for it, or nobody has begun to."""
        return bool(self._waits) or not self._began

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Within it somebody waits for the result."""
        mark = object()
        self._waits.add(mark)
        self._began = True
        try:
            yield
        finally:
            self._waits.discard(mark)

    def wait(self, on_progress: OnProgress | None = None) -> Result:
        """The result, once it is there. Raises what the work raised.

        Without `on_progress`, a long wait is reported on standard error. An interrupt ends
        the waiting, not the job."""
        tell = on_progress or on_standard_error()
        with self.awaited():
            while True:
                try:
                    return self.future.result(timeout=SECONDS_BETWEEN_REPORTS)
                except TimeoutError:
                    tell(self.doing, self.seconds)


def on_standard_error() -> OnProgress:
    """Prints what takes so long, once for each step that is still under way after a while."""
    told = ""

    def tell(doing: str, seconds: float) -> None:
        nonlocal told
        if seconds >= SECONDS_OF_SILENCE and doing != told:
            told = doing
            with suppress(Exception):
                print(
                    f"jaxviz: {doing}, {seconds:.0f} s so far; an interrupt ends the wait.",
                    file=sys.stderr,
                )

    return tell


def in_background(work: Callable[[], None]) -> None:
    """Calls `work` in a new thread, in a copy of the caller's context. So what it prints or sends
    counts as that of the cell, or of the message, that asked for it."""
    Thread(target=copy_context().run, args=(work,), daemon=True, name="jaxviz").start()


def settle(future: Future[Result], work: Callable[[], Result]) -> None:
    """Does work, and gives a future its result or what it raised: nobody waits for ever."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


def begun(work: Callable[[], Result], doing: str) -> Job[Result]:
    """The job of a piece of work, which is under way from now on."""
    job = Job[Result](doing)
    in_background(lambda: settle(job.future, work))
    return job


def waited(work: Callable[[], Result], look: Callable[[], None] = lambda: None) -> Result:
    """Does work in another thread, so that the waiting can be interrupted, and calls `look` again
    and again meanwhile. Returns or raises what the work does, or raises what `look` does."""
    future: Future[Result] = Future()

    Thread(target=settle, args=(future, work), name="jaxviz works", daemon=True).start()
    while not wait([future], SECONDS_TO_LISTEN).done:
        look()
    return future.result()
