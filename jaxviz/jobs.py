"""Background jobs: each works in its own thread, and any number of others may wait for its result.

Used for what takes long and is asked for by several at once: JAX's later stages are one such work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from time import monotonic
from typing import Generic, TypeVar

OnProgress = Callable[[str, float], None]
"""Called again and again while one waits for a job, with what it is doing (`compiling`) and for how
many seconds it has been under way."""
SECONDS_BETWEEN_REPORTS = 0.5
"""How often OnProgress is called."""

SECONDS_OF_SILENCE = 5.0
"""How long nothing is said of a wait that nobody follows."""

Result = TypeVar("Result")


class Job(Generic[Result]):
    """Work that is under way or done. One who waits for it may stop waiting; the work goes on."""

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

        Without `on_progress`, a wait that takes long is told on standard error. An interrupt ends
        the waiting, not the job."""
        tell = on_progress or on_standard_error()
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
