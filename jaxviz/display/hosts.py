"""Finds out which host shows the running cell's outputs (JupyterLab, VS Code, Colab, a console), as
far as a kernel can know."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from IPython.core.getipython import get_ipython

WIDGET = "application/vnd.jupyter.widget-view+json"
"""The MIME type of a widget in an output."""
CELL = "vscode-notebook-cell:"
"""How VS Code's cell ids begin: each is the URI of the cell's document."""


def in_kernel() -> bool:
    return getattr(get_ipython(), "kernel", None) is not None


def needs_widget() -> bool:
    """Whether an output must hold a widget to be live, as in VS Code and Colab.

    Elsewhere no output holds one: JupyterLab and Notebook would show an error in place of a widget
    whose model is gone, even though there is a picture beside it."""
    return is_colab() or cell().startswith(CELL)


def is_page() -> bool:
    """Whether a page runs the cell, which then has an id. Tools that execute notebooks without a
    page (nbconvert) would save a widget with the notebook."""
    return is_colab() or cell() != ""


def takes_updates() -> bool:
    """Whether a display can be replaced by a later one. A console would go on showing the first; it
    is recognized by giving no cell ids and accepting input."""
    return is_page() or not request().get("content", {}).get("allow_stdin", False)


def is_colab() -> bool:
    return "google.colab" in sys.modules


def cell() -> str:
    """The id of the cell that runs; empty where the host gives none."""
    return str(request().get("metadata", {}).get("cellId", ""))


def request() -> dict[str, Any]:
    """The request that the kernel is answering; empty where there is no kernel."""
    with suppress(Exception):
        shell: Any = get_ipython()
        return shell.kernel.get_parent()
    return {}
