"""Lessons: notebooks that teach what JAX makes of a function, in each language of `pages`.

`en/N_name.ipynb` and `ko/N_name.ipynb` have the same cells with the same ids: their code differs
only in comments and strings. They have no outputs; `tests/lessons/N_name.toml` has claims about the
outputs of each cell. JupyterLab opens copies of them, too (`hosts/lab/lessons.ts`). Their exercises
call `check`, which says if an answer is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from jaxviz.safety.files import write_file

__all__ = ["check", "copy_lessons", "lessons"]

FOLDER = Path(__file__).parent


def lessons(language: str) -> list[Path]:
    """The notebooks of a language, in reading order."""
    return sorted((FOLDER / language).glob("*.ipynb"))


def copy_lessons(folder: Path, language: str) -> list[Path]:
    """Copy the notebooks of a language into a folder, and return the copies in reading order.

    Existing files do not change: the reader may have edited them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    copies = []
    for lesson in lessons(language):
        copies.append(folder / lesson.name)
        if not copies[-1].exists():
            write_file(copies[-1], lesson.read_bytes())
    return copies


# Checks a reader's answer to an exercise of a lesson.

COLOURS = {"✓": "success", "✗": "error", "…": "border"}


class Verdict:
    """A mark and the text after it, as the last value of a cell."""

    def __init__(self, mark: str, text: str) -> None:
        self.mark = mark
        self.text = text

    def __repr__(self) -> str:
        return f"{self.mark} {self.text}"

    def _repr_html_(self) -> str:
        colour = f"var(--jp-{COLOURS[self.mark]}-color1, currentColor)"
        style = f"border-left: 4px solid {colour}; padding: 4px 12px; margin: 0"
        return f'<p style="{style}"><b>{self.mark}</b>&ensp;{escape(self.text)}</p>'


def check(
    answer: Any, *, right: Any, because: str, wrong: Mapping[Any, str] | None = None, otherwise: str
) -> Verdict:
    """Say if an answer is right, and why.

    Parameters
    ----------
    answer : object
        The reader's answer; `...` if there is none yet.
    right : object
        The right answer.
    because : str
        The reason, shown for the right answer.
    wrong : mapping, optional
        For likely wrong answers, the text that explains the mistake.
    otherwise : str
        The text for any other answer, and before there is one: where to look.

    Examples
    --------
    >>> check(3, right=2, because="Only new shapes are traced.", otherwise="Count the prints.")
    ✗ Count the prints.
    """
    if answer is ...:
        return Verdict("…", otherwise)
    if _same(answer, right):
        return Verdict("✓", because)
    texts = (text for one, text in (wrong or {}).items() if _same(answer, one))
    return Verdict("✗", next(texts, otherwise))


def _same(answer: Any, other: Any) -> bool:
    """True if two answers are equal. True is not 1, and values that cannot be compared differ."""
    if isinstance(answer, bool) != isinstance(other, bool):
        return False
    try:
        return bool(answer == other)
    except (TypeError, ValueError):
        return False
