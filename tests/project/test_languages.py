"""Texts of the site, the pages on errors and the lessons are written alike in each language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from planted import ROOT

from jaxviz import lessons, pages
from jaxviz.pages import LANGUAGES

FOLDERS = [ROOT / "site", pages.FOLDER, lessons.FOLDER]
MARK = re.compile(r"^(?:#+ |\s*[-*] |\s*\d+\. |\||```|:::)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]*)")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def texts_of(path: Path) -> list[str]:
    """The text of a page, or that of each cell of a lesson."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return [text]
    cells = json.loads(text)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def written(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """The marks and links of each text, in a language's folder; what stands as code in one that
    has no answers to exercises, which are words."""
    return {
        str(path.relative_to(folder)): [
            (
                MARK.findall(text),
                sorted(LINK.findall(text)),
                set(CODE.findall(text)) if path.suffix == ".md" else None,
            )
            for text in texts_of(path)
        ]
        for path in folder.rglob("*")
        if path.suffix in (".md", ".ipynb")
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_language_has_the_same_headings_lists_links_and_code(folder: Path) -> None:
    english, *others = (written(folder / language) for language in LANGUAGES)
    assert len(english) > 8
    for other in others:
        assert other == english
