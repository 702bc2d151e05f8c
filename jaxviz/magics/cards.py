"""Shows the card of an error below its traceback, if `%jaxviz` could not capture a call or the cell
is watched, and help pages on kinds of errors."""

from __future__ import annotations

import sys
from contextlib import suppress

from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionResult
from IPython.display import display

from jaxviz.capture import CaptureError
from jaxviz.explain import Explanation, explain, explanation_of
from jaxviz.pages import LANGUAGES, page


def show_card(result: ExecutionResult | None, watched: bool) -> None:
    """Show the card of the exception that ended a cell.

    In a cell that is not watched, only a call that `%jaxviz` refused has a card. An exception
    without JAX in its traceback has none. The hook never raises, so cells are not affected."""
    with suppress(Exception):
        error = None if result is None else result.error_in_exec
        if error is None or not (watched or isinstance(error, CaptureError)):
            return
        found = explanation_of(error)
        if found is not None:
            display(found)


def show_explained(words: list[str]) -> None:
    """Show the card of the last exception, or the help page of a kind, in English or the named
    language. Raises UsageError if there is none."""
    match words:
        case []:
            display(last_explained())
        case [kind, *language] if language in ([], *([one] for one in LANGUAGES)):
            try:
                text = getattr(page(kind), *language or LANGUAGES[:1])
            except ValueError as error:
                raise UsageError(str(error)) from None
            display({"text/markdown": text, "text/plain": text}, raw=True)
        case _:
            raise UsageError("write %jaxviz explain KIND, or %jaxviz explain KIND ko for Korean.")


def last_explained() -> Explanation:
    """Explain the exception that is being handled, else the last one. Raises UsageError if there is
    none, or if it has no card."""
    if sys.exception() is None and getattr(sys, "last_value", None) is None:
        raise UsageError(
            "there is no exception to explain: run the cell that fails, then %jaxviz explain."
        )
    try:
        return explain()
    except ValueError as error:
        raise UsageError(str(error)) from None
