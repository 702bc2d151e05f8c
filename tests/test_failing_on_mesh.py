"""All programs of `tests/failing` once more, with their arrays split over an explicit mesh of four.

A card says the same as without a mesh, with the split in the types of arguments. Where the program
fails in another way, `tests/failing/split` has the truth.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from typing import NamedTuple

import jax
import msgspec
import pytest
import split_arguments
from failing_cases import CASES, DEVICES, FOLDER, Case, case, cases_of
from IPython.core.interactiveshell import InteractiveShell
from shells import SETUP, Run, shell_fixture
from split_arguments import MESH, SplitArguments, larger, split
from test_explain import check_card

import jaxviz
from jaxviz.explain import explanation_of

ENDS = ("memory", "callback-error", "donated", "donated-twice")
"""Kinds of programs at which XLA ends a process of four devices, with jaxviz or without it: on JAX
0.10.2 a donated array that is used again is a segmentation fault."""
VARIES = ("statics: NumPy's array as a static field of Equinox",)
"""Which of two errors comes depends on what Equinox has traced before."""
EXPLICIT = jax.__version_info__ >= (0, 9)
AGAIN = [
    one._replace(facts=one.facts, expression=one.facts.get("expression", ""))
    for one in map(case, (FOLDER / "split" / "again.txt").read_text("utf-8").split("=== ")[1:])
]
KEPT = (
    "Equinox: images with channels at the end in a batch",
    "Flax NNX: a module that jax.jit is given, changed",
    "a mask in a mean",
    "a reshape of which one size fits",
    "a size: eye",
    "custom_vjp: a cotangent with its axes exchanged",
    "custom_vjp: a cotangent that was not summed over rows",
    "custom_vjp: the shape of the input is not that of the cotangent",
    "statics: NumPy's array in a flax.struct",
    "statics: NumPy's array as metadata of a dataclass",
    "statics: an array of JAX as a static field",
    "symbolic: a comparison of a symbolic size",
    "symbolic: a size that should be even",
)
"""Programs whose sizes stay as they are: another part of the program depends on them."""
CHANGED = {one.name: one for one in AGAIN}
"""The truth where it is another one on a mesh."""
LEFT_OUT = ("Diffrax", "NumPyro")
"""Programs of these end the process too: a check of theirs runs on each device."""
OF_ONE = [
    one
    for one in CASES
    if EXPLICIT and DEVICES == 4 and "devices" not in one.facts
    if one.kind not in ENDS and one.name not in VARIES and not one.name.startswith(LEFT_OUT)
    if one._replace(facts={**one.facts, "devices": "4"}).here
]
_TYPE = re.compile(r"(~?\w+)\[([\d,]+)\]")
shell = shell_fixture(SETUP)


@pytest.mark.slow
@pytest.mark.skipif(DEVICES > 1, reason="it starts the process of four devices")
def test_the_cards_of_split_arrays() -> None:
    of_four = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    ran = subprocess.run(command, env=of_four, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]


class Failed(NamedTuple):
    source: str
    error: BaseException
    found: jaxviz.Explanation | None
    splits: bool
    """True if an array was split."""


FAILED: dict[str, Failed] = {}


def failed(shell: InteractiveShell, case: Case) -> Failed:
    """What a cell raises with its arrays split. Where four divides no size, sizes are larger."""
    if case.name not in FAILED:
        ran = run(shell, case.source)
        source = case.source
        if not split_arguments.PLACED and case.name not in KEPT:
            source = with_larger(case.source)
            ran = ran if source == case.source else run(shell, source)
        error, splits = ran.result.error_in_exec, bool(split_arguments.PLACED)
        assert error is not None, "it does not fail"
        FAILED[case.name] = Failed(source, error, explanation_of(error), splits)
    return FAILED[case.name]


def run(shell: InteractiveShell, source: str) -> Run:
    jax.set_mesh(MESH)
    shell.user_ns["_split_over_mesh"] = split
    shell.ast_transformers[:] = [SplitArguments()]
    split_arguments.PLACED.clear()
    ran = Run(shell, source)
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_key_reuse", False)
    return ran


def with_larger(source: str) -> str:
    """The cell with larger arrays in its last statement."""
    lines = source.splitlines()
    first = ast.parse(source).body[-1].lineno - 1
    return "\n".join([*lines[:first], *map(larger, lines[first:])])


def expected(one: Case, source: str) -> Case:
    """The truth on a mesh: types of arguments are split along the first axis that four divides."""
    if one.name in CHANGED:
        return CHANGED[one.name]._replace(source=source)
    grown = source != one.source
    facts = {key: with_split(key, fact, grown) for key, fact in one.facts.items()}
    last = len(one.source.splitlines())
    expression, mend = one.expression, one.mend
    if grown and one.expression not in source:
        expression = larger(expression)
    if grown and mend is not None and mend.where == f"{last}-{last}":
        mend = mend._replace(lines=[*map(larger, mend.lines)])
    return one._replace(source=source, facts=facts, expression=expression, mend=mend)


def with_split(key: str, fact: str, grown: bool) -> str:
    if key == "story":
        root, arrow, steps = fact.partition(" → ")
        return f"{_TYPE.sub(lambda found: split_type(found, grown), root)}{arrow}{steps}"
    if key in ("sides", "leaves", "tree"):
        return _TYPE.sub(lambda found: split_type(found, grown), fact)
    return fact


def split_type(found: re.Match[str], grown: bool) -> str:
    sizes = [int(size) * (4 if grown and size != "1" else 1) for size in found[2].split(",")]
    first = next((n for n, size in enumerate(sizes) if size and size % 4 == 0), None)
    texts = [f"{size}@d" if n == first else str(size) for n, size in enumerate(sizes)]
    return f"{found[1]}[{','.join(texts)}]"


@pytest.mark.parametrize("case", OF_ONE, ids=lambda case: case.name)
def test_a_card_says_what_is_true(shell: InteractiveShell, case: Case) -> None:
    source, error, found, _ = failed(shell, case)
    truth = expected(case, source)
    if truth.kind == "none":
        assert found is None
        return
    assert found is not None, "it has no card"
    if not truth.expression:
        truth = truth._replace(expression=case.expression)
    check_card(truth, error, found)


@pytest.mark.parametrize("case", OF_ONE, ids=lambda case: case.name)
def test_a_fix_runs_or_says_what_is_asked_next(shell: InteractiveShell, case: Case) -> None:
    source, _, found, _ = failed(shell, case)
    mend = found.card.mends[0] if found and found.card.mends else None
    if mend is None or mend.promise == "sketch":
        return
    lines = source.splitlines()
    after = [*lines[: mend.first - 1], *mend.lines, *lines[mend.last :]]
    ran = run(shell, "\n".join(after)).result
    error = ran.error_before_exec or ran.error_in_exec
    then = CHANGED[case.name].facts.get("then") if case.name in CHANGED else None
    assert then == (type(error).__name__ if error else None)
    own_next = type(error).__name__ == case.error
    assert error is None or own_next or mend.differs


def test_half_of_the_cards_have_a_type_that_is_split(shell: InteractiveShell) -> None:
    """Of the programs that pass an array."""
    told = [failed(shell, one) for one in OF_ONE]
    cards = [everything(one.found) for one in told if one.found is not None and one.splits]
    assert 2 * sum("@d" in text for text in cards) >= len(cards)


def everything(found: jaxviz.Explanation) -> str:
    """The card and the program that is drawn in it."""
    return f"{found}{msgspec.json.encode(found.program.record).decode()}"


def test_the_cases_that_differ_are_cases() -> None:
    assert {*CHANGED} <= {one.name for one in [*CASES, *cases_of(FOLDER / "on_mesh")]}
