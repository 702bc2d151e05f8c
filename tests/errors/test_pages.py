"""Each kind of error has a help page in each language. Its examples fail, and its fixes work."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from planted import ROOT
from shells import Run, fresh
from truth.errors.cases import CASES

import jaxviz
from jaxviz.capture.failure.kinds import ROWS
from jaxviz.capture.failure.libraries.equinox import LAYERS
from jaxviz.capture.failure.libraries.rules import RULES
from jaxviz.pages import FOLDER, LANGUAGES, SEARCHED, kinds, page

PAGES = sorted({row.page for row in (*ROWS, *RULES, LAYERS)} - {""})
DEVICES = [kind for kind in PAGES if "jax_num_cpu_devices" in page(kind).en]
"""The pages whose examples need two devices: they are run in a process of their own."""
SINCE = {"sharding-type": (0, 9), "specs": (0, 8)}
"""The first versions of JAX that have these errors."""
CODE = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
ALLOWED = re.compile(
    r"# [^\n]+\n\n[^\n`#]+\n"  # the title, and why, which stand on cards as they are
    r"(?:\n(?:## [^\n`]+|(?!#)(?:[^\n`]|`[^\n`]+`)+|```python\n(?:(?!```).*\n)+```)\n)+"
)
"""The form of a help page: paragraphs of one line, second headings, and Python between fences."""


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    yield from fresh("")
    jax.config.update("jax_debug_nans", False)


def test_every_kind_has_a_page_in_each_language() -> None:
    assert set(PAGES) <= set(kinds())
    for language in LANGUAGES:
        assert sorted(path.stem for path in (FOLDER / language).iterdir()) == kinds()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_site_lists_every_page(language: str) -> None:
    text = (ROOT / "site" / language / "pages" / "index.md").read_text("utf-8")
    assert sorted(re.findall(r"^[a-z][a-z0-9-]*$", text, re.MULTILINE)) == kinds()


@pytest.mark.parametrize("kind", kinds())
def test_a_page_is_written_alike_in_each_language(kind: str) -> None:
    texts = [getattr(page(kind), language) for language in LANGUAGES]
    assert all(ALLOWED.fullmatch(text) for text in texts)
    assert len({tuple(CODE.findall(text)) for text in texts}) == 1
    assert len({tuple(re.findall("^(?:##|```)?", text, re.MULTILINE)) for text in texts}) == 1


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_title_and_reason_name_the_exceptions(kind: str, language: str) -> None:
    raised = Counter(case.error.split("|")[0] for case in CASES if case.kind == kind)
    usual = {name for name, times in raised.items() if times > sum(raised.values()) / 3}
    title, why = getattr(page(kind), language).split("\n\n")[:2]
    (searched,) = SEARCHED.findall(title)
    named, given = ({*re.findall(r"[A-Za-z]+", text)} for text in (searched, why))
    assert usual <= named & given
    named = {name for name in named if name.endswith("Error")}
    assert named <= {*raised} | ({"XlaRuntimeError"} if "JaxRuntimeError" in raised else set())


@pytest.mark.parametrize("kind", [kind for kind in PAGES if kind not in DEVICES])
def test_the_first_example_fails_and_the_others_do_not(shell: InteractiveShell, kind: str) -> None:
    fails, *mended = CODE.findall(page(kind).en)
    assert mended
    with capture_output():
        error = shell.run_cell(fails, store_history=True).error_in_exec
        assert error is not None
        assert jaxviz.explain(error).card.kind == kind
        for language in LANGUAGES:
            assert has_words_of(CODE.sub("", getattr(page(kind), language)), str(error))
        for code in mended:
            shell.run_cell(code, store_history=True).raise_error()


def has_words_of(text: str, message: str) -> bool:
    """True if a text has three words in a row of a message."""
    return bool(runs(text) & runs(message))


def runs(text: str) -> set[tuple[str, ...]]:
    """All three words in a row."""
    words = re.findall(r"[\w']+", text)
    return {*zip(words, words[1:], words[2:], strict=False)}


@pytest.mark.parametrize(
    "kind", [kind for kind in DEVICES if jax.__version_info__ >= SINCE.get(kind, (0,))]
)
def test_the_examples_of_two_devices(kind: str) -> None:
    fails, *mended = CODE.findall(page(kind).en)

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    told = f"""
import jaxviz
try:
    exec({fails!r})
except Exception as error:
    print(jaxviz.explain(error).card.kind)
"""
    assert run(told).stdout.strip() == kind
    for code in mended:
        ran = run(code)
        assert ran.returncode == 0, ran.stderr


def test_the_magic_shows_a_page(shell: InteractiveShell) -> None:
    for line, language in (("condition", "en"), ("condition ko", "ko")):
        (shown,) = Run(shell, f"%jaxviz explain {line}").shown
        assert shown["text/markdown"] == getattr(page("condition"), language)


def test_the_magic_says_which_pages_there_are(shell: InteractiveShell) -> None:
    said = Run(shell, "%jaxviz explain conditions").err
    assert f"there is no page 'conditions': the kinds are {', '.join(kinds())}." in said
    assert "write %jaxviz explain KIND" in Run(shell, "%jaxviz explain condition fr").err
