"""A mend that promises the same result has it: what the mended cell returns is what Python computes
where values are there (`jax.disable_jit`), on three inputs."""

from __future__ import annotations

import ast
import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from failing_cases import CASES, Case
from golden_jax import part
from jax import lax

INPUTS = (lambda x: x, lambda x: -1.5 * x, lambda x: x + 0.25)
SAME = [case for case in CASES if case.mend is not None and case.mend.promise == "same result"]


INSTEAD = {
    "an if under vmap": ("jax.vmap(clip)", "(lambda xs: jnp.stack([clip(x) for x in xs]))"),
    "an if under remat": ("@jax.checkpoint\n", ""),
    "NumPy under grad": ("jax.grad(loss)", "(lambda w: 2 * w)"),
}
"""What JAX traces under `disable_jit`, too, and what Python would compute in its place."""


def mended(case: Case) -> str:
    """The cell with the lines of the mend, which the card offers (`test_explain.py`)."""
    assert case.mend is not None
    first, last = map(int, case.mend.where.split("-"))
    lines = case.source.splitlines()
    return "\n".join([*lines[: first - 1], *case.mend.lines, *lines[last:]])


def outcome(source: str, change: Any, arrays: Any) -> Any:
    """What the last line of a cell returns, with each float that it passes changed."""
    space: dict[str, Any] = {"jax": jax, "jnp": arrays, "lax": lax, "np": np, "math": math}
    space["partial"] = partial
    *before, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    call = last.value
    assert isinstance(call, ast.Call)
    exec(compile(ast.Module(before, []), "cell", "exec"), space)

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), "cell", "eval"), space)

    def changed(leaf: Any) -> Any:
        floats = np.issubdtype(getattr(leaf, "dtype", type(leaf)), np.floating)
        return change(leaf) if floats else leaf

    fun = value(call.func)
    args = [jax.tree.map(changed, value(node)) for node in call.args]
    kwargs = {str(word.arg): value(word.value) for word in call.keywords}
    return fun(*args, **kwargs)


@pytest.mark.parametrize("change", INPUTS, ids=("as it is", "negative", "a bit more"))
@pytest.mark.parametrize("case", part(SAME, of=2), ids=lambda case: case.name)
def test_the_result_is_the_same(case: Case, change: Any) -> None:
    # NumPy's arrays can be changed in place, as the author meant it; others have the same values.
    arrays = np if case.kind == "in-place" else jnp
    with jax.disable_jit():
        source = case.source.replace(*INSTEAD.get(case.name, ("", "")))
        expected = outcome(source, change, arrays)
    found = outcome(mended(case), change, jnp)
    for one, other in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5)
