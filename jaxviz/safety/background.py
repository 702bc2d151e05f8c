"""Background jobs. Each works in its own thread, and any number of threads may wait for its result.

Used for long work that several pages may request, such as JAX's later stages.
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
"""Called repeatedly during the wait for a job, with its current step (`compiling`) and the seconds
since its start."""
SECONDS_BETWEEN_REPORTS = 0.5
"""Seconds between two calls of OnProgress."""

SECONDS_TO_LISTEN = 0.2
"""The longest single wait, since Windows delivers an interrupt only between two waits."""
SECONDS_OF_SILENCE = 5.0
"""A wait without `OnProgress` is reported on standard error after these seconds."""

Result = TypeVar("Result")


class NobodyWaits(BaseException):
    """Ends work that nobody waits for. Handlers of failures must not catch it."""


class Job(Generic[Result]):
    """Work that is running or done. If a waiting thread gives up, the work goes on. Only work of
    another process is ended if nobody waits for it."""

    def __init__(self, doing: str = "waiting") -> None:
        self.future: Future[Result] = Future()
        self.doing = doing
        """The current step, in a word or two for the page."""
        self._start = monotonic()
        self._waits: set[object] = set()
        self._began = False

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return monotonic() - self._start

    @property
    def is_awaited(self) -> bool:
        """True if somebody waits for it, or nobody has waited yet."""
        return bool(self._waits) or not self._began

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Marks the job as awaited within this context."""
        mark = object()
        self._waits.add(mark)
        self._began = True
        try:
            yield
        finally:
            self._waits.discard(mark)

    def wait(self, on_progress: OnProgress | None = None) -> Result:
        """Waits for the result. Raises the work's exception.

        Without `on_progress`, a long wait is reported on standard error. An interrupt ends
        the wait, not the job."""
        report = on_progress or on_standard_error()
        with self.awaited():
            while True:
                try:
                    return self.future.result(timeout=SECONDS_BETWEEN_REPORTS)
                except TimeoutError:
                    report(self.doing, self.seconds)


def on_standard_error() -> OnProgress:
    """Prints each long step once."""
    printed = ""

    def report(doing: str, seconds: float) -> None:
        nonlocal printed
        if seconds >= SECONDS_OF_SILENCE and doing != printed:
            printed = doing
            with suppress(Exception):
                print(
                    f"jaxviz: {doing}, {seconds:.0f} s so far; an interrupt ends the wait.",
                    file=sys.stderr,
                )

    return report


def in_background(work: Callable[[], None]) -> None:
    """Calls `work` in a new thread, with a copy of the caller's context. So its output belongs to
    the cell or message that requested it."""
    Thread(target=copy_context().run, args=(work,), daemon=True, name="jaxviz").start()


def fulfil(future: Future[Result], work: Callable[[], Result]) -> None:
    """Does work, and sets the future's result or exception, so that nobody waits forever."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


def start_job(work: Callable[[], Result], doing: str) -> Job[Result]:
    """Starts work in the background, and returns its job."""
    job = Job[Result](doing)
    in_background(lambda: fulfil(job.future, work))
    return job


def result_of(work: Callable[[], Result], check: Callable[[], None] = lambda: None) -> Result:
    """Does work in another thread, so that the user can interrupt the wait. Returns its result, or
    raises its exception. Calls `check` repeatedly, whose exception ends the wait."""
    future: Future[Result] = Future()

    Thread(target=fulfil, args=(future, work), name="jaxviz works", daemon=True).start()
    while not wait([future], SECONDS_TO_LISTEN).done:
        check()
    return future.result()
