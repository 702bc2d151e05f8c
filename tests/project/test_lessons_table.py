"""`docs/lessons.md` says where the lessons answer; what it quotes is held by their claims."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from jaxviz.lessons import lessons

TABLE = Path("docs/lessons.md").read_text("utf-8")
CLAIMS = Path(__file__).parents[1] / "lessons"
LESSONS = {lesson.stem[0]: lesson for lesson in lessons("en")}


class Row(NamedTuple):
    question: str
    lesson: str
    cells: list[str]
    texts: list[str]
    score: int


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def rows() -> list[Row]:
    found = re.findall(r"^\| (.+) \| (\d) \| (.+) \| (.+) \| ([012]) \|$", TABLE, re.MULTILINE)
    return [
        Row(question, lesson, quoted(cells), quoted(texts), int(score))
        for question, lesson, cells, texts, score in found
    ]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.question)
def test_what_is_quoted_is_held_by_claims(row: Row) -> None:
    lesson = LESSONS[row.lesson]
    ids = [cell.id for cell in nbformat.read(lesson, as_version=4).cells]
    assert [cell for cell in row.cells if cell not in ids] == []
    claims = tomllib.loads((CLAIMS / f"{lesson.stem}.toml").read_text("utf-8"))
    keys = ("says", "says_from_0_7")
    said = "\n".join(text for c in row.cells for key in keys for text in claims[c].get(key, ()))
    assert row.texts
    assert [text for text in row.texts if text not in said] == []


def test_scores_add_up_and_each_shortfall_is_named() -> None:
    assert len(rows()) == 45
    total = sum(row.score for row in rows())
    assert total >= 88
    assert f"**{total} of 90.**" in TABLE
    _, shortfalls = TABLE.split("## What falls short\n")
    assert len(re.findall("^- ", shortfalls, re.MULTILINE)) == sum(row.score < 2 for row in rows())
