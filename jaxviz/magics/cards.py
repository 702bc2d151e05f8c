"""Shows the card of an error below its traceback: of a call that `%jaxviz` could not capture, and
of a cell that is watched."""

from __future__ import annotations

from contextlib import suppress

from IPython.core.interactiveshell import ExecutionResult
from IPython.display import display

from jaxviz.capture import CaptureError
from jaxviz.explain import explain


def show_card(result: ExecutionResult | None, watched: bool) -> None:
    """Show the card of the exception that ended a cell.

    A cell that is not watched has one only where `%jaxviz` refused a call. An exception that JAX
    had no part in has none. The hook never raises, so cells are not affected."""
    with suppress(Exception):
        error = None if result is None else result.error_in_exec
        if error is None or not (watched or isinstance(error, CaptureError)):
            return
        found = explain(error)
        if found.card.kind != "general" or found.program.args:
            display(found)
