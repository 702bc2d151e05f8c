"""The lessons are executed in a real kernel, and what they say of a program is so."""

from __future__ import annotations

import copy
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path
from typing import Any

import jax
import nbformat
import pytest
from flax import nnx
from golden_jax import GOLDEN_JAX, slow_elsewhere
from nbformat import NotebookNode
from notebook import Executor
from planted import ROOT

from jaxviz.lessons import copy_lessons, lessons
from jaxviz.lessons.quizzes import questions
from jaxviz.pages import LANGUAGES

sys.path.append(str(ROOT / "scripts"))

import executed

TOLD = Path(__file__).parents[1] / "lessons"
NAMES = [lesson.stem for lesson in lessons("en")]
IS_GOLDEN = jax.__version__ == GOLDEN_JAX
ALL = [path for language in LANGUAGES for path in lessons(language)]


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(book: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def said(cell: NotebookNode) -> str:
    """The printed and displayed texts of a cell."""
    texts = []
    for output in cell.outputs:
        data = output.get("data", {})
        texts += [output.get("text", ""), data.get("text/plain", ""), output.get("evalue", "")]
    return "\n".join(texts)


def run_through(path: Path, folder: Path) -> tuple[NotebookNode, NotebookNode]:
    """A lesson as the reader finds it, executed, and its exercises, solved after it."""
    book = read(path)
    if not hasattr(nnx, "List") and any("nnx.List" in cell.source for cell in book.cells):
        pytest.skip("nnx.List is of a later Flax than fits this JAX")
    resources = {"metadata": {"path": str(folder)}}
    client = Executor(book, resources=resources, coalesce_streams=True)
    client.execute(cleanup_kc=False)
    client.nb = solved(book, path.stem.split("_")[0])
    return book, client.execute(cleanup_kc=True)


def solved(book: NotebookNode, number: str) -> NotebookNode:
    """The cells of a lesson that find out and compare answers, with the solutions."""
    exercises = copy.deepcopy(book)
    for cell in code_cells(exercises):
        one = questions().get(f"{number}-{cell.id}")
        if one is not None and one.solution:
            cell.source = one.solution
    exercises.cells = [
        after for cell, after in zip(book.cells, exercises.cells, strict=True)
        if cell.source != after.source or is_of_an_answer(cell)
    ]  # fmt: skip
    return exercises


def is_of_an_answer(cell: NotebookNode) -> bool:
    asked = re.search(r"^(answer = |quiz\(.*, answer\))", cell.source, re.MULTILINE)
    return cell.cell_type == "code" and bool(asked)


def claims(one: dict[str, list[str]]) -> list[str]:
    """The claims about a cell. Before 0.7, JAX does not report narrowed arguments."""
    newer = jax.__version_info__ >= (0, 7)
    return one.get("says", []) + (one.get("says_from_0_7", []) if newer else [])


def untrue(book: NotebookNode, name: str) -> list[str]:
    """Claims of `lessons/NAME.toml` that are not true."""
    told: dict[str, dict[str, list[str]]] = tomllib.loads(
        (TOLD / f"{name}.toml").read_text("utf-8")
    )
    cells = {cell.id: said(cell) for cell in code_cells(book)}
    missing = [
        f"{cell} says {text!r}: {cells[cell]}"
        for cell, one in told.items()
        for text in claims(one)
        if text not in cells[cell]
    ]
    return missing + [
        f"{cell} lacks {text!r}: {cells[cell]}"
        for cell, one in told.items()
        for text in one.get("lacks", ())
        if text in cells[cell]
    ]


def marks(book: NotebookNode) -> list[str]:
    """The marks of the answers that Python compared."""
    return [
        said(cell).strip().splitlines()[-1][:1]
        for cell in code_cells(book)
        if cell.source.startswith("quiz(") and cell.source.endswith(", answer)")
    ]


@slow_elsewhere
@pytest.mark.parametrize("path", ALL if IS_GOLDEN else lessons("en"), ids=name_of)
def test_a_lesson_is_true_and_knows_its_answers(path: Path, tmp_path: Path) -> None:
    book, answered = run_through(path, tmp_path)
    assert untrue(book, path.stem) == []
    assert set(marks(book)) <= {"…"}
    assert set(marks(answered)) <= {"✓"}
    if IS_GOLDEN:
        executed.keep(path, book)


def without_words(source: str) -> list[str]:
    """The tokens of code, but for its comments, and strings as one token each."""
    lines = re.sub(r"^%.*$", lambda line: repr(line[0]), source, flags=re.MULTILINE)
    magics = re.findall(r"^%.*$", source, flags=re.MULTILINE)
    tokens = tokenize.generate_tokens(io.StringIO(lines).readline)
    kept = (token for token in tokens if token.type not in {tokenize.COMMENT, tokenize.NL})
    return magics + ["''" if one.type == tokenize.STRING else one.string for one in kept]


def shape(cell: NotebookNode) -> tuple[Any, ...]:
    """The properties of a cell that are equal in every language."""
    slide = cell.metadata.get("slideshow")
    common = (cell.id, cell.cell_type, cell.metadata.get("tags"), slide)
    if cell.cell_type == "markdown":
        return common
    return (*common, cell.metadata.get("jupyter"), without_words(cell.source))


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_has_the_same_cells_in_each_language(name: str) -> None:
    english, *others = (
        [shape(cell) for cell in read(path).cells]
        for language in LANGUAGES
        for path in lessons(language)
        if path.stem == name
    )
    assert len(others) == len(LANGUAGES) - 1
    for other in others:
        assert other == english


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_a_lesson_is_kept_without_outputs(path: Path) -> None:
    book = read(path)
    nbformat.validate(book)
    for cell in code_cells(book):
        assert (cell.outputs, cell.execution_count) == ([], None)
    assert path.read_text("utf-8") == nbformat.writes(book) + "\n"


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_links_lead_to_lessons(path: Path) -> None:
    texts = (cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\((?!https:)([^)]*)\)", "\n".join(texts))
    assert [link for link in links if not (path.parent / link).is_file()] == []


def test_jupyterlab_opens_every_lesson() -> None:
    source = Path("js/src/hosts/lab/index.ts").read_text("utf-8")
    assert re.findall(r"'(\d_\w+)'", source) == NAMES


def test_copies_keep_what_became_of_them(tmp_path: Path) -> None:
    first, *_ = copies = copy_lessons(tmp_path / "here", "en")
    assert sorted((tmp_path / "here").iterdir()) == copies
    assert [path.stem for path in copies] == NAMES
    first.write_text("mine")
    copy_lessons(tmp_path / "here", "en")
    assert first.read_text() == "mine"


@pytest.mark.parametrize("language", [[], ["ko"]])
def test_the_command_copies_the_lessons(language: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "jaxviz", "demos", *language]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    files = sorted((tmp_path / "jaxviz-lessons").iterdir())
    assert done.stdout.splitlines() == [str(file.relative_to(tmp_path)) for file in files]
    originals = lessons(*language or ["en"])
    assert [file.read_bytes() for file in files] == [path.read_bytes() for path in originals]
