"""Who shows the output of the cell that runs, as far as the kernel can know."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from IPython.core.getipython import get_ipython

WIDGET = "application/vnd.jupyter.widget-view+json"
"""What an output holds of a widget."""
CELL = "vscode-notebook-cell:"
"""How VS Code's ids of cells begin: each is its document's URI."""


def in_kernel() -> bool:
    return getattr(get_ipython(), "kernel", None) is not None


def needs_widget() -> bool:
    """Whether the host draws live views only where an output holds a widget's: VS Code and Colab.

    JupyterLab and Notebook show an error in place of a widget whose model is gone or cannot be
    drawn, however good the picture beside it: there no output holds one."""
    return is_colab() or cell().startswith(CELL)


def is_page() -> bool:
    """Whether the cell runs in a page, which gives it an id. Who executes a notebook without one
    would save a widget with it."""
    return is_colab() or cell() != ""


def takes_updates() -> bool:
    """Whether a display may take the place of an earlier one. A console, which gives no ids to
    cells and can be asked for input, would go on showing the first."""
    return is_page() or not request().get("content", {}).get("allow_stdin", False)


def is_colab() -> bool:
    return "google.colab" in sys.modules


def cell() -> str:
    """The id of the cell that runs; empty where the host gives none."""
    return str(request().get("metadata", {}).get("cellId", ""))


def request() -> dict[str, Any]:
    """What the kernel was asked to run; empty where there is no kernel."""
    with suppress(Exception):
        shell: Any = get_ipython()
        return shell.kernel.get_parent()
    return {}
