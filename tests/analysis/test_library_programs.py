"""Outlines of programs of libraries: a file that one can read, and the sentences of their authors.

`truth/libraries/` has the programs, and how to see where both differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import jax
import pytest
from golden_jax import GOLDEN_JAX
from truth.libraries import MODULES, lacking, programs
from truth.libraries.agreement import Agreement, agreement, authors, inspected
from truth.libraries.outlines import outline, text

GOLDEN = Path(__file__).parents[1] / "golden" / "names.txt"
LEAST = {"roles": 93, "names": 87, "nobodys": 95}
"""The least numbers of programs that agree. Raise them with each further one."""


class Told(NamedTuple):
    groups: str
    """The line that says them."""
    agreement: Agreement
    """The agreement with its author."""
    findings: list[str]


def told(name: str) -> Told:
    """The outline of a program, and its agreement with the author."""
    program = inspected(name)
    stage = program.stage("jaxpr")
    said = agreement(name, stage)
    return Told(text(outline(stage)), said, [str(one) for one in program.findings])


def test_what_is_reported_of_programs_of_libraries(update_golden: bool) -> None:
    """Groups as the golden file and the authors have them, and no finding: what authors wrote is
    meant, and one would have to be defended. All in one test: to trace them takes a minute."""
    found = {name: told(name) for name in programs()}
    assert {name: one.findings for name, one in found.items() if one.findings} == {}
    agree = agreeing(found)
    if jax.__version__ != GOLDEN_JAX:
        return
    lines = [f"{name}: {one.groups}" for name, one in found.items()]
    if update_golden:
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == GOLDEN.read_text(encoding="utf-8").splitlines()
    assert {part: max(agree[part], LEAST[part]) for part in LEAST} == agree


def agreeing(found: dict[str, Told]) -> dict[str, int]:
    """With how many authors we agree in each part; where not, it is printed."""
    for name, one in found.items():
        if lines := one.agreement.lines():
            print(f"✗ {name}", *lines, sep="\n    ")
    agree = {
        part: sum(not getattr(one.agreement, part) for one in found.values()) for part in LEAST
    }
    print(f"of {len(found)} programs agree in {agree}")
    return agree


@pytest.mark.parametrize("library", MODULES.values())
def test_libraries_are_here(library: str) -> None:
    if library in lacking() and jax.__version__ != GOLDEN_JAX:
        pytest.skip(f"{library} is not installed: {lacking()[library]}")
    assert library not in lacking()


def test_each_program_has_an_author() -> None:
    written = set(authors()) - {"anywhere", "never"}
    assert set(programs()) <= written
    if not lacking():
        assert set(programs()) == written
