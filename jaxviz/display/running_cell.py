"""The cell that runs: its id, the host that shows its outputs (JupyterLab, VS Code, Colab, a
console), and what is called when it runs again.

The kernel keeps the objects behind a cell's outputs until the cell runs again (`until_rerun`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from IPython.core.getipython import get_ipython
from IPython.display import display

WIDGET = "application/vnd.jupyter.widget-view+json"
"""The MIME type of a widget in an output."""
CELL = "vscode-notebook-cell:"
"""The prefix of VS Code's cell ids: each is the URI of the cell's document."""


def in_kernel() -> bool:
    return getattr(get_ipython(), "kernel", None) is not None


def needs_widget() -> bool:
    """True in VS Code and Colab, where an output needs a widget to be live.

    Other hosts get no widget: if its model is gone, JupyterLab and Notebook would show an error
    instead of it, even if there is a picture beside it."""
    return is_colab() or cell().startswith(CELL)


def is_page() -> bool:
    """True if a page runs the cell: then the cell has an id. Tools that execute notebooks without a
    page (nbconvert) would save a widget with the notebook."""
    return is_colab() or cell() != ""


def takes_updates() -> bool:
    """True if a later display can replace an earlier one. In a console and in ipyparallel it
    cannot. A console sends no cell ids and accepts input."""
    accepts_input = request().get("content", {}).get("allow_stdin", False)
    return is_page() or not (of_engine() or accepts_input)


def of_engine() -> bool:
    """True if an engine of ipyparallel runs the cell. Its requests contain neither a cell id nor
    `allow_stdin`. The client passes on outputs, but no updates of them. Each engine counts its own
    cells."""
    content = request().get("content", {})
    return "code" in content and "allow_stdin" not in content and not is_page()


def is_colab() -> bool:
    return "google.colab" in sys.modules


def at_rest(work: Callable[[], None]) -> None:
    """Calls `work` in the kernel's main thread, where cells run, once no cell runs."""
    shell: Any = get_ipython()
    shell.kernel.io_loop.add_callback(work)


def before_cells(hook: Callable[[object], None]) -> None:
    """Calls `hook` before each cell from now on, only once even if registered twice."""
    shell: Any = get_ipython()
    if hook not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", hook)


def cell() -> str:
    """The id of the cell that runs; empty if the host sends none."""
    return str(request().get("metadata", {}).get("cellId", ""))


def request() -> dict[str, Any]:
    """The request that the kernel is answering; empty if there is no kernel."""
    with suppress(Exception):
        shell: Any = get_ipython()
        return shell.kernel.get_parent()
    return {}


class CellRun(NamedTuple):
    """One execution of a cell, and what to call once the cell runs again."""

    execution: str
    endings: list[Callable[[], None]]


_latest: dict[str, CellRun] = {}
"""The latest run of each cell that has shown something, by the cell's id."""


def until_rerun(end: Callable[[], None]) -> None:
    """Calls `end` when the running cell runs again. Raises if there is no kernel, or if the kernel
    does not know the cell."""
    cell, execution = running()
    before_cells(_end_earlier)
    run = _latest.get(cell)
    if run is None or run.execution != execution:
        run = _latest[cell] = CellRun(execution, [])
    run.endings.append(end)


def running() -> tuple[str, str]:
    """The id of the cell that runs, and the id of the message that runs it. Raises KeyError if
    there is no kernel, or if the kernel does not know the cell."""
    asked = request()
    return asked["metadata"]["cellId"], asked["header"]["msg_id"]


def publish(bundle: dict[str, Any]) -> None:
    """Adds an output to the cell that runs."""
    display(bundle, raw=True)


def stored_count(shell: Any) -> int:
    """The execution count of the cell that runs, from the history, whose last entry it is.

    `shell.execution_count` is that number up to IPython 9.0, and one more in later versions.
    """
    history = shell.history_manager
    return 0 if history is None else len(history.input_hist_raw) - 1


def running_cell() -> tuple[str | None, int | None]:
    """The id of the cell that runs, and its execution count; both None if not known."""
    shell: Any = get_ipython()
    with suppress(Exception):
        return running()[0], stored_count(shell)
    return None, None


def _end_earlier(_: object) -> None:
    """Calls the functions that `until_rerun` got in the last run of the cell that begins. A cell
    that runs within another one shares its request, so it ends nothing."""
    with suppress(Exception):
        cell, execution = running()
        run = _latest.get(cell)
        if run is None or run.execution == execution:
            return
        del _latest[cell]
        for end in run.endings:
            with suppress(Exception):
                end()
