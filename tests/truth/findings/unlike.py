"""One layer of several that is wider than the others, by code that all of them share."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from . import array, case

X = array("bfloat16", 1024, 1024)
W = array("bfloat16", 1024, 1024)
WIDE = array("float32", 1024, 1024)
ROW = array("bfloat16", 1024)


def dense(p, x):
    h = jnp.tanh(jnp.dot(x, p["w"].astype(x.dtype)))
    return (h * p["scale"]).astype(jnp.bfloat16)  # finds: unlike


def one_wide_scale(x, layers):
    for p in layers:
        x = dense(p, x)
    return x


def cast_by_config(x, w, dtype):
    h = jnp.sin(x.astype(dtype) @ w.astype(dtype))  # finds: unlike
    return (h + jnp.cos(h) * 2).astype(jnp.bfloat16)


def one_in_float32(x, ws):
    for at, w in enumerate(ws):
        x = cast_by_config(x, w, jnp.float32 if at == 7 else jnp.bfloat16)
    return x


def block(x, p):
    with jax.named_scope("block"):
        y = jnp.tanh(x @ p["w"])
        return x + (y + p["b"]).astype(x.dtype)  # finds: unlike


def one_wide_bias(x, layers):
    for p in layers:
        x = block(x, p)
    return x


def last_is_wide(x, layers):
    for p in layers:
        x = block(x, p)
    return x


def trained(layers, x):
    def loss(layers):
        y = x
        for p in layers:
            y = block(y, p)
        return jnp.mean(y.astype(jnp.float32))

    return jax.grad(loss)(layers)


def halved(x, p, at):
    h = jnp.tanh(x @ p["w"])
    if at == 7:
        h = h * np.float32(0.5)  # finds: unlike
    return (h @ p["w"]).astype(x.dtype)


def one_with_a_number_of_numpy(x, layers):
    """Small as it is, the layer is one of twelve: its siblings say what was meant."""
    for at, p in enumerate(layers):
        x = halved(x, p, at)
    return x


def trained_with_a_number(layers, x):
    def loss(layers):
        return jnp.mean(one_with_a_number_of_numpy(x, layers).astype(jnp.float32))

    return jax.grad(loss)(layers)


def mixed(x, p):
    return jnp.tanh(x @ p["w"]).astype(x.dtype) + jnp.sin(x)  # finds: unlike


def one_product_with_wide_weights(x, layers):
    """A product takes wide weights without a cast. The layer is one of twelve."""
    for p in layers:
        x = mixed(x, p)
    return x


# Near misses


def few_with_wide_weights(x, layers):
    for p in layers:
        x = jnp.tanh(x @ p["w"]).astype(x.dtype) + jnp.sin(x)  # notes: unlike
    return x


def all_alike(x, layers):
    for p in layers:
        x = quiet(x, p)
    return x


def quiet(x, p):
    return jnp.tanh(x @ p["w"]).astype(jnp.bfloat16)


def all_wide(x, layers):
    for p in layers:
        x = wide(x, p)
    return x


def wide(x, p):
    return (jnp.tanh(x @ p["w"]) * p["scale"].astype(jnp.float32)).astype(jnp.bfloat16)


def head_apart(x, layers, head):
    for p in layers:
        x = quiet(x, p)
    return x.astype(jnp.float32) @ head


def only_one_branch(x, layers):
    for at, p in enumerate(layers):
        x = branching(x, p, at)
    return x


def branching(x, p, at):
    if at == 5:
        x = jnp.sin(x.astype(jnp.float32)).astype(jnp.bfloat16)
    return jnp.tanh(x @ p["w"])


def small(x, layers):
    for p in layers:
        x = dense_small(p, x)
    return x


def dense_small(p, x):
    return (jnp.tanh(x @ p["w"]) * p["scale"]).astype(jnp.bfloat16)  # notes: unlike


def two_of_four(x, layers):
    for p in layers:
        x = dense_two(p, x)
    return x


def dense_two(p, x):
    return (jnp.tanh(x @ p["w"]) * p["scale"]).astype(jnp.bfloat16)


def layers(count, wide=(), bias="b"):
    def one(at):
        return {"w": W, bias: array("float32" if at in wide else "bfloat16", 1024)}

    return [one(at) for at in range(count)]


TINY = {"w": array("bfloat16", 8, 8), "scale": array("bfloat16", 8)}

SMALL = array("bfloat16", 8, 8)
TINY_WIDE = {"w": array("float32", 8, 8), "scale": array("bfloat16", 8)}

CASES = [
    case(one_wide_scale, X, layers(12, [7], "scale"), of=(dense,)),
    case(one_in_float32, X, [W] * 12, of=(cast_by_config,)),
    case(one_wide_bias, X, layers(6, [2]), of=(block,)),
    case(last_is_wide, X, layers(8, [7]), of=(block,)),
    case(trained, layers(6, [3]), X, of=(block,)),
    case(one_with_a_number_of_numpy, array("bfloat16", 8, 8), [TINY] * 12, of=(halved,)),
    case(trained_with_a_number, [TINY] * 12, array("bfloat16", 8, 8), of=(halved,)),
    case(one_product_with_wide_weights, SMALL, [*[TINY] * 7, TINY_WIDE, *[TINY] * 4], of=(mixed,)),
    case(few_with_wide_weights, SMALL, [*[TINY] * 4, TINY_WIDE]),
    case(all_alike, X, layers(8)),
    case(all_wide, X, layers(8, bias="scale")),
    case(head_apart, X, layers(8), WIDE),
    case(only_one_branch, X, layers(8)),
    case(
        small,
        array("bfloat16", 8, 8),
        [TINY] * 5 + [{**TINY, "scale": array("float32", 8)}],
        of=(dense_small,),
    ),
    case(two_of_four, X, layers(4, [1, 2], "scale")),
]
