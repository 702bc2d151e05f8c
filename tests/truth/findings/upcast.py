"""A narrow float that meets a wider one, which the user asked for nowhere."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from . import array, case

X = array("bfloat16", 1024, 1024)
W = array("bfloat16", 1024, 1024)
BIG = array("float32", 1024, 1024)
ROW = array("float32", 1024)


def numpy_scalar(x, w):
    h = x * np.float32(0.5)  # finds: upcast
    return h @ w


def numpy_sqrt(q, k):
    scores = q @ k.T
    return scores / np.sqrt(64)  # finds: upcast


def wide_scale(x, scale, w):
    h = jnp.tanh(x @ w)
    y = h * scale  # finds: upcast
    return y @ w


def default_ones(x, w):
    bias = jnp.ones(1024)
    h = x + bias  # finds: upcast
    return jnp.tanh(h) @ w


def layer(x, w):
    return jnp.tanh(x @ w + jnp.float32(1.0))  # finds: upcast


def in_layers(x, ws):
    for w in ws:
        x = layer(x, w)
    return x


def in_a_scan(x, ws, gain):
    def step(h, w):
        y = jnp.tanh(h @ w)
        z = y * gain  # finds: upcast
        return (z @ w).astype(h.dtype), None

    return lax.scan(step, x, ws)[0]


def trained(w, x, scale):
    def loss(w):
        y = (x @ w) * scale  # finds: upcast
        return jnp.sum(y @ w)

    return jax.grad(loss)(w)


@jax.jit
def half(x, table):
    return x + table  # finds: upcast


# Near misses


def python_scalar(x, w):
    return (x * 0.5) @ w


def asked(x, w):
    h = x.astype(jnp.float32)
    return h @ w.astype(jnp.float32)


def asked_once(x, scale):
    h = jnp.asarray(x, jnp.float32)
    return h * scale


def follows_a_cast(x, w):
    h = x.astype(jnp.float32)
    return h * w


def own_dtype(x, scale, w):
    return (x * scale.astype(x.dtype)) @ w


def narrowed_at_once(x, scale, w):
    h = (x * scale).astype(jnp.bfloat16)
    return h @ w


def softmax_inside(x, w):
    return jax.nn.softmax(x @ w, axis=-1) @ w


def statistics_inside(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(jnp.var(x, axis=-1, keepdims=True))


def wide_target(w, x, target):
    def loss(w):
        return jnp.mean((x @ w - target) ** 2)

    return jax.grad(loss)(w)


def wide_weights(w, grad):
    return w - 0.1 * grad


def small(x, scale):
    return x * scale  # notes: upcast


def wide_product(x, w):
    return jnp.matmul(x, w, preferred_element_type=jnp.float32)


def loss_in_float32(w, x):
    def loss(w):
        return jnp.mean((x @ w).astype(jnp.float32) ** 2)

    return jax.grad(loss)(w)


def ignored(x, scale, w):
    y = x * scale  # jaxviz: ignore upcast
    return y @ w


def ignored_over_lines(x, scale, w):
    y = jnp.multiply(
        x,
        scale,
    )  # jaxviz: ignore
    return y @ w


def integers(i, table):
    return table[i] * i


CASES = [
    case(numpy_scalar, X, W),
    case(numpy_sqrt, X, W),
    case(wide_scale, X, ROW, W),
    case(default_ones, X, W),
    case(in_layers, X, [W] * 4, of=(layer,)),
    case(in_a_scan, X, array("bfloat16", 12, 1024, 1024), ROW),
    case(trained, W, X, ROW),
    case(half, array("float16", 1024, 1024), ROW),
    case(python_scalar, X, W),
    case(asked, X, W),
    case(asked_once, X, ROW),
    case(follows_a_cast, X, W),
    case(own_dtype, X, ROW, W),
    case(narrowed_at_once, X, ROW, W),
    case(softmax_inside, X, W),
    case(statistics_inside, X),
    case(wide_target, W, X, BIG),
    case(wide_weights, BIG, X),
    case(small, array("bfloat16", 8, 8), array("float32", 8)),
    case(wide_product, X, W),
    case(loss_in_float32, W, X),
    case(ignored, X, ROW, W),
    case(ignored_over_lines, X, ROW, W),
    case(integers, array("int32", 4096), array("float32", 4096)),
]
