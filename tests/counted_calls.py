"""Reads off a log the calls that JAX's caches answered, and finds where JAX looks for hooks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from jaxviz.capture import _hooks
from jaxviz.session import Log
from jaxviz.session.session import Session

places, events = _hooks.hooks, _hooks.event_hook
TOLD = events() is not None
"""True if this version of JAX reports calls of functions with effects: not up to 0.6."""


class counted:
    """A log with hits while it lasts."""

    def __init__(self) -> None:
        self.session = Session()

    def __enter__(self) -> Log:
        self.log = Log(hits=True)
        self.session.open(self.log)
        return self.log

    def __exit__(self, *_: object) -> None:
        self.session.close(self.log)


def hits(log: Log) -> dict[str, int]:
    found = {function.name: sum(function.hits or []) for function in log.functions}
    return {name.rpartition(".")[2]: times for name, times in found.items()}


def hooks_in_place() -> list[Any]:
    event = events()
    return [hook.get() for hook in (*places(), *([] if event is None else [event]))]


def run_while_read(log: Log, work: Callable[[], object], threads: int) -> None:
    """Runs `work` in `threads` threads at once, while the log is read."""
    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    while any(thread.is_alive() for thread in running):
        log.record()
    for thread in running:
        thread.join()


def broken(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("a fault")
