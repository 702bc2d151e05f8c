"""What an error's card says of each program in `tests/failing` is what its author says of it."""

from __future__ import annotations

import gc
import traceback
import weakref
from collections.abc import Iterator
from typing import Any

import jax
import msgspec
import pytest
from failing_cases import CASES, Case
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from shells import Run, fresh

import jaxviz
from jaxviz.schema import Card, Frame

SETUP = """
import math, jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
"""
ALONE = "an array that two devices share otherwise", "a size that the mesh does not divide"
"""Cases that need more than one device: they are told in a process of their own."""


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    yield from fresh(SETUP)


@pytest.fixture(autouse=True)
def _config_as_before() -> Iterator[None]:
    yield
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_key_reuse", False)


def raised(shell: InteractiveShell, code: str) -> BaseException:
    with capture_output():
        error = shell.run_cell(code, store_history=True).error_in_exec
    assert error is not None
    return error


def explained(shell: InteractiveShell, case: Case) -> jaxviz.Explanation:
    return jaxviz.explain(raised(shell, case.source))


def marked(source: str, at: Frame) -> str:
    """The text that is marked."""
    lines = source.split("\n")[at.line - 1 : at.end_line]
    lines[-1] = lines[-1][: at.end_column - 1]
    lines[0] = lines[0][at.column - 1 :]
    return "\n".join(lines)


def told(card: Card, program: jaxviz.Program) -> dict[str, str]:
    """What the card says, in the words of the cases."""
    graph = program.record.stages[0].graphs[0]
    sides = card.sides
    return {
        "function": card.at.function.rpartition(".")[2],
        "line": str(card.at.line),
        "story": " → ".join([card.root, *(f"{s.op}, line {s.line}" for s in card.story)]),
        "recorded": " ".join(eqn.op for eqn in graph.eqns),
        "sides": " · ".join(f"{side.name} {side.type}" for side in sides),
        "differ": " · ".join(" ".join(map(str, side.differ)) for side in sides),
        "leaves": f"{sides[0].name} {sides[0].type} → {sides[1].type}" if sides else "",
        "born": f"line {card.born.line}, {card.born.function}" if card.born else "",
    }


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name not in ALONE], ids=lambda case: case.name
)
def test_a_card_says_what_is_true(shell: InteractiveShell, case: Case) -> None:
    error = raised(shell, case.source)
    found = jaxviz.explain(error)
    card = found.card
    said = told(card, found.program)
    known = {name: fact for name, fact in case.facts.items() if name in said}
    assert type(error).__name__ in (case.error, case.error.replace("Jax", "Xla"))
    assert card.kind == case.kind
    assert marked(case.source, card.at) == case.expression
    assert {name: said[name] for name in known} == known
    assert _first_mend(card, case) == case.mend
    assert str(found).startswith(card.title)


def _first_mend(card: Card, case: Case) -> Any:
    """The first mend, as the case tells of it; None where the case names none."""
    if case.mend is None or not card.mends:
        return None
    mend = card.mends[0]
    if mend.promise == "sketch":
        where = case.mend.where if case.mend.where in mend.title else mend.title
    else:
        where = f"{mend.first}-{mend.last}"
    return type(case.mend)(mend.promise, where, mend.lines)


@jax.jit
def halved(x: Any) -> Any:
    while x > 1:
        x = x / 2
    return x


def error_of(call: Any) -> BaseException:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("it should have failed")


def test_nothing_of_the_exception_is_kept() -> None:
    error = error_of(lambda: halved(8.0))
    found = jaxviz.explain(error)
    kept = weakref.ref(error)
    del error
    gc.collect()
    assert kept() is None
    assert found.card.kind == "condition"
    assert msgspec.json.decode(msgspec.json.encode(found.card), type=Card) == found.card


def test_the_exception_stays_as_it_is() -> None:
    error = error_of(lambda: halved(8.0))
    before = "".join(traceback.format_exception(error)), vars(error).copy(), error.args
    jaxviz.explain(error)
    assert ("".join(traceback.format_exception(error)), vars(error), error.args) == before


def test_what_has_no_line_of_the_users_is_refused() -> None:
    with pytest.raises(ValueError, match="no line of your code took part in this TypeError"):
        jaxviz.explain(TypeError("never raised"))


def test_the_magic_explains_the_last_exception(shell: InteractiveShell) -> None:
    raised(shell, next(case.source for case in CASES if case.name == "a while"))
    shown = Run(shell, "%jaxviz explain").shown
    assert shown[0]["text/plain"].startswith("A traced value cannot decide for Python")


@pytest.mark.parametrize(("terms", "promise"), [(60, "same result"), (400, "sketch")])
def test_a_line_of_a_mend_is_whole_or_is_none(
    shell: InteractiveShell, terms: int, promise: str
) -> None:
    """What goes into the user's cell is never cut."""
    long = " + ".join(["x"] * terms)
    code = f"@jax.jit\ndef f(x):\n    return x if x > 0 else {long}\n\nf(1.0)"
    (mend,) = jaxviz.explain(raised(shell, code)).card.mends
    assert mend.promise == promise
    whole = [f"    return jnp.where(x > 0, x, {long})"]
    assert mend.lines == (whole if promise == "same result" else [])
    assert mend.before == ([code.splitlines()[2]] if mend.lines else [])


def test_values_in_a_message_are_not_in_the_card(shell: InteractiveShell) -> None:
    code = "@partial(jax.jit, static_argnums=0)\ndef f(x): return 1\nf([271828] * 2 + [314159])"
    card = jaxviz.explain(raised(shell, f"secret = [161803]\n{code[:-1]} + secret)")).card
    assert b"161803" not in msgspec.json.encode(card).replace(b"secret = [161803]", b"")
