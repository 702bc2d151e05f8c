"""What README and SECURITY name exists, and README names each option of the magics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jaxviz
from jaxviz.magics.magic import JaxvizMagics

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAGICS = {"%jaxviz": JaxvizMagics.jaxviz, "%%jaxviz": JaxvizMagics.jaxviz_cell}


def options_of(magic: str) -> set[str]:
    actions = MAGICS[magic].parser._actions
    return {name for action in actions for name in action.option_strings} - {"-h", "--help"}


def written(magic: str, text: str) -> set[str]:
    """The options that stand in the tables behind this magic."""
    rows = [code for row in re.findall(r"^\|.*", text, re.M) for code in re.findall("`(.*?)`", row)]
    calls = [code for code in rows if re.search(rf"(^|[^%]){magic}\b", code)]
    return {option for call in calls for option in re.findall(r"(?<= )--?[a-z][a-z-]*", call)}


@pytest.mark.parametrize("magic", MAGICS)
def test_the_tables_name_the_options_that_there_are(magic: str) -> None:
    assert written(magic, README) == options_of(magic)


def test_an_option_that_is_not_is_seen() -> None:
    table = "| `%jaxviz f(x) --new 3` | what |\n| `%%jaxviz --hits` | what |\n`%jaxviz --prose`"
    assert written("%jaxviz", table) == {"--new"}
    assert written("%%jaxviz", table) == {"--hits"}


def test_what_is_called_jaxviz_something_exists() -> None:
    named = {*re.findall(r"jaxviz\.(\w+)\(", README)}
    assert named >= {"inspect", "watch", "compare"}
    assert named <= {*jaxviz.__all__}


@pytest.mark.parametrize(
    "document", ["README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]
)
def test_files_that_are_named_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"\]\(([^)#:]+)\)", text)
    named += re.findall(r"`((?:tests|scripts|jaxviz|js|docs|ui-tests)/[\w/.-]+\.\w+)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []
