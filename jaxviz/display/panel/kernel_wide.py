"""What happened in this kernel since it began, or since the panel was cleared."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Any

from IPython.core.getipython import get_ipython

from jaxviz import schema
from jaxviz.display.known import captures, forget_captures, hold, logs
from jaxviz.display.traces import Traces
from jaxviz.display.updates import changed
from jaxviz.session import Log, session

KEY = "kernel"
"""The key under which pages ask about the kernel-wide log."""


class KernelWide:
    """A log of all that happens in this kernel, and how much of it came with the last cell.
    Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._again = 0
        self.clear()
        self.traces = Traces(self._program, lambda: self._log.record())

    def clear(self) -> None:
        """Begins anew with an empty log and an empty list of captures."""
        log = Log(keep=True, on_change=changed)
        with self._lock:
            self._log, self._again = log, 0
        session.accompany(log, changed)
        forget_captures()
        changed()

    def _program(self, number: int) -> schema.Program | None:
        """The program of an event, from this log or else from the logs of cells, which keep more
        programs where a cell traced much."""
        found = self._log.program(number)
        others = (log.captured(number) for log in logs() if log is not self.traces)
        return found or next(filter(None, others), None)

    def cell_begins(self, _: object) -> None:
        """Counts from now on what comes with the cell that begins."""
        with suppress(Exception), self._lock:
            before, self._again = self._again, self._log.again
            if before != self._again:
                changed()

    def settle(self) -> None:
        """Keeps programs that JAX may forget, which takes a little while: for our own threads."""
        with suppress(Exception):
            self._log.settle()

    def record(self) -> schema.Panel:
        """All that the panel shows."""
        with self._lock:
            log, before = self._log, self._again
        return schema.Panel(
            version=schema.VERSION,
            watching=is_watching(),
            log=log.record(),
            captures=captures(),
            since=max(0, log.again - before),
        )


kernel_wide = KernelWide()
hold(KEY, kernel_wide.traces)


def begin() -> None:
    """Begins to count what comes with each cell. Calling it twice is harmless."""
    shell: Any = get_ipython()
    if kernel_wide.cell_begins not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", kernel_wide.cell_begins)


def is_watching() -> bool:
    """Whether `%jaxviz on` was run, and `%jaxviz off` was not run since."""
    shell: Any = get_ipython()
    if shell is None:
        return False
    magics = shell.magics_manager.registry.get("JaxvizMagics")
    return magics is not None and magics.watching.log is not None
