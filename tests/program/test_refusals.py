"""Each call that is refused, and the sentence that says why: `refusals.txt` lists both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import jax
import pytest
from golden_jax import GOLDEN_JAX
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from shells import fresh, shell_fixture

FILE = Path(__file__).parents[1] / "refusals.txt"
VERSION = "" if jax.__version__ == GOLDEN_JAX else jax.__version__
SETUP = """
import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
"""
SENTENCE = re.compile(r"→ (?:\[([\d.]+)\] )?(.*)")


class Case(NamedTuple):
    """A cell, the call that is refused, and the sentence, of each version that has its own."""

    name: str
    cell: str
    call: str
    said: dict[str, str]

    def __str__(self) -> str:
        said = [f"→ [{of}] {text}" if of else f"→ {text}" for of, text in self.said.items()]
        return "\n".join([f"## {self.name}", *filter(None, [self.cell]), self.call, *said])


def case(block: str) -> Case:
    name, *lines = block.strip().splitlines()
    said = {of or "": text for line in lines for of, text in SENTENCE.findall(line)}
    code = [line for line in lines if not SENTENCE.match(line)]
    return Case(name, "\n".join(code[:-1]), code[-1], said)


HEAD, *BLOCKS = re.split(r"^## ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
CASES = [case(block) for block in BLOCKS]
shell = shell_fixture(SETUP)


def refused(shell: InteractiveShell, case: Case) -> str:
    """The sentence, or what was shown where the call was not refused."""
    with capture_output():
        shell.run_cell(case.cell, store_history=False).raise_error()
        error = shell.run_cell(case.call, store_history=False).error_in_exec
    return "drawn" if error is None else str(error)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_sentence_is_the_one_in_the_file(shell: InteractiveShell, case: Case) -> None:
    assert refused(shell, case) == expected(case)


def expected(case: Case) -> str | None:
    return case.said.get(VERSION, case.said.get(""))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_sentence_is_whole_and_ends_in_a_fix(case: Case) -> None:
    for said in case.said.values():
        assert said.endswith((".", ")"))
        assert re.search(r"[;:] ", said)
        assert "\n" not in said
        assert not re.search(r"mend that line\.$|0x[0-9a-f]{6}|but they differ", said)


@pytest.fixture(scope="module", autouse=True)
def written(request: pytest.FixtureRequest) -> None:
    """Sentences of the version of the golden files stand alone; another's where it differs."""
    if not request.config.getoption("--update-golden"):
        return
    for shell in fresh(SETUP):
        for case in CASES:
            said = refused(shell, case)
            case.said.pop(VERSION, None)
            if VERSION == "":
                case.said[""] = said
            elif said != case.said.get(""):
                case.said[VERSION] = said
    FILE.write_text("\n\n".join([HEAD.strip(), *map(str, CASES)]) + "\n", encoding="utf-8")
