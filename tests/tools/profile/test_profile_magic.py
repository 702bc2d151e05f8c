"""`%jaxviz f(x) --profile` in a real IPython shell: what `--find-nan` does not do alike."""

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
"""
shell = shell_fixture(SETUP)


@pytest.mark.parametrize(
    ("call", "op"),
    [
        ("scaled(jnp.ones(3))", "mul"),
        ("scaled(x=jnp.ones(3), kind='over') --peak 1e12,1e9 --static-argnames kind", "div"),
    ],
)
def test_the_cell_s_result_is_what_profile_gives(
    shell: InteractiveShell, call: str, op: str
) -> None:
    run = Run(shell, f"%jaxviz {call} --profile")
    found: object = run.result.result
    assert isinstance(found, jaxviz.Profile), run.err
    assert {part.op for row in found.rows for part in row.parts} == {op}
    assert len(found.wall) == 10
    assert (found.peak is not None) == ("--peak" in call)
    assert "scaled, in 10 runs: " in run.out
    assert run.shown == []


NO_PEAK = (
    "--peak takes flops and bytes in a second, or `measured`, not {!r}: write --peak 2e12,1e11."
)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--profile --statistics", "--profile stands alone: leave out --statistics."),
        ("--profile --peak fast", NO_PEAK.format("fast")),
        ("--profile --peak 2e12", NO_PEAK.format("2e12")),
        ("--profile --peak=2e12,0", NO_PEAK.format("2e12,0")),
        ("--profile --peak", "--peak needs a value: write --peak 2e12,1e11."),
        (
            "--timeit --peak 2e12,1e11",
            "--peak goes with --profile: write %jaxviz loss(…) --profile --peak 2e12,1e11.",
        ),
    ],
)
def test_a_usage_error_is_one_sentence(shell: InteractiveShell, options: str, said: str) -> None:
    run = Run(shell, f"%jaxviz scaled(1.0) {options}")
    assert run.err.strip() == f"UsageError: {said}"
