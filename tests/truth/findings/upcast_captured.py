"""Narrow floats that a captured array makes wide: one that the function closes over or reads as a
global, an attribute or a field of a module."""

from __future__ import annotations

import equinox
import haiku
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen
from jax import lax

from . import array, case

MASK = np.tril(np.ones((256, 256), np.float32))
ROW = np.ones(256, np.float32)
POSITIONS = jnp.ones((256, 64))
HALF = np.array(0.5, np.float32)
NARROW = np.ones(256).astype(jnp.bfloat16)
ALLOWED = MASK > 0
TARGET = np.ones((1024, 256), np.float32)
Q = array("bfloat16", 16, 256, 64)
X, W = array("bfloat16", 1024, 256), array("bfloat16", 256, 256)


def scores(q, k):
    return jnp.einsum("bqd,bkd->bqk", q, k)


def masked_scores(q, k, v):
    s = scores(q, k)
    s = s * MASK  # finds: upcast
    return jax.nn.softmax(s) @ v


def scaled_scores(q, k, v):
    s = scores(q, k) * ROW  # finds: upcast
    return s @ v


def positions(x, w):
    h = x + POSITIONS  # finds: upcast
    return jnp.tanh(h @ w)


def rotated(q, k):
    angles = np.arange(256, dtype=np.float32)[:, None] * np.ones(64, np.float32)
    q = q * np.cos(angles)  # finds: upcast
    return scores(q, k)


@jax.jit
def scaled(x):
    return x * ROW  # finds: upcast


def in_a_function(x, w):
    return scaled(jnp.tanh(x @ w)) @ w


def in_a_scan(x, ws):
    def step(h, w):
        y = jnp.tanh(h @ w) * ROW  # finds: upcast
        return (y @ w).astype(h.dtype), None

    return lax.scan(step, x, ws)[0]


class Scale:
    def __init__(self):
        self.scale = np.ones(256, np.float32)

    def __call__(self, x):
        return x * self.scale  # finds: upcast


SCALE = Scale()


def of_an_object(x, w):
    return SCALE(x) @ w


def closed_over(scales):
    def call(x, w):
        return (x + scales["bias"]) @ w  # finds: upcast

    return call


def one_number(x, w):
    return (x * HALF) @ w  # finds: upcast


def trained(w, x):
    def loss(w):
        h = jnp.tanh(x @ w) + ROW  # finds: upcast
        return jnp.sum(h @ w)

    return jax.grad(loss)(w)


class Embedded(linen.Module):
    @linen.compact
    def __call__(self, x):
        h = x + POSITIONS  # finds: upcast
        return linen.Dense(64, dtype=jnp.bfloat16)(h) + h


def in_linen(params, x):
    return Embedded().apply(params, x)


class Gain(equinox.Module):
    gain: jax.Array

    def __call__(self, x):
        return x * self.gain  # finds: upcast


GAIN = Gain(jnp.ones(256))


def in_equinox(x, w):
    return GAIN(x) @ w


def _scaled_by_haiku(x, w):
    gain = haiku.get_parameter("gain", [256], init=jnp.ones)
    return (x * gain) @ w  # finds: upcast


def in_haiku(params, x, w):
    return haiku.without_apply_rng(haiku.transform(_scaled_by_haiku)).apply(params, x, w)


# Near misses


def target_of_a_loss(x, w):
    return jnp.mean((x @ w - TARGET) ** 2)  # finds: constant


def weights_of_a_loss(x, w):
    return jnp.sum(jnp.square(x @ w) * ROW)


def loss_of_optax(x, w):
    return optax.l2_loss(x @ w, jnp.broadcast_to(ROW, (1024, 256))).mean()


def narrowed_at_once(q, k, v):
    s = (scores(q, k) * MASK).astype(q.dtype)
    return s @ v


def softmax_with_a_bias(q, k, v):
    s = jax.nn.softmax(scores(q, k) + MASK).astype(q.dtype)
    return s @ v


def selected(q, k, v):
    s = jnp.where(ALLOWED, scores(q, k), -1e9)
    return s @ v


def own_dtype(x, w):
    return (x * NARROW) @ w


def cast_where_it_is_used(x, w):
    return (x * ROW.astype(x.dtype)) @ w


def norm(x, w):
    h = x.astype(jnp.float32)
    h = (h - h.mean(-1, keepdims=True)) * lax.rsqrt(h.var(-1, keepdims=True) + 1e-6)
    return (h * ROW).astype(x.dtype) @ w


def norm_of_statistics(x, w):
    h = x * lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True) + 1e-6)
    return (h * ROW).astype(x.dtype) @ w


def moments(state, g):
    return jax.tree.map(lambda m: 0.9 * m + 0.1 * g, state)


def master_weights(w, x):
    def loss(w):
        return jnp.mean((x @ w.astype(x.dtype)).astype(jnp.float32))

    return w - 0.1 * jax.grad(loss)(w)


def silenced(x, w):
    return (x * ROW) @ w  # jaxviz: ignore upcast


KERNEL = {"kernel": array("float32", 64, 64), "bias": array("float32", 64)}
LONG = array("bfloat16", 64, 256, 64)
WIDE = array("float32", 1024, 256)

CASES = [
    case(masked_scores, Q, Q, Q),
    case(scaled_scores, Q, Q, Q),
    case(positions, LONG, array("bfloat16", 64, 64)),
    case(rotated, Q, Q),
    case(in_a_function, X, W, of=(scaled,)),
    case(in_a_scan, X, array("bfloat16", 12, 256, 256)),
    case(of_an_object, X, W, of=(Scale.__call__,)),
    case(closed_over({"bias": np.ones(256, np.float32)}), X, W),
    case(one_number, X, W),
    case(trained, W, X),
    case(in_linen, {"params": {"Dense_0": KERNEL}}, LONG, of=(Embedded.__call__,)),
    case(in_equinox, X, W, of=(Gain.__call__,)),
    case(in_haiku, {"~": {"gain": array("float32", 256)}}, X, W, of=(_scaled_by_haiku,)),
    case(target_of_a_loss, X, W),
    case(weights_of_a_loss, X, W),
    case(loss_of_optax, X, W),
    case(narrowed_at_once, Q, Q, Q),
    case(softmax_with_a_bias, Q, Q, Q),
    case(selected, Q, Q, Q),
    case(own_dtype, X, W),
    case(cast_where_it_is_used, X, W),
    case(norm, X, W),
    case(norm_of_statistics, X, W),
    case(moments, {"m": WIDE, "v": WIDE}, X),
    case(master_weights, array("float32", 256, 256), X),
    case(silenced, X, W),
]
