"""Pairs of programs with a known difference: moved lines, results that changed places, and arrays
that they close over. `tests/analysis/test_compared_truths.py` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

X = jnp.arange(4.0)
Y = jnp.ones(4)
W = np.arange(16, dtype=np.float32).reshape(4, 4)


class Pair(NamedTuple):
    """The truth about two programs."""

    before: Callable[..., Any]
    after: Callable[..., Any]
    args: tuple[Any, ...] = (X, Y)
    same: bool | None = False
    marks: dict[str, int] = {}  # noqa: RUF012
    """The number of eqns with each mark."""
    ends: tuple[tuple[str, str, str], ...] = ()
    """Differences of inputs, constants and results: kind, before and after."""
    unknown: tuple[str, ...] = ()


MOVED_RESULTS = (("moved", "result[1]", "result[0]"), ("moved", "result[0]", "result[1]"))


def sin_first(x, y):
    s = jnp.sin(x)
    c = jnp.cos(y)
    return s + c


def cos_first(x, y):
    c = jnp.cos(y)
    s = jnp.sin(x)
    return s + c


def chains(x, y):
    s = jnp.sin(x) * 2.0
    c = jnp.cos(y) * 3.0
    return s - c


def chains_in_another_order(x, y):
    c = jnp.cos(y) * 3.0
    s = jnp.sin(x) * 2.0
    return s - c


def interleaved(x, y):
    s = jnp.sin(x)
    c = jnp.cos(y)
    s = s * 2.0
    c = c * 3.0
    return s - c


def three(x, y):
    a, b, c = jnp.sin(x), jnp.cos(x), jnp.tan(x)
    return a * b - c + y


def three_rotated(x, y):
    b, c, a = jnp.cos(x), jnp.tan(x), jnp.sin(x)
    return a * b - c + y


def three_reversed(x, y):
    c, b, a = jnp.tan(x), jnp.cos(x), jnp.sin(x)
    return a * b - c + y


def after_another_line(first):
    def f(x, y):
        x = first(x)
        return sin_first(x, x) * y

    return f


def in_another_order_after(first):
    def f(x, y):
        x = first(x)
        return cos_first(x, x) * y

    return f


def scaled(x, y):
    a = x * 2.0
    b = x * 3.0
    return jnp.exp(a - b) + y


def scaled_in_another_order(x, y):
    b = x * 3.0
    a = x * 2.0
    return jnp.exp(a - b) + y


def scanned(body):
    return lambda x, y: lax.scan(lambda c, _: (body(c, y), None), x, None, length=3)[0]


def jitted(body):
    inner = jax.jit(lambda x, y: body(x, y))
    return lambda x, y: inner(x, y) * 2.0


def branch(body):
    return lambda x, y: lax.cond(x[0] > 0, body, lambda x, y: x, x, y)


def looped(x, y):
    a = lax.fori_loop(0, 3, lambda _, c: jnp.sin(c), x)
    b = jnp.cos(y)
    return a + b


def looped_last(x, y):
    b = jnp.cos(y)
    a = lax.fori_loop(0, 3, lambda _, c: jnp.sin(c), x)
    return a + b


LINES = {
    "two lines": Pair(sin_first, cos_first, marks={"moved": 1}),
    "two chains": Pair(chains, chains_in_another_order, marks={"moved": 2}),
    "interleaved": Pair(chains, interleaved, marks={"moved": 1}),
    "three rotated": Pair(three, three_rotated, marks={"moved": 1}),
    "three reversed": Pair(three, three_reversed, marks={"moved": 2}),
    "one op twice": Pair(scaled, scaled_in_another_order, marks={"moved": 1}),
    "after a line that is new": Pair(
        after_another_line(jnp.exp),
        in_another_order_after(jnp.tanh),
        marks={"added": 1, "removed": 1, "moved": 1},
    ),
    "after a line that is gone": Pair(
        after_another_line(jnp.exp),
        in_another_order_after(lambda x: x),
        marks={"removed": 1, "moved": 1},
    ),
    "in a loop's body": Pair(scanned(sin_first), scanned(cos_first), marks={"moved": 1}),
    "in a jit's body": Pair(jitted(sin_first), jitted(cos_first), marks={"moved": 1}),
    "in a branch": Pair(branch(sin_first), branch(cos_first), marks={"moved": 1}),
    "a whole loop": Pair(looped, looped_last, marks={"moved": 1}),
    # Near misses.
    "the same order": Pair(sin_first, lambda x, y: sin_first(x, y), same=True),
    "another order that matters": Pair(
        lambda x, y: jnp.sin(jnp.cos(x)),
        lambda x, y: jnp.cos(jnp.sin(x)),
        marks={"added": 1, "removed": 1},
    ),
    "operands, not lines": Pair(lambda x, y: x - y, lambda x, y: y - x, marks={"changed": 1}),
    "another op in its place": Pair(
        sin_first, lambda x, y: jnp.sin(x) + jnp.tan(y), marks={"added": 1, "removed": 1}
    ),
    "of another argument": Pair(
        lambda x, y: jnp.sin(x) + x * y, lambda x, y: jnp.sin(y) + x * y, marks={"changed": 1}
    ),
}
"""Lines in another order. If two changed places, one of them moved."""

RESULTS = {
    "two results": Pair(
        lambda x, y: (jnp.sin(x), jnp.cos(y)),
        lambda x, y: (jnp.sin(x), jnp.cos(y))[::-1],
        ends=MOVED_RESULTS,
    ),
    "three rotated": Pair(
        lambda x, y: (jnp.sin(x), jnp.cos(x), jnp.tan(x)),
        lambda x, y: (*(made := (jnp.sin(x), jnp.cos(x), jnp.tan(x)))[1:], made[0]),
        ends=(
            ("moved", "result[1]", "result[0]"),
            ("moved", "result[2]", "result[1]"),
            ("moved", "result[0]", "result[2]"),
        ),
    ),
    "of a dict": Pair(
        lambda x, y: dict(zip(("a", "b"), (jnp.sin(x), jnp.cos(y)), strict=True)),
        lambda x, y: dict(zip(("b", "a"), (jnp.sin(x), jnp.cos(y)), strict=True)),
        ends=(
            ("moved", "result['b']", "result['a']"),
            ("moved", "result['a']", "result['b']"),
        ),
    ),
    "of other types": Pair(
        lambda x, y: (jnp.sin(x), y.sum()),
        lambda x, y: (jnp.sin(x), y.sum())[::-1],
        ends=MOVED_RESULTS,
    ),
    "an argument that is returned": Pair(
        lambda x, y: (x, jnp.cos(y)), lambda x, y: (jnp.cos(y), x), ends=MOVED_RESULTS
    ),
    "two arguments": Pair(lambda x, y: (x, y), lambda x, y: (y, x), ends=MOVED_RESULTS),
    "with their lines": Pair(
        lambda x, y: (jnp.sin(x), jnp.cos(y)),
        lambda x, y: (jnp.cos(y), jnp.sin(x)),
        marks={"moved": 1},
        ends=MOVED_RESULTS,
    ),
    "the first is gone": Pair(
        lambda x, y: (x, jnp.cos(y), jnp.tan(y)),
        lambda x, y: (jnp.cos(y), jnp.tan(y)),
        ends=(
            ("moved", "result[1]", "result[0]"),
            ("moved", "result[2]", "result[1]"),
            ("pytree", "f32[4]", "absent"),
        ),
    ),
    "one came first": Pair(
        lambda x, y: (jnp.cos(y), jnp.tan(y)),
        lambda x, y: (x, jnp.cos(y), jnp.tan(y)),
        ends=(
            ("moved", "result[0]", "result[1]"),
            ("moved", "result[1]", "result[2]"),
            ("unknown", "c", "a"),
        ),
    ),
    "arguments": Pair(
        lambda a, b: a - b, lambda b, a: a - b, ends=(("moved", "input 1", "input 2"),)
    ),
    # Near misses.
    "in their places": Pair(
        lambda x, y: (jnp.sin(x), jnp.cos(y)), lambda x, y: (jnp.sin(x), jnp.cos(y)), same=True
    ),
    "one is another value": Pair(
        lambda x, y: (jnp.sin(x), jnp.cos(y)),
        lambda x, y: (jnp.sin(x), jnp.tan(y)),
        marks={"added": 1, "removed": 1},
    ),
}
"""Results and arguments that changed places."""


def product(w):
    return lambda x, y: x @ w + y


def inner_product(w):
    inner = jax.jit(lambda x: x @ w)
    return lambda x, y: inner(x) + y


def scanned_product(w):
    return lambda x, y: lax.scan(lambda c, _: (c @ w, None), x, None, length=3)[0] + y


def chosen_product(w):
    return lambda x, y: lax.cond(y[0] > 0, lambda x: x @ w, lambda x: x, x)


def two_products(w, v):
    return lambda x, y: (x @ w) * (y @ v)


def drawn(key):
    return lambda x, y: x + jax.random.normal(key, (4,)) * y


def times(scale):
    return lambda x, y: x * scale + y


def jax_array(values):
    return jnp.asarray(np.array(values))


def other(type_: str = "f32[4,4]") -> tuple[tuple[str, str, str], ...]:
    return (("values", type_, "other values"),)


NAN = np.full((4, 4), np.nan, np.float32)
LARGE = jnp.ones((2100, 2048))

VALUES = {
    "NumPy's, other": Pair(product(W), product(W + 1), ends=other()),
    "NumPy's, equal": Pair(product(W), product(W.copy()), same=True),
    "NumPy's, one element": Pair(product(W), product(np.where(W == 15, 0, W)), ends=other()),
    "JAX's, other": Pair(product(jax_array(W)), product(jax_array(W + 1)), ends=other()),
    "JAX's, equal": Pair(product(jax_array(W)), product(jax_array(W)), same=True),
    "one of each, equal": Pair(product(W), product(jax_array(W)), same=True),
    "the transposed": Pair(product(W), product(np.ascontiguousarray(W.T)), ends=other()),
    "another layout": Pair(product(W), product(np.asfortranarray(W)), same=True),
    "NaN and NaN": Pair(product(NAN), product(NAN.copy()), same=True),
    "zero and minus zero": Pair(product(W * 0), product(-(W * 0)), ends=other()),
    "another dtype": Pair(
        product(W),
        product(W.astype(np.float16)),
        ends=(("dtype", "f32[4,4]", "f16[4,4]"),),
    ),
    "in a jit, other": Pair(
        inner_product(jax_array(W)), inner_product(jax_array(W + 1)), marks={"changed": 1}
    ),
    "in a jit, equal": Pair(inner_product(jax_array(W)), inner_product(jax_array(W)), same=True),
    "in a loop, other": Pair(scanned_product(W), scanned_product(W + 1), ends=other()),
    "in a loop, equal": Pair(scanned_product(W), scanned_product(W.copy()), same=True),
    "in a branch, other": Pair(chosen_product(W), chosen_product(W + 1), ends=other()),
    "one of two": Pair(two_products(W, W + 1), two_products(W, W + 2), ends=other()),
    "two that changed places": Pair(
        two_products(W, W + 1), two_products(W + 1, W), ends=other() * 2
    ),
    "two, equal": Pair(two_products(W, W + 1), two_products(W + 0, W + 1), same=True),
    "a scalar, other": Pair(
        times(jnp.float32(2)), times(jnp.float32(3)), ends=other(type_="f32[]")
    ),
    "a scalar, equal": Pair(times(jnp.float32(2)), times(jnp.float32(2)), same=True),
    "keys, other": Pair(
        drawn(jax.random.key(0)), drawn(jax.random.key(1)), ends=other(type_="key<fry>[]")
    ),
    "keys, equal": Pair(drawn(jax.random.key(0)), drawn(jax.random.key(0)), same=True),
    "too large": Pair(
        lambda x, y: (LARGE * x[0]).sum(),
        lambda x, y, large=LARGE + 0: (large * x[0]).sum(),
        same=None,
        unknown=("f32[2100,2048]",),
    ),
    "too large, the same object": Pair(
        lambda x, y: (LARGE * x[0]).sum(), lambda x, y: (LARGE * x[0]).sum(), same=True
    ),
}
"""Arrays that are closed over, with equal values and others."""

PAIRS = {
    f"{kind}: {name}": pair
    for kind, pairs in (("lines", LINES), ("results", RESULTS), ("values", VALUES))
    for name, pair in pairs.items()
}
