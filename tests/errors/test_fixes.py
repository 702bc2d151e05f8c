"""A fix gives the result that the author of the cell meant, or the card says what differs.

The fix of each case runs. Its result is compared with that of the program that was meant, if the
case has one. The result of other fixes that promise the same result is compared, on three inputs,
with what Python computes where values are there (`jax.disable_jit`)."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from golden_jax import part
from IPython.core.interactiveshell import InteractiveShell
from jax import lax
from shells import SETUP, Run, left_as_before, shell_fixture
from truth.errors.cases import HERE, Case

INPUTS = (lambda x: x, lambda x: -1.5 * x, lambda x: x + 0.25)
EDITED = [case for case in HERE if case.fix is not None and case.fix.edits]
SAME = [
    case
    for case in EDITED
    if case.fix is not None and case.fix.promise == "same result" and not case.meant
]


shell = shell_fixture(SETUP)


@pytest.fixture(autouse=True)
def _names_and_config_as_before(shell: InteractiveShell) -> Iterator[None]:
    yield from left_as_before(shell)


def result(shell: InteractiveShell, code: str) -> list[Any]:
    """The leaves of what the last expression of a cell returns."""
    with warnings.catch_warnings(action="ignore"):
        ran = Run(shell, code).result
    ran.raise_error()
    return [plain(leaf) for leaf in jax.tree.leaves(ran.result)]


def plain(leaf: Any) -> Any:
    """A leaf as NumPy compares it: of a key its data."""
    keys = hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if keys else leaf


@pytest.mark.parametrize("case", EDITED, ids=lambda case: case.name)
def test_a_fix_gives_the_intended_result(shell: InteractiveShell, case: Case) -> None:
    found = result(shell, case.fixed())
    if case.meant and "differs" not in case.facts:
        for one, other in zip(result(shell, case.meant), found, strict=True):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5)


INSTEAD = {
    "an if under vmap": ("jax.vmap(clip)", "(lambda xs: jnp.stack([clip(x) for x in xs]))"),
    "an if under remat": ("@jax.checkpoint\n", ""),
    "NumPy under grad": ("jax.grad(loss)", "(lambda w: 2 * w)"),
}
"""Functions that JAX traces under `disable_jit`, too, and the same in Python."""


def outcome(source: str, change: Any, arrays: Any) -> Any:
    """The result of a cell's last line, with each of its floats changed."""
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
    found = outcome(case.fixed(), change, jnp)
    for one, other in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5)
