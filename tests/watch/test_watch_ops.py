"""Why an op was compiled several times outside jit, and that `print(log)` cuts nothing."""

from __future__ import annotations

import inspect

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.session import Log

pytestmark = pytest.mark.usefixtures("session")


@pytest.fixture(autouse=True)
def _cleared() -> None:
    jax.clear_caches()


def reasons(log: Log) -> dict[str, list[tuple[str, int]]]:
    return {op.name: [(one.kind, one.count) for one in op.reason] for op in log.ops}


def test_shapes() -> None:
    arrays = [jnp.ones(size) for size in range(1, 6)]
    with jaxviz.watch() as log:
        for x in arrays:
            jnp.concatenate([x, x])
    assert reasons(log) == {"jnp.concatenate": [("shape", 5)]}
    assert "5 compilations (5 shapes)" in str(log)


def test_sizes_of_new_arrays() -> None:
    with jaxviz.watch() as log:
        for size in (3, 4, 5):
            jax.lax.iota("int32", size)
    (reason,) = reasons(log).values()
    assert ("shape", 3) in reason


def test_dtypes_and_static_values() -> None:
    x, n, square = jnp.ones(3), jnp.ones(3, "int32"), jnp.ones((3, 3))
    with jaxviz.watch() as log:
        for y in (x, n):
            jnp.sin(y)
        for axis in (0, 1):
            jnp.sum(square, axis=axis)
    assert reasons(log) == {"jnp.sin": [("dtype", 2)], "jnp.sum": [("static value", 2)]}


def test_weak_types() -> None:
    x, one = jnp.ones(3), jnp.float32(1)
    with jaxviz.watch() as log:
        for y in (2.0, one):
            jnp.multiply(x, y)
    assert ("weak type", 2) in reasons(log)["jnp.multiply"]


def test_a_single_compilation_has_no_reason() -> None:
    x = jnp.ones(3)
    with jaxviz.watch() as log:
        jnp.sin(x)
        jnp.sin(x)
    assert reasons(log) == {"jnp.sin": []}


def test_long_lines_are_wrapped_and_not_cut() -> None:
    parameter = "a_rather_long_name_of_an_argument_that_nobody_would_shorten"
    name = "a_function_with_a_name_that_is_about_as_long_as_that_of_its_argument"
    space: dict[str, object] = {}
    exec(f"def {name}({parameter}): return {parameter}['layer one']['kernel'] * 2", space)
    step = jax.jit(space[name])  # pyright: ignore[reportArgumentType]
    with jaxviz.watch() as log:
        for rows in (3, 4):
            step({"layer one": {"kernel": jnp.ones((rows, 8))}})
    lines = str(log).splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert any(f"{parameter}['layer one']['kernel']:" in line for line in lines)
    assert "f32[3→4, 8]" in str(log)
    assert f":{inspect.getsourcelines(test_long_lines_are_wrapped_and_not_cut)[1] + 8}" in str(log)
    assert not any("…" in line for line in lines)
