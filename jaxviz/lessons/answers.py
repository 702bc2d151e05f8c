"""Checks the reader's answer to an exercise of a lesson."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

COLOURS = {"✓": "success", "✗": "error", "…": "border"}


class Checked:
    """A mark and the words after it, as the last value of a cell."""

    def __init__(self, mark: str, said: str) -> None:
        self.mark = mark
        self.said = said

    def __repr__(self) -> str:
        return f"{self.mark} {self.said}"

    def _repr_html_(self) -> str:
        colour = f"var(--jp-{COLOURS[self.mark]}-color1, currentColor)"
        style = f"border-left: 4px solid {colour}; padding: 4px 12px; margin: 0"
        return f'<p style="{style}"><b>{self.mark}</b>&ensp;{escape(self.said)}</p>'


def check(
    answer: Any, *, right: Any, because: str, wrong: Mapping[Any, str] | None = None, otherwise: str
) -> Checked:
    """Say whether an answer is right, and why.

    Parameters
    ----------
    answer : object
        What the reader answered; `...` where they have not yet.
    right : object
        The right answer.
    because : str
        Said of the right answer: why it is so.
    wrong : mapping, optional
        For answers that one may well give: what was overlooked.
    otherwise : str
        Said of any other answer, and before there is one: where to look.

    Examples
    --------
    >>> check(3, right=2, because="Only new shapes are traced.", otherwise="Count the prints.")
    ✗ Count the prints.
    """
    if answer is ...:
        return Checked("…", otherwise)
    if _same(answer, right):
        return Checked("✓", because)
    said = (text for one, text in (wrong or {}).items() if _same(answer, one))
    return Checked("✗", next(said, otherwise))


def _same(answer: Any, other: Any) -> bool:
    """True if they are equal. Here True is not 1, and values that cannot be compared differ."""
    if isinstance(answer, bool) != isinstance(other, bool):
        return False
    try:
        return bool(answer == other)
    except (TypeError, ValueError):
        return False
