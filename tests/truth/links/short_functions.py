"""Short programs whose instructions were followed by hand: half of them in bf16, with convolutions,
scatters, and cumulative sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from truth.links.functions import Call

HALF = jnp.bfloat16
IMAGES = ("NHWC", "HWIO", "NHWC")


def ones(*shape: int) -> Any:
    return jnp.ones(shape)


def halves(*shape: int) -> Any:
    return jnp.ones(shape, HALF)


def half_layer() -> Call:
    return lambda w, b, x: jnp.tanh(x @ w + b), (halves(3, 7), halves(5, 7), halves(5, 3))


def half_gradient() -> Call:
    def loss(w: Any, x: Any) -> Any:
        return lax.dot(jnp.tanh(x @ w), jnp.full((7,), 0.25, HALF)).sum()

    return jax.grad(loss), (halves(3, 7), halves(5, 3))


def half_softmax() -> Call:
    def softmax(x: Any) -> Any:
        powers = jnp.exp(x - x.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    return softmax, (halves(5, 7),)


def half_norm() -> Call:
    """A norm that is computed in f32, as models do."""

    def norm(x: Any) -> Any:
        wide = x.astype(jnp.float32)
        centred = wide - wide.mean(1, keepdims=True)
        return centred.astype(HALF) * x

    return norm, (halves(5, 8),)


def half_scan() -> Call:
    def rnn(w: Any, h: Any, xs: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            return jnp.tanh(h @ w + x), None

        return lax.scan(cell, h, xs)[0]

    return rnn, (halves(6, 6), halves(2, 6), halves(9, 2, 6))


def half_cumulative() -> Call:
    return lambda x: jnp.sin(lax.cumsum(jnp.cos(x), 1)), (halves(4, 64),)


def half_scatter() -> Call:
    def added(x: Any, rows: Any, y: Any) -> Any:
        return jnp.exp(x).at[rows].add(jnp.sin(y), mode="drop")

    return added, (halves(9, 3), jnp.zeros(4, int), halves(4, 3))


def half_scatter_twice() -> Call:
    function, _ = scatter_twice()
    return function, (halves(9, 3), halves(9, 3), jnp.zeros((), jnp.int32), halves(3), halves(3))


def half_convolution() -> Call:
    def features(x: Any, kernel: Any) -> Any:
        y = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=IMAGES)
        return lax.max(y, jnp.zeros((), HALF))

    return features, (halves(2, 8, 8, 3), halves(3, 3, 3, 4))


def half_pool() -> Call:
    def pooled(x: Any) -> Any:
        return lax.reduce_window(jnp.exp(x), -jnp.inf, lax.max, (1, 2), (1, 2), "VALID")

    return pooled, (halves(4, 8),)


def half_mixed() -> Call:
    """A product of bf16 that is wanted in f32."""

    def log_of(x: Any, w: Any) -> Any:
        return jnp.log(lax.dot(x, w, preferred_element_type=jnp.float32))

    return log_of, (halves(5, 3), halves(3, 7))


def half_descent() -> Call:
    return lambda w, g: (w - 0.5 * g, g * g), (halves(6), halves(6))


def half_while() -> Call:
    def halved(x: Any) -> Any:
        return lax.while_loop(lambda x: x.sum() > 1, lambda x: x * 0.5, x)

    return halved, (halves(6),)


def half_gathered() -> Call:
    return lambda x, rows: jnp.sin(x[rows]) * 2, (halves(9, 3), jnp.zeros(4, int))


def half_turned() -> Call:
    return lambda x, w: jnp.exp(x.T) @ w, (halves(3, 5), halves(3, 7))


def convolution_gradient() -> Call:
    def loss(x: Any, kernel: Any) -> Any:
        y = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=IMAGES)
        return (jnp.sin(y)).sum()

    return jax.grad(loss, (0, 1)), (ones(2, 8, 8, 3), ones(3, 3, 3, 4))


def convolution_strided() -> Call:
    def features(x: Any, kernel: Any, bias: Any) -> Any:
        y = lax.conv_general_dilated(x, kernel, (2, 2), "VALID", dimension_numbers=IMAGES)
        return jnp.tanh(y + bias)

    return features, (ones(2, 9, 9, 3), ones(3, 3, 3, 4), ones(2, 4, 4, 4))


def convolution_grouped() -> Call:
    def features(x: Any, kernel: Any) -> Any:
        y = lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=IMAGES, feature_group_count=4
        )
        return jnp.exp(y)

    return features, (ones(2, 6, 6, 4), ones(3, 3, 1, 4))


def convolution_channels_first() -> Call:
    return lambda x, k: lax.conv(jnp.sin(x), k, (1, 1), "SAME"), (
        ones(2, 3, 8, 8),
        ones(4, 3, 3, 3),
    )


def convolution_transposed() -> Call:
    def features(x: Any, kernel: Any) -> Any:
        return lax.conv_transpose(jnp.exp(x), kernel, (2, 2), "SAME")

    return features, (ones(2, 4, 4, 3), ones(3, 3, 3, 5))


def scatter_added() -> Call:
    def added(x: Any, rows: Any, y: Any) -> Any:
        return jnp.sqrt(x.at[rows].add(y, mode="drop"))

    return added, (ones(9, 3), jnp.zeros(4, int), ones(4, 3))


def scatter_twice() -> Call:
    """Two rows put to one place, which XLA checks once."""

    def put(old: Any, new: Any, row: Any, x: Any, y: Any) -> Any:
        return old.at[row].set(jnp.sin(x)), new.at[row].set(jnp.cos(y))

    return put, (ones(9, 3), ones(9, 3), jnp.zeros((), jnp.int32), ones(3), ones(3))


def scatter_updated() -> Call:
    def updated(x: Any, row: Any, y: Any) -> Any:
        return lax.dynamic_update_slice(jnp.exp(x), jnp.sin(y), (row, 0))

    return updated, (ones(9, 3), jnp.zeros((), jnp.int32), ones(2, 3))


def gather_gradient() -> Call:
    def loss(table: Any, rows: Any) -> Any:
        return jnp.sin(table.at[rows].get(mode="fill", fill_value=0)).sum()

    return jax.grad(loss), (ones(9, 3), jnp.zeros(4, int))


def scatter_greatest() -> Call:
    def greatest(x: Any, rows: Any, y: Any) -> Any:
        return x.at[rows].max(jnp.exp(y), mode="drop")

    return greatest, (ones(9, 3), jnp.zeros(4, int), ones(4, 3))


def cumulative_sum() -> Call:
    return lambda x: jnp.sin(lax.cumsum(jnp.cos(x), 1)), (ones(4, 64),)


def cumulative_alone() -> Call:
    return lambda x: lax.cumsum(x, 0), (ones(512),)


def cumulative_product() -> Call:
    return lambda x: jnp.exp(lax.cumprod(x, 0)), (ones(100),)


def cumulative_greatest() -> Call:
    return lambda x: lax.cummax(jnp.exp(x), 1), (ones(4, 32),)


def cumulative_gradient() -> Call:
    return jax.grad(lambda x: jnp.sin(lax.cumsum(x, 0)).sum()), (ones(128),)


def cumulative_backwards() -> Call:
    return lambda x: jnp.exp(lax.cumsum(x, 0, reverse=True)), (ones(32, 3),)


def pool_gradient() -> Call:
    def loss(x: Any) -> Any:
        best = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID")
        return jnp.sin(best).sum()

    return jax.grad(loss), (ones(4, 8),)


def pool_mean() -> Call:
    def pooled(x: Any) -> Any:
        return lax.reduce_window(jnp.exp(x), 0.0, lax.add, (2, 2), (2, 2), "VALID") / 4.0

    return pooled, (ones(6, 8),)


def long_sum() -> Call:
    return lambda x: jnp.exp(jnp.sin(x).sum()), (ones(4096),)


def turned() -> Call:
    return lambda x, w: jnp.sin((x * 2.0).T) @ w, (ones(3, 5), ones(3, 7))


def unrolled() -> Call:
    """Products of vectors, which XLA makes products of matrices."""

    def cell(w: Any, u: Any, h: Any, x: Any) -> Any:
        return jnp.tanh(w @ h + u @ x)

    return cell, (ones(6, 6), ones(6, 3), ones(6), ones(3))


def shared_constants() -> Call:
    def both(x: Any, y: Any) -> Any:
        return lax.select(x > 0.0, x, jnp.zeros(6)), lax.select(y > 0.0, y, jnp.zeros(6))

    return both, (ones(6), ones(6))


ALONE: dict[str, Callable[[], Call]] = {
    name: each
    for name, each in list(globals().items())
    if getattr(each, "__annotations__", {}).get("return") == "Call"
}
