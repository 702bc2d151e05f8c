"""Programs whose eqns were followed by hand; most results have a shape of their own."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Call = tuple[Any, tuple[Any, ...]]


def softmax_gradient() -> Call:
    """The gradient of a classifier: two layers, softmax, cross-entropy."""

    def loss(w1: Any, b1: Any, w2: Any, x: Any, labels: Any) -> Any:
        hidden = jnp.tanh(x @ w1 + b1)
        logits = hidden @ w2
        shifted = logits - lax.stop_gradient(logits.max(1, keepdims=True))
        normal = jnp.log(jnp.exp(shifted).sum(1, keepdims=True))
        return -((shifted - normal) * labels).sum() / 5.0

    weights = jnp.ones((3, 7)), jnp.ones(7), jnp.ones((7, 4))
    return jax.grad(loss, argnums=(0, 1, 2)), (*weights, jnp.ones((5, 3)), jnp.ones((5, 4)))


def recurrence() -> Call:
    """A recurrent cell in a scan, and what is done with its outputs."""

    def rnn(w: Any, u: Any, h: Any, xs: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            h = jnp.tanh(h @ w + x @ u)
            return h, h * h

        last, squares = lax.scan(cell, h, xs)
        return jnp.cos(last), jnp.sqrt(squares)

    args = jnp.ones((6, 6)), jnp.ones((3, 6)), jnp.ones((2, 6)), jnp.ones((9, 2, 3))
    return rnn, args


def control() -> Call:
    """A cond between unlike branches, and a loop that runs until something is small."""

    def both(x: Any, w: Any) -> Any:
        y = lax.cond(x[0] > 0.0, lambda x: jnp.exp(x) - x, lambda x: jnp.floor(x / 3.0), x)

        def step(carry: Any) -> Any:
            z, count = carry
            return jnp.sin(z) * w, count + 1

        z, count = lax.while_loop(lambda carry: carry[0].sum() > 1.0, step, (y, 0))
        return jnp.log1p(z), count

    return both, (jnp.ones(11), jnp.ones(11))


def attention() -> Call:
    """One head of causal attention, with its projections."""

    def attend(q: Any, k: Any, v: Any, x: Any) -> Any:
        queries, keys, values = x @ q, x @ k, x @ v
        scores = (queries @ keys.T) * 0.25
        mask = lax.broadcasted_iota(int, (12, 12), 0) >= lax.broadcasted_iota(int, (12, 12), 1)
        scores = lax.select(mask, scores, jnp.full((12, 12), -1e9))
        peak = scores.max(1)
        weights = jnp.exp(scores - peak[:, None])
        return (weights @ values) / weights.sum(1)[:, None]

    weights = jnp.ones((8, 16)), jnp.ones((8, 16)), jnp.ones((8, 10))
    return attend, (*weights, jnp.ones((12, 8)))


def convolution() -> Call:
    """A convolution, a batch norm, a nonlinearity and a mean over places."""

    def features(kernel: Any, scale: Any, shift: Any, x: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        y = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=numbers)
        mean = y.mean((0, 1, 2))
        centred = y - mean
        variance = (centred * centred).mean((0, 1, 2))
        normal = centred * lax.rsqrt(variance + 1e-5) * scale + shift
        return lax.max(normal, 0.0).sum((1, 2))

    scalars = jnp.ones(6), jnp.ones(6)
    return features, (jnp.ones((3, 3, 2, 6)), *scalars, jnp.ones((4, 5, 5, 2)))


def places() -> Call:
    """Rows that are gathered, sorted, added where they belong, and cut out again."""

    def moved(table: Any, rows: Any, x: Any) -> Any:
        taken = lax.slice(table, (2, 0), (8, 4)) * 3.0
        ordered = lax.sort(x)
        summed = taken.at[rows].add(jnp.abs(ordered))
        both = lax.concatenate([summed, lax.neg(ordered)], 0)
        return (
            lax.rev(both, (0,)),
            lax.argmax(x, 1, jnp.int32),
            lax.pad(x, 0.5, [(1, 1, 0), (0, 0, 0)]),
        )

    return moved, (jnp.ones((20, 4)), jnp.zeros((3,), int), jnp.ones((3, 4)))


FUNCTIONS = {
    each.__name__: each
    for each in (softmax_gradient, recurrence, control, attention, convolution, places)
}
