"""A card below a traceback changes nothing else of the user's run."""

from __future__ import annotations

import gc
import io
import re
import sys
import weakref
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from records import marked
from shells import Run, shell_fixture

import jaxviz

FAILS = "@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n\nf(1.0)"
AWAITS = f"import asyncio\nawait asyncio.sleep(0)\n{FAILS}"
shell = shell_fixture("import jax\n41 + 1")


@pytest.fixture
def mode(shell: InteractiveShell, request: pytest.FixtureRequest) -> Iterator[None]:
    shell.run_line_magic("xmode", request.param)
    yield
    shell.run_line_magic("xmode", "Context")


def failed(shell: InteractiveShell, code: str, watched: bool) -> tuple[Run, str]:
    """A run of a failing cell, and what `%tb` shows of it then."""
    shell.run_line_magic("jaxviz", "on" if watched else "off")
    run = Run(shell, code)
    shell.run_line_magic("jaxviz", "off")
    assert sys.last_value is run.result.error_in_exec
    assert getattr(sys, "last_exc", sys.last_value) is sys.last_value
    return run, Run(shell, "%tb").out


def unnumbered(text: str) -> str:
    """A traceback without the number of the cell and the addresses of objects."""
    return re.sub(r"(?<=In\[)\d+|(?<=ipython-input-)\d+|0x[0-9a-f]+", "…", text)


def cards(run: Run) -> list[str]:
    texts = [shown["text/plain"] for shown in run.shown]
    return [text for text in texts if text.startswith("if or while on a traced value")]


@pytest.mark.parametrize("mode", ["Plain", "Context", "Verbose", "Minimal"], indirect=True)
@pytest.mark.parametrize("code", [FAILS, AWAITS], ids=["a cell", "a cell that awaits"])
@pytest.mark.usefixtures("mode")
def test_the_traceback_stays_as_it_is(shell: InteractiveShell, code: str) -> None:
    plain, plain_again = failed(shell, code, watched=False)
    ours, ours_again = failed(shell, code, watched=True)
    assert (cards(plain), len(cards(ours))) == ([], 1)
    assert "TracerBoolConversionError" in plain.out
    assert unnumbered(ours.out) == unnumbered(plain.out)
    assert unnumbered(ours_again) == unnumbered(plain_again)
    assert shell.user_ns["_"] == 42


def test_nothing_is_kept_of_the_exception(shell: InteractiveShell) -> None:
    run, _ = failed(shell, FAILS, watched=True)
    kept = weakref.ref(run.result.error_in_exec)
    assert len(cards(run)) == 1
    del run
    Run(shell, "1 / 0")  # until then IPython holds the last exception
    gc.collect()
    assert kept() is None


def test_a_fix_can_be_tried_of_what_failed_step_by_step(shell: InteractiveShell) -> None:
    Run(shell, "import jax.numpy as jnp")
    Run(shell, "def g(x):\n    return x if x > 0 else -x\n\n%jaxviz g(1.0) --steps")
    found = jaxviz.explain()
    assert found.card.kind == "condition"
    Run(shell, "1 / 0")
    gc.collect()
    assert isinstance(found.try_fix(), jaxviz.Program)


def test_the_debugger_begins_where_it_did(shell: InteractiveShell) -> None:
    plain, ours = (debugged(shell, watched) for watched in (False, True))
    assert "error()" in ours
    assert "return x if x > 0 else -x" in ours
    assert unnumbered(ours) == unnumbered(plain)


def debugged(shell: InteractiveShell, watched: bool) -> str:
    """The output of a new debugger after a failing cell."""
    failed(shell, FAILS, watched)
    sys.stdin, before = io.StringIO("where\nquit\n"), sys.stdin
    try:
        return Run(shell, "%debug").out
    finally:
        sys.stdin = before
        shell.InteractiveTB.pdb = None  # it holds the exception, and where it wrote to


FUNCTIONS = """
import jax.numpy as jnp
from jax import lax

def vector(x):
    return jnp.sin(x)

def square(x):
    return x * x

@jax.jit
def power(x, n):
    return lax.fori_loop(0, n, lambda i, acc: acc * x, jnp.ones_like(x))
"""
OF_LINES = {
    "%jaxviz «jax.grad(vector)(jnp.ones(3))»": "gradient",
    "n = 2\n%jaxviz «jax.grad(square)(3)»": "gradient",
    "%jaxviz «jax.vmap(jnp.add)(jnp.ones(3), jnp.ones(4))» --steps": "batch",
    "p = %jaxviz -o «jnp.matmul(jnp.ones((4, 3)), jnp.ones(4))»": "shapes",
    "%jaxviz «jnp.reshape(jnp.ones((4, 3)), (5, -1))»": "shapes",
    "%jaxviz «lax.scan(lambda c, x: c, 0.0, jnp.ones(3))»": "carry",
}
"""Lines of a magic that no line of a function failed for, and the pages of their cards."""


@pytest.mark.parametrize("code", OF_LINES)
def test_a_call_on_a_magic_s_line_has_a_card(shell: InteractiveShell, code: str) -> None:
    Run(shell, FUNCTIONS)
    plain = re.sub("[«»]", "", code)
    run = Run(shell, plain)
    card = jaxviz.explain(run.result.error_in_exec).card
    assert card.kind == OF_LINES[code]
    assert marked(plain.split("\n"), card.at) == code.partition("«")[2].partition("»")[0]
    assert [shown["text/plain"].startswith(card.title) for shown in run.shown] == [True]


def test_a_fix_of_a_magic_s_line_keeps_the_magic(shell: InteractiveShell) -> None:
    Run(shell, FUNCTIONS)
    (fix,) = jaxviz.explain(
        Run(shell, "%jaxviz jax.grad(square)(3)").result.error_in_exec
    ).card.fixes
    assert (fix.before, fix.lines) == (
        ["%jaxviz jax.grad(square)(3)"],
        ["%jaxviz jax.grad(square)(3.0)"],
    )


def test_a_loop_that_a_magic_s_line_differentiates_is_marked(shell: InteractiveShell) -> None:
    Run(shell, FUNCTIONS)
    card = jaxviz.explain(Run(shell, "%jaxviz jax.grad(power)(2.0, 5)").result.error_in_exec).card
    assert (card.kind, card.at.function) == ("reverse-mode", "power")


@pytest.mark.parametrize("code", ["1 / 0", "jax.jit(lambda x: x * scale)(1.0)"])
def test_an_error_without_a_card_is_reported_as_such(shell: InteractiveShell, code: str) -> None:
    run, _ = failed(shell, code, watched=True)
    assert run.shown == []
    said = Run(shell, "%jaxviz explain").err
    assert re.search(r"this \w+ has no card: ", said)
