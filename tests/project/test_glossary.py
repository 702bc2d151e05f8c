"""The glossary of the lessons: in each language the same terms, which the lessons explain."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from jaxviz.lessons import FOLDER
from jaxviz.pages import LANGUAGES

ENTRY = re.compile(r"^- \*\*(.+?)\*\*: .+ \(\[.+\]\((\w+\.ipynb)\)\)$", re.MULTILINE)


def entries(language: str) -> list[tuple[str, str]]:
    """Each term with the notebook that explains it."""
    text = (FOLDER / language / "glossary.md").read_text("utf-8")
    found = ENTRY.findall(text)
    assert len(found) == text.count("\n- ")
    return found


def text_of(lesson: Path) -> str:
    return "\n".join(cell.source for cell in nbformat.read(lesson, as_version=4).cells).lower()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_term_stands_in_the_lesson_that_explains_it(language: str) -> None:
    for term, lesson in entries(language):
        text = text_of(FOLDER / language / lesson)
        for word in term.lower().split(", "):
            assert any(name in text for name in re.split(r"[()]", word) if name), (word, lesson)


def test_languages_have_the_same_terms() -> None:
    english, *others = ([lesson for _, lesson in entries(language)] for language in LANGUAGES)
    assert all(lessons == english for lessons in others)


def test_terms_are_sorted_once_each() -> None:
    terms = [term.lower() for term, _ in entries("en")]
    assert terms == sorted({*terms})


# In lessons 1, 5 and 7 bold words are steps of a way, not terms alone.
@pytest.mark.parametrize(
    "lesson",
    [
        "0_see_what_jax_sees",
        *("2_tracers", "3_static_arguments", "4_thinking_in_jax", "6_a_training_step"),
        *("8_many_devices", "9_when_it_ran"),
    ],
)
def test_what_a_lesson_explains_is_in_the_glossary(lesson: str) -> None:
    words = ", ".join(term.lower() for term, _ in entries("en"))
    text = text_of(FOLDER / "en" / f"{lesson}.ipynb")
    explained = re.findall(r"\*\*(\w[\w ]*)\*\*", text)
    assert [word for word in explained if word.rstrip("s") not in words] == []
