"""Functions and files that README and SECURITY name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jaxviz

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


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
