"""`make docs` finds each kind of fault in the site that it built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from planted import ROOT

sys.path.append(str(ROOT / "scripts"))

import executed
import links

LIVE = '<script class="jaxviz-data">{}</script><div class="jaxviz-output jaxviz-log"></div>'
GOOD = {
    "index.html": '<h1 id="top">a</h1><a href="lessons/1_one.html#cell">b</a><a href="#top">c</a>',
    "lessons/1_one.html": f'<p id="cell"></p>{LIVE}'
    '<a href="../index.html">up</a><a href="https://docs.jax.dev/">JAX</a>',
}


def site(folder: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_a_good_site_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    links.check(site(tmp_path, GOOD))
    assert capsys.readouterr().out == "2 pages, 4 links, 1 live outputs\n"


@pytest.mark.parametrize(
    ("page", "text", "fault"),
    [
        ("index.html", '<a href="lost.html">x</a>', "the link lost.html leads nowhere"),
        ("index.html", '<a href="#lost">x</a>', "the link #lost leads nowhere"),
        (
            "index.html",
            '<a href="lessons/1_one.html#lost">x</a>',
            "the link lessons/1_one.html#lost leads nowhere",
        ),
        (
            "index.html",
            '<script src="https://cdn.example/x.js"></script>',
            "https://cdn.example/x.js is not of this site",
        ),
        ("index.html", '<img src="//a.example/x.png">', "//a.example/x.png is not of this site"),
        ("index.html", '<img src="lost.png">', "lost.png is not of this site"),
        ("lessons/1_one.html", "<p>", "nothing is live"),
        (
            "lessons/1_one.html",
            f'{LIVE}<div class="jaxviz-output jaxviz-card"></div>',
            "of 2 pictures 1 are live",
        ),
    ],
)
def test_a_fault_is_found(tmp_path: Path, page: str, text: str, fault: str) -> None:
    with pytest.raises(SystemExit) as ended:
        links.check(site(tmp_path, {**GOOD, page: text}))
    assert f"{page}: {fault}" in str(ended.value).splitlines()


def test_a_lesson_is_taken_as_it_was_executed_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executed, "FOLDER", tmp_path / "executed")
    lesson, page = tmp_path / "en" / "1_one.ipynb", tmp_path / "page.ipynb"
    lesson.parent.mkdir()
    lesson.write_text("{}")
    executed.put(lesson, page)
    assert not page.exists()
    executed.keep(lesson, {"cells": ["shown"], "metadata": {}})
    executed.put(lesson, page)
    assert '"shown"' in page.read_text()
    page.unlink()
    lesson.write_text("{ }")
    executed.put(lesson, page)
    assert not page.exists()
