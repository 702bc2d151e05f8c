"""`%jaxviz f(x) --profile` in a real IPython shell: what `--find-nan` does not do alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, fresh

import jaxviz

SETUP = """
import jax, jaxviz, jax.numpy as jnp
def scaled(x, kind="times"):
    y = x * 1000.0 if kind == "times" else x / 0.0
    return y
"""


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    yield from fresh(SETUP)


@pytest.mark.parametrize(
    ("call", "op"),
    [
        ("scaled(jnp.ones(3))", "mul"),
        ("scaled(x=jnp.ones(3), kind='over') --static-argnames kind", "div"),
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
    assert "scaled, in 10 runs: " in run.out
    assert run.shown == []


def test_a_usage_error_is_one_sentence(shell: InteractiveShell) -> None:
    run = Run(shell, "%jaxviz --profile scaled(1.0) --statistics")
    assert run.err.strip() == ("UsageError: --profile stands alone: leave out --statistics.")
