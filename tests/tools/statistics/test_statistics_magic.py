"""`%jaxviz f(x) --statistics` in a real IPython shell: what `--find-nan` does not do alike."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, shell_fixture

import jaxviz

SETUP = """
import jax, jaxviz, jax.numpy as jnp
def scaled(x, kind="times"):
    y = x * 1000.0 if kind == "times" else x / 0.0
    return y
made = jax.make_jaxpr(scaled)(1.0)
"""
shell = shell_fixture(SETUP)


@pytest.mark.parametrize(
    ("call", "largest", "infinite"),
    [
        ("scaled(jnp.ones(3))", 1000.0, 0),
        ("scaled(x=jnp.ones(3), kind='over') --static-argnames kind", None, 3),
        ("jax.jit(scaled)(jnp.arange(3.0))", 2000.0, 0),
    ],
)
def test_the_cell_s_result_is_what_statistics_gives(
    shell: InteractiveShell, call: str, largest: float | None, infinite: int
) -> None:
    run = Run(shell, f"%jaxviz {call} --statistics")
    found: object = run.result.result
    assert isinstance(found, jaxviz.Statistics), run.err
    assert (found.rows[-1].largest, found.rows[-1].inf) == (largest, infinite)
    assert "One result of each line of scaled, in one run: " in run.out
    assert run.shown == []


def test_lines_that_are_named_are_reported_whole(shell: InteractiveShell) -> None:
    run = Run(shell, "%jaxviz scaled(jnp.arange(3.0)) --statistics --lines 4")
    found: object = run.result.result
    assert isinstance(found, jaxviz.Statistics), run.err
    [row] = found.rows
    assert row.distribution is not None
    assert row.distribution.greatest == 2000.0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scaled(1.0) -o", "--statistics stands alone: leave out -o."),
        ("scaled(1.0) --find-nan", "--statistics stands alone: leave out --find-nan."),
        (
            "made",
            "--statistics runs a call, and `made` is none: write %jaxviz loss(…) --statistics.",
        ),
        ("", "there is no call: write %jaxviz loss(…) --statistics."),
        (
            "scaled(1.0) --lines 3-4",
            "--lines takes numbers of lines, not '3-4': write --lines 3,4.",
        ),
    ],
)
def test_usage_errors_are_one_sentence(shell: InteractiveShell, line: str, message: str) -> None:
    run = Run(shell, f"%jaxviz --statistics {line}")
    assert run.err.strip() == f"UsageError: {message}"
    assert run.out == ""
