"""All programs of `truth/errors/` once more, with their arrays split over an explicit mesh of four.

A card says the same as without a mesh, with the split in the types of arguments. Where the program
fails in another way, `truth/errors/split` has the truth.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import jax
import msgspec
import pytest
import split_arguments
from IPython.core.interactiveshell import InteractiveShell
from shells import SETUP, Run, left_as_before, shell_fixture
from split_arguments import MESH, SplitArguments, larger, longer, split
from test_explain import check_card
from truth.errors.cases import CASES, DEVICES, FOLDER, Case, case, cases_of

import jaxviz
from jaxviz.explain import explanation_of

ENDS = ("memory", "callback-error", "donated", "donated-twice")
"""Kinds of programs at which XLA ends a process of four devices, with jaxviz or without it: on JAX
0.10.2 a donated array that is used again is a segmentation fault."""
VARIES = ("static-array",)
"""Kinds of programs whose error depends on what JAX or Equinox compared before: here a cell runs
several times."""
EXPLICIT = jax.__version_info__ >= (0, 9)
AGAIN = [
    one._replace(facts=one.facts, expression=one.facts.get("expression", ""))
    for one in map(case, (FOLDER / "split" / "again.txt").read_text("utf-8").split("=== ")[1:])
]
CHANGED = {one.name: one for one in AGAIN}
"""The truth where it is another one on a mesh."""
LEFT_OUT = ("Diffrax", "NumPyro")
"""Programs of these end the process too: a check of theirs runs on each device."""
OF_ONE = [
    one
    for one in CASES
    if EXPLICIT and DEVICES == 4 and "devices" not in one.facts
    if one.kind not in (*ENDS, *VARIES) and not one.name.startswith(LEFT_OUT)
    if one._replace(facts={**one.facts, "devices": "4"}).here
]
_TYPE = re.compile(r"(~?\w+)\[([\d,]+)\]")
shell = shell_fixture(SETUP)


@pytest.fixture(autouse=True)
def _names_and_config_as_before(shell: InteractiveShell) -> Iterator[None]:
    yield from left_as_before(shell)


@pytest.mark.slow
@pytest.mark.skipif(DEVICES > 1, reason="it starts the process of four devices")
def test_the_cards_of_split_arrays() -> None:
    of_four = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    ran = subprocess.run(command, env=of_four, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]


Grown = Callable[[str], str]


class Failed(NamedTuple):
    source: str
    error: BaseException
    found: jaxviz.Explanation | None
    splits: bool
    """True if an array was split."""
    grown: Grown | None = None
    """The enlarged sizes."""


FAILED: dict[str, Failed] = {}


def failed(shell: InteractiveShell, case: Case) -> Failed:
    """The error of a cell with split arrays. If four divides no size, sizes are larger."""
    if case.name not in FAILED:
        FAILED[case.name] = failed_of(shell, case.source)
        if not FAILED[case.name].splits:
            source, grown = as_large(shell, case.source)
            FAILED[case.name] = failed_of(shell, source)._replace(grown=grown)
    return FAILED[case.name]


def failed_of(shell: InteractiveShell, source: str) -> Failed:
    with split_by(shell):
        error = error_of(shell, source)
        assert error is not None, "it does not fail"
        return Failed(source, error, explanation_of(error), bool(split_arguments.PLACED))


@contextmanager
def split_by(shell: InteractiveShell) -> Iterator[None]:
    """Cells that run within are split over the mesh."""
    shell.user_ns["_split_over_mesh"] = split
    split_arguments.PLACED.clear()
    shell.ast_transformers[:] = [SplitArguments()]
    with jax.set_mesh(MESH):
        yield
    shell.ast_transformers[:] = []


def error_of(shell: InteractiveShell, source: str) -> BaseException | None:
    ran = Run(shell, source).result
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_key_reuse", False)
    jax.config.update("jax_enable_x64", False)
    return ran.error_before_exec or ran.error_in_exec


def as_large(shell: InteractiveShell, source: str) -> tuple[str, Grown | None]:
    """The cell with larger arrays in its last statement, if it fails alike on one device."""
    lines = source.splitlines()
    first = ast.parse(source).body[-1].lineno - 1
    alike = one_by_one(shell, source)
    for grown in (larger, longer):
        text = "\n".join([*lines[:first], *map(grown, lines[first:])])
        if text != source and one_by_one(shell, text) == alike:
            return text, grown
    return source, None


def one_by_one(shell: InteractiveShell, source: str) -> tuple[str | None, ...]:
    """The error of a cell that is not split, its page, its fix, and the error after that."""
    error = error_of(shell, source)
    found = explanation_of(error) if error else None
    after = fixed(source, found)
    page = found.card.kind if found else None
    fix = found.card.fixes[0].promise if found and found.card.fixes else None
    return name_of(error), page, fix, name_of(error_of(shell, after)) if after else None


def fixed(source: str, found: jaxviz.Explanation | None) -> str | None:
    """The cell with the first fix of its card, unless that is advice."""
    fix = found.card.fixes[0] if found and found.card.fixes else None
    if fix is None or fix.promise == "sketch":
        return None
    lines = source.splitlines()
    return "\n".join([*lines[: fix.first - 1], *fix.lines, *lines[fix.last :]])


def name_of(error: BaseException | None) -> str | None:
    return type(error).__name__ if error else None


def expected(one: Case, failed: Failed) -> Case:
    """The truth on a mesh: types of arguments are split along the first axis that four divides."""
    source, grown = failed.source, failed.grown
    if one.name in CHANGED:
        return CHANGED[one.name]._replace(source=source)
    facts = {key: with_split(key, fact, grown) for key, fact in one.facts.items()}
    last = len(one.source.splitlines())
    expression, fix = one.expression, one.fix
    if grown and one.expression not in source:
        expression = grown(expression)
    if grown and fix is not None and fix.where.endswith(f"-{last}"):
        fix = fix._replace(lines=[*fix.lines[:-1], *map(grown, fix.lines[-1:])])
    return one._replace(source=source, facts=facts, expression=expression, fix=fix)


def with_split(key: str, fact: str, grown: Grown | None) -> str:
    if key == "story":
        root, arrow, steps = fact.partition(" → ")
        return f"{_TYPE.sub(lambda found: split_type(found, grown), root)}{arrow}{steps}"
    if key in ("sides", "leaves", "tree"):
        return _TYPE.sub(lambda found: split_type(found, grown), fact)
    return fact


def split_type(found: re.Match[str], grown: Grown | None) -> str:
    sizes = [int(size) for size in found[2].split(",")]
    times = len(sizes) if grown is larger else int(grown is longer)
    sizes = [size * (4 if n < times and size != 1 else 1) for n, size in enumerate(sizes)]
    first = next((n for n, size in enumerate(sizes) if size and size % 4 == 0), None)
    texts = [f"{size}@d" if n == first else str(size) for n, size in enumerate(sizes)]
    return f"{found[1]}[{','.join(texts)}]"


@pytest.mark.parametrize("case", OF_ONE, ids=lambda case: case.name)
def test_a_card_says_what_is_true(shell: InteractiveShell, case: Case) -> None:
    ran = failed(shell, case)
    truth, error, found = expected(case, ran), ran.error, ran.found
    if truth.kind == "none":
        assert found is None
        return
    assert found is not None, "it has no card"
    if not truth.expression:
        truth = truth._replace(expression=case.expression)
    check_card(truth, error, found)


@pytest.mark.parametrize("case", OF_ONE, ids=lambda case: case.name)
def test_a_fix_runs_or_says_what_is_asked_next(shell: InteractiveShell, case: Case) -> None:
    ran = failed(shell, case)
    after = fixed(ran.source, ran.found)
    if after is None:
        return
    with split_by(shell):
        error = error_of(shell, after)
        following = explanation_of(error) if error else None
    then = CHANGED[case.name].facts.get("then") if case.name in CHANGED else None
    assert then in (None, name_of(error))
    if error is not None and not then:
        assert following is not None
        assert following.card.kind == "sharding-type"
        assert ran.found is not None
        assert ran.found.card.fixes[0].differs, "it does not say what is asked next"


def test_half_of_the_cards_have_a_type_that_is_split(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs that pass an array with a size that four divides. Prints the counts."""
    kinds = Counter(text_of_types(failed(shell, one)) for one in OF_ONE)
    with capsys.disabled():
        print(f"\nof {len(OF_ONE)} programs on a mesh of four devices:")
        for kind, count in kinds.most_common():
            print(f"{count:5} {kind}")
    cards = sum(count for kind, count in kinds.items() if "card" in kind)
    assert 2 * kinds[SPLIT] >= cards - kinds[NOT_PASSED]


SPLIT = "cards have a split type"
NOT_PASSED = "cards of programs that pass no array which four divides"


def text_of_types(one: Failed) -> str:
    """Which types the card of a program has."""
    if one.found is None:
        return "programs have no card, as expected"
    text = everything(one.found)
    if "@d" in text:
        return SPLIT
    if not one.splits:
        return NOT_PASSED
    return f"cards have {'whole' if _TYPE.search(text) else 'no'} types"


def everything(found: jaxviz.Explanation) -> str:
    """The card and the program that is drawn in it."""
    return f"{found}{msgspec.json.encode(found.program.record).decode()}"


def test_the_cases_that_differ_are_cases() -> None:
    assert {*CHANGED} <= {one.name for one in [*CASES, *cases_of(FOLDER / "on_mesh")]}
