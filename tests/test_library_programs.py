"""What is said of programs of libraries: a file that one can read, and what their authors say.

`library_programs/` has the programs, and how to see where both differ.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jax
import pytest
from golden_jax import GOLDEN_JAX, of_the_golden_jax
from library_programs import MODULES, lacking, programs
from library_programs.agreement import Agreement, agreement, authors, jaxpr
from library_programs.outlines import outline, text

GOLDEN = Path(__file__).parent / "golden" / "names.txt"
LEAST = {"roles": 70, "names": 66, "nobodys": 72}
"""So many programs agree at least; to be raised with each that does."""


@cache
def told() -> dict[str, tuple[str, Agreement]]:
    """Of each program the line that says its groups, and how far its author agrees."""
    found: dict[str, tuple[str, Agreement]] = {}
    for name in programs():
        stage = jaxpr(name)
        found[name] = text(outline(stage)), agreement(name, stage)
    return found


@of_the_golden_jax
def test_groups_are_said_as_the_golden_file_has_them(update_golden: bool) -> None:
    lines = [f"{name}: {line}" for name, (line, _) in told().items()]
    if update_golden:
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == GOLDEN.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("library", MODULES.values())
def test_libraries_are_here(library: str) -> None:
    if library in lacking() and jax.__version__ != GOLDEN_JAX:
        pytest.skip(f"{library} is not installed: {lacking()[library]}")
    assert library not in lacking()


def test_authors_agree() -> None:
    found = {name: one for name, (_, one) in told().items()}
    for name, one in found.items():
        if one.lines():
            print(f"✗ {name}", *one.lines(), sep="\n    ")
    agree = {part: sum(not getattr(one, part) for one in found.values()) for part in LEAST}
    print(f"of {len(found)} programs agree in {agree}")
    if jax.__version__ == GOLDEN_JAX:
        assert {part: max(agree[part], LEAST[part]) for part in LEAST} == agree


def test_each_program_has_an_author() -> None:
    written = set(authors()) - {"anywhere", "never"}
    assert set(programs()) <= written
    if not lacking():
        assert set(programs()) == written
