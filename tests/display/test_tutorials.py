"""Notebooks in the style of the libraries' own tutorials: under a cell stands nothing but what its
reader can do something about, and their programs have no finding.

A file of `tutorials/` holds cells, separated by `# %%`. `#> NAME: x, y` says that a cell
retraces a function because the arguments x and y changed; `NAME (library)` is a function of a
library's, and `NAME twice` two retraces. Under every other cell nothing is said.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, fresh

import jaxviz
from jaxviz.session.session import Session

FOLDER = Path(__file__).parents[1] / "tutorials"
NEEDS = ("flax", "equinox", "diffrax", "numpyro", "haiku", "keras", "optax")


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    session = Session()
    for module in ("jaxviz.watch", "jaxviz.magics.watching"):
        monkeypatch.setattr(sys.modules[module], "session", session)
    yield from fresh("%jaxviz on")


def retraced(log: jaxviz.Log) -> list[str]:
    """Each function that was retraced, with the arguments that changed."""
    found = Counter(
        f"{event.name}{' (library)' if event.library else ''}{{}}: "
        + ", ".join(dict.fromkeys(change.where or change.kind for change in event.reason))
        for event in log.events
        if event.again and event.kind == "trace"
    )
    return [text.format(" twice" if times == 2 else "") for text, times in found.items()]


def findings(log: jaxviz.Log) -> list[str]:
    """The findings of all programs that were traced."""
    programs = [log.program(event.number) for event in log.events if event.kind == "trace"]
    return [str(one) for program in programs if program for one in program.findings]


@pytest.mark.parametrize("name", [path.stem for path in sorted(FOLDER.glob("*.txt"))])
def test_only_what_the_reader_can_change_is_reported(name: str, shell: InteractiveShell) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    for package in NEEDS:
        if re.search(rf"^(import|from) {package}\b", text, re.MULTILINE) and not find_spec(package):
            pytest.skip(f"{package} is not installed here")
    found, expected = list[list[str]](), list[list[str]]()
    for number, cell in enumerate(text.split("# %%\n")):
        with warnings.catch_warnings(), jaxviz.watch() as log:
            warnings.simplefilter("ignore")
            run = Run(shell, cell)
        assert run.result.success, f"cell {number}: {run.out[-2000:]}"
        found.append(retraced(log))
        expected.append(re.findall(r"#> (.*)$", cell, re.MULTILINE))
        assert ("retrace" in run.out) is bool(expected[-1]), f"cell {number}: {run.out}"
        ours = sum(event.again and not event.library for event in log.events)
        assert log.retraces == ours
        assert findings(log) == [], f"cell {number}"
    assert found == expected
