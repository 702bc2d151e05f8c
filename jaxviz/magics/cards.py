"""Shows the card of an error below its traceback: of a call that `%jaxviz` could not capture, and
of a cell that is watched; and the pages of text on kinds of errors."""

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

    A cell that is not watched has one only where `%jaxviz` refused a call. An exception that JAX
    had no part in has none. The hook never raises, so cells are not affected."""
    with suppress(Exception):
        error = None if result is None else result.error_in_exec
        if error is None or not (watched or isinstance(error, CaptureError)):
            return
        found = explanation_of(error)
        if found is not None:
            display(found)


def show_explained(words: list[str]) -> None:
    """Show the card of the last exception, or the page of a kind, in English or the language that
    is named. Raises UsageError where there is no such thing."""
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
    """Explain the exception that is handled, else the one that was shown last. Raises UsageError if
    it has no card, and if there is none."""
    if sys.exception() is None and getattr(sys, "last_value", None) is None:
        raise UsageError(
            "there is no exception to explain: run the cell that fails, then %jaxviz explain."
        )
    try:
        return explain()
    except ValueError as error:
        raise UsageError(str(error)) from None
