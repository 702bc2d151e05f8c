"""Lessons: notebooks that teach what JAX makes of a function, in each language of `pages`.

`en/N_name.ipynb` and `ko/N_name.ipynb` have the same cells with the same ids: their code differs
only in comments and strings. They have no outputs; `tests/lessons/N_name.toml` has claims about the
outputs of each cell. JupyterLab opens copies of them, too (`js/src/hosts/lab/index.ts`). Their
questions are in `answers/`; `quiz` shows them (`quizzes.py`).
"""

from __future__ import annotations

from pathlib import Path

from jaxviz.lessons.quizzes import quiz
from jaxviz.safety.files import write_file

__all__ = ["copy_lessons", "lessons", "quiz"]

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
