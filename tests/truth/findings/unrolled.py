"""Python loops whose turns are alike, so that one `lax.scan` would trace them once."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from . import array, case

X = array("float32", 8, 16)
W = array("float32", 16, 16)


def recurrent(xs, w, u):
    h = jnp.zeros((8, 16))
    for t in range(20):  # finds: unrolled
        h = jnp.tanh(xs[t] @ u + h @ w)
    return h


def fixed_point(x, w):
    for _ in range(50):  # finds: unrolled
        x = x - 0.1 * (x @ w - jnp.sin(x))
    return x


def counted(x, w):
    step = 0
    while step < 30:  # finds: unrolled
        x = jnp.tanh(x @ w) + x
        step += 1
    return x


def cell(h, x, w):
    gate = jax.nn.sigmoid(x @ w)
    return gate * h + (1 - gate) * jnp.tanh(h @ w)


def with_a_function(xs, w):
    h = jnp.zeros((8, 16))
    for x in xs:  # finds: unrolled
        h = cell(h, x, w)
    return h


def trained(w, xs):
    def loss(w):
        h = jnp.zeros((8, 16))
        for t in range(16):  # finds: unrolled
            h = jnp.tanh(xs[t] + h @ w)
        return jnp.sum(h)

    return jax.grad(loss)(w)


# Near misses


def layers(x, ws):
    for w in ws:
        x = jnp.tanh(x @ w) + jnp.sin(x)
    return x


def few_turns(x, w):
    for _ in range(4):
        x = jnp.tanh(x @ w) + jnp.sin(x) * jnp.cos(x)
    return x


def turns_differ(x, w):
    for i in range(20):
        x = jnp.tanh(x @ w) if i % 2 else jnp.sin(x) * x + 1
    return x


def functions_alternate(x, w):
    layers = [lambda x: jnp.tanh(x @ w) * x, lambda x: jnp.sin(x) * x + 1]
    for i in range(24):
        x = layers[i % 2](x)
    return x


def shapes_differ(x):
    parts = []
    for i in range(1, 15):
        parts.append(jnp.sum(jnp.sin(x[:, :i]) * jnp.cos(x[:, :i])))
    return sum(parts)


def small_part(x, w):
    for _ in range(10):
        x = x + 1
    for _ in range(3):
        x = jnp.tanh(jnp.sin(x @ w) * jnp.cos(x @ w) + jnp.exp(x) * jnp.log1p(x * x))
    return jnp.linalg.norm(x) + jnp.mean(x) + jnp.var(x) + jnp.max(jax.nn.softmax(x))


def scanned(x, w):
    return jax.lax.fori_loop(0, 50, lambda _, h: jnp.tanh(h @ w), x)


def written_out(x, w):
    x = jnp.tanh(x @ w)
    x = jnp.tanh(x @ w)
    x = jnp.tanh(x @ w)
    return x @ w


def ignored(x, w):
    for _ in range(50):  # jaxviz: ignore unrolled
        x = x - 0.1 * (x @ w - jnp.sin(x))
    return x


CASES = [
    case(recurrent, array("float32", 20, 8, 16), W, W),
    case(fixed_point, X, W),
    case(counted, X, W),
    case(with_a_function, array("float32", 12, 8, 16), W),
    case(trained, W, array("float32", 16, 8, 16)),
    case(layers, X, [W] * 24),
    case(few_turns, X, W),
    case(turns_differ, X, W),
    case(functions_alternate, X, W),
    case(shapes_differ, X),
    case(small_part, X, W),
    case(scanned, X, W),
    case(written_out, X, W),
    case(ignored, X, W),
]
