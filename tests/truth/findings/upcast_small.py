"""Upcasts of small values: notes, if at least a quarter of a layer's bytes become wide."""

from __future__ import annotations

import haiku
import jax
import jax.numpy as jnp
import numpy as np
from flax import linen
from jax import lax

from . import array, case

ROW = np.ones(8, np.float32)
X = W = array("bfloat16", 8, 8)
WIDE = array("float32", 8, 8)
BIG = array("bfloat16", 8, 256)


def numpy_scalar(x, w):
    h = x * np.float32(0.5)  # notes: upcast
    return h @ w


def numpy_sqrt(q, k):
    return (q @ k.T) / np.sqrt(64)  # notes: upcast


def captured_row(x, w):
    return jnp.tanh(x * ROW) @ w  # notes: upcast


def default_ones(x, w):
    return (x + jnp.ones(8)) @ w  # notes: upcast


def argument(x, scale, w):
    return (x * scale) @ w  # notes: upcast


def layer(x, w):
    return jnp.tanh(x @ w + jnp.float32(1.0))  # notes: upcast


def in_layers(x, ws):
    for w in ws:
        x = layer(x, w)
    return x


def scaled_layer(p, x):
    return (x * p["scale"]) @ p["w"]  # notes: upcast


def in_layers_of_a_list(params, x):
    """Each layer has its own scale: one note for the line."""
    for p in params["layers"]:
        x = scaled_layer(p, x).astype(x.dtype)
    return x


def in_a_scan(x, ws):
    def step(h, w):
        y = jnp.tanh(h @ w) * ROW  # notes: upcast
        return (y @ w).astype(h.dtype), None

    return lax.scan(step, x, ws)[0]


def trained(w, x):
    def loss(w):
        h = (x @ w) * ROW  # notes: upcast
        return jnp.sum(h @ w)

    return jax.grad(loss)(w)


class Scaled(linen.Module):
    @linen.compact
    def __call__(self, x):
        h = linen.Dense(8, dtype=jnp.bfloat16)(x)
        return h / np.sqrt(8)  # notes: upcast


def in_linen(params, x):
    return Scaled().apply(params, x)


def _scaled_by_haiku(x, w):
    gain = haiku.get_parameter("gain", [8], init=jnp.ones)
    return (x * gain) @ w  # notes: upcast


def in_haiku(params, x, w):
    return haiku.without_apply_rng(haiku.transform(_scaled_by_haiku)).apply(params, x, w)


# Near misses


def hidden_state(xs, w):
    def step(h, x):
        h = jnp.tanh(x @ w + h @ w)  # notes: upcast
        return h, h

    return lax.scan(step, jnp.zeros((8, 8)), xs)


def a_small_part(x, w):
    gate = x[:, :1] * np.float32(2)
    return jnp.tanh(jnp.sin(x) @ w), gate


def python_scalar(x, w):
    return (x * 0.5) @ w


def cast_by_hand(x, w):
    return x.astype(jnp.float32) @ w.astype(jnp.float32)


def target(x, w, y):
    return jnp.mean((x @ w - y) ** 2)


def weighted_loss(x, w):
    return jnp.sum(jnp.square(x @ w) * ROW)


def softmax_in_float32(x, w):
    return jax.nn.softmax((x @ w) * ROW).astype(x.dtype) @ w


def norm(x, w):
    h = x * lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True) + 1e-6)
    return (h * ROW).astype(x.dtype) @ w


def moments(m, g):
    return 0.9 * m + 0.1 * g


def master_weights(w, g):
    return w - 0.1 * g


def accumulated_in_a_scan(w, xs):
    def step(total, x):
        return total + jax.grad(lambda w: (x @ w).mean())(w), None

    return lax.scan(step, jnp.zeros(w.shape, jnp.float32), xs)[0]


def accumulated_in_a_loop(w, xs):
    total = jnp.zeros_like(w, dtype=jnp.float32)
    for x in xs:
        grads = jax.grad(lambda w, x: (x @ w).mean())(w, x)
        total = jax.tree.map(lambda a, g: a + g / 2, total, grads)
    return total / len(xs)


def running_mean(xs):
    def step(carry, x):
        mean, count = carry
        return (mean + (x - mean) / (count + 1), count + 1), None

    return lax.scan(step, (jnp.zeros(xs.shape[1:], jnp.float32), 0.0), xs)[0]


def moving_average(average, w, decay):
    return average * decay + w * (1 - decay)


def scaled_step(w, g, rate):
    return w - rate * g


def second_moment(v, g, decay):
    return decay * v + (1 - decay) * jnp.square(g)


def narrowed_at_once(x, w):
    return (x * ROW).astype(x.dtype) @ w


def silenced(x, w):
    return (x * ROW) @ w  # jaxviz: ignore upcast


def integers(i, w):
    return (i * 0.5) @ w


KERNEL = {"kernel": WIDE, "bias": array("float32", 8)}

CASES = [
    case(numpy_scalar, X, W),
    case(numpy_sqrt, X, W),
    case(captured_row, X, W),
    case(default_ones, X, W),
    case(argument, X, array("float32", 8), W),
    case(in_layers, X, [W] * 4, of=(layer,)),
    case(
        in_layers_of_a_list,
        {"layers": [{"scale": array("float32", 8), "w": W}] * 5},
        X,
        of=(scaled_layer,),
    ),
    case(in_a_scan, X, array("bfloat16", 3, 8, 8)),
    case(trained, W, X),
    case(in_linen, {"params": {"Dense_0": KERNEL}}, X, of=(Scaled.__call__,)),
    case(in_haiku, {"~": {"gain": array("float32", 8)}}, X, W, of=(_scaled_by_haiku,)),
    case(a_small_part, BIG, array("bfloat16", 256, 256)),
    case(python_scalar, X, W),
    case(cast_by_hand, X, W),
    case(target, X, W, WIDE),
    case(weighted_loss, X, W),
    case(softmax_in_float32, X, W),
    case(norm, X, W),
    case(moments, WIDE, X),
    case(master_weights, WIDE, X),
    case(hidden_state, array("bfloat16", 3, 8, 8), W),
    case(accumulated_in_a_scan, W, array("bfloat16", 3, 8, 8)),
    case(accumulated_in_a_loop, W, array("bfloat16", 3, 8, 8)),
    case(running_mean, array("bfloat16", 3, 8, 8)),
    case(moving_average, WIDE, X, array("float32")),
    case(scaled_step, WIDE, X, array("float32")),
    case(second_moment, WIDE, X, array("float32")),
    case(narrowed_at_once, X, W),
    case(silenced, X, W),
    case(integers, array("int32", 8, 8), WIDE),
]
