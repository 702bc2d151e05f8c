"""A line under a cell that calls a jitted function which keeps an earlier value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, fresh
from truth.frozen_near_misses import SILENT
from truth.frozen_values import FOUND, SETUP, cells

_LINE = re.compile(
    r"`(?P<f>[^`]+)`, if called, still uses (?:the earlier )?"
    r"`(?P<path>[^`]+?)(?: = (?P<before>[^`]+))?` "
    r"\(traced for .+? in cell \d+\); \S+ (?:is|has) (?P<now>.+?) now"
)


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    jax.clear_caches()
    yield from fresh(SETUP)


def reported(run: Run) -> list[tuple[str, str, str]]:
    """Function, path and values of each line under a cell."""
    found = _LINE.finditer(" ".join(run.out.split()))
    return [
        (one["f"], one["path"], f"{one['before']} → {one['now']}" if one["before"] else one["now"])
        for one in found
    ]


@pytest.mark.parametrize("name", [*FOUND, *SILENT])
def test_a_cell_has_the_lines_that_its_comments_say(shell: InteractiveShell, name: str) -> None:
    for code, marks in cells({**FOUND, **SILENT}[name]):
        run = Run(shell, code)
        assert run.result.success, run.out
        told = [("*" if ("*", *one[1:]) in marks else one[0], *one[1:]) for one in reported(run)]
        assert sorted(told) == sorted(marks), (code, run.out)
