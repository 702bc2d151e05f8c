"""Background jobs: work in a thread of its own, for whose result any number of others may wait."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from time import monotonic
from typing import Generic, TypeVar

OnProgress = Callable[[str, float], None]
"""Called while one waits, with what a job is doing (`compiling`) and for how many seconds it has
been under way."""
SECONDS_BETWEEN_REPORTS = 0.5
"""Seconds between two reports on a job to one who waits for it."""

Result = TypeVar("Result")


class Job(Generic[Result]):
    """Work that is under way, or done. Who waits for it may stop waiting without ending it."""

    def __init__(self) -> None:
        self.future: Future[Result] = Future()
        self.doing = "waiting"
        """What it is doing, in a word or two for the page."""
        self._start = monotonic()

    @property
    def seconds(self) -> float:
        """How long it has been under way."""
        return monotonic() - self._start

    def wait(self, on_progress: OnProgress | None = None) -> Result:
        """The result, once it is there. Raises what the work raised.

        An interrupt ends the waiting, not the job."""
        while True:
            try:
                return self.future.result(timeout=SECONDS_BETWEEN_REPORTS)
            except TimeoutError:
                if on_progress is not None:
                    on_progress(self.doing, self.seconds)


def in_background(work: Callable[[], None]) -> None:
    """Calls `work` in a thread of its own, in the context of who asks for it: what is printed or
    sent meanwhile counts as the asking cell's, or message's."""
    Thread(target=copy_context().run, args=(work,), daemon=True, name="jaxviz").start()
