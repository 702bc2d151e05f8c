"""Tells which cell of a notebook runs, and calls functions when a cell runs again.

What a cell has shown is kept in the kernel until the cell runs again: `until_rerun` is for that.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from IPython.core.getipython import get_ipython


class CellRun(NamedTuple):
    """One execution of a cell, and what to call once the cell runs again."""

    execution: str
    endings: list[Callable[[], None]]


_latest: dict[str, CellRun] = {}
"""The latest run of each cell that has shown something, by the cell's id."""


def until_rerun(end: Callable[[], None]) -> None:
    """Arranges that `end` is called when the running cell runs again.

    Raises where there is no kernel, or where it does not know the cell.
    """
    shell: Any = get_ipython()
    cell, execution = running(shell)
    if _end_earlier not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", _end_earlier)
    run = _latest.get(cell)
    if run is None or run.execution != execution:
        run = _latest[cell] = CellRun(execution, [])
    run.endings.append(end)


def running(shell: Any) -> tuple[str, str]:
    """The id of the cell that runs, and the id of the message that it is run for."""
    request = shell.kernel.get_parent()
    return request["metadata"]["cellId"], request["header"]["msg_id"]


def stored(shell: Any) -> int:
    """The execution count of the cell that runs, from the history, where it is the last one.

    `shell.execution_count` is that number up to IPython 9.0, and one more in later versions.
    """
    history = shell.history_manager
    return 0 if history is None else len(history.input_hist_raw) - 1


def running_cell() -> tuple[str | None, int | None]:
    """The id of the cell that runs, and its execution count; None for what is not known."""
    shell: Any = get_ipython()
    with suppress(Exception):
        return running(shell)[0], stored(shell)
    return None, None


def _end_earlier(_: object) -> None:
    """Calls what waits for the beginning cell to run again. A cell that runs within another one
    shares its request, so it ends nothing."""
    with suppress(Exception):
        cell, execution = running(get_ipython())
        run = _latest.get(cell)
        if run is None or run.execution == execution:
            return
        del _latest[cell]
        for end in run.endings:
            with suppress(Exception):
                end()
