"""Each question of `lessons/questions.toml` has a cell whose output answers it, and is asserted."""

from __future__ import annotations

import tomllib
from pathlib import Path

TOLD = Path(__file__).parent / "lessons"


def read(name: str) -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((TOLD / f"{name}.toml").read_text("utf-8"))


def test_every_question_has_an_answer_that_is_asserted() -> None:
    asked: list[str] = []
    for lesson, cells in read("questions").items():
        told = read(lesson)
        for cell, questions in cells.items():
            assert told[cell]["says"], (lesson, cell)
            asked += questions
    assert len({*asked}) == len(asked) == 45
