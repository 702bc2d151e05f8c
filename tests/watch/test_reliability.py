"""Reports of a log on traces are true. `truth/retraces/` has the programs, and how to run one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from truth.retraces.cases import MODULES, cases, lacking, part
from truth.retraces.program import Program
from truth.retraces.runner import result

PART = 6
"""Programs of each library that each run of the tests looks at; `make reliability` runs all."""


def check(programs: Sequence[Program]) -> None:
    found = [*map(result, programs)]
    wrong = [f"{one.program.name}: {line}" for one in found for line in one.lines()]
    assert wrong == []


def of(library: str) -> list[Program]:
    if library in lacking():
        pytest.skip(f"{library} is not installed: {lacking()[library]}")
    return list(cases(library))


@pytest.mark.parametrize("library", MODULES)
def test_a_part_of_the_programs(library: str) -> None:
    check(part(of(library), PART))


def test_there_are_four_hundred() -> None:
    assert sum(1 for _ in cases()) >= (400 if not lacking() else 250)
