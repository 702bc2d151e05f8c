"""Loops in expressions: comprehensions, generators, and `functools.reduce`."""

from __future__ import annotations

import functools
from functools import reduce

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from . import array, case

X = array("float32", 8, 16)
W = array("float32", 16, 16)
XS = array("float32", 20, 8, 16)
WS = [W] * 24


def cell(h, x, w):
    gate = jax.nn.sigmoid(x @ w)
    return gate * h + (1 - gate) * jnp.tanh(h @ w)


def stacked(x, w):
    return jnp.stack([jnp.tanh(x @ w) * jnp.sin(x + t) for t in range(20)])  # finds: unrolled


def summed(x, w):
    return sum(jnp.sum(jnp.sin(x * t) @ w) for t in range(20))  # finds: unrolled


def summed_of_a_list(x, w):
    total = sum([jnp.sum(jnp.sin(x * t) @ w) for t in range(20)])  # finds: unrolled
    return total / 20


def called_for_each_row(xs, w):
    return jnp.stack([cell(xs[t], xs[t], w) for t in range(20)])  # finds: unrolled


def on_lines_of_its_own(xs, w):
    found = [
        cell(xs[t], xs[0], w)
        for t in range(20)  # finds: unrolled
    ]
    return jnp.stack(found)


def named(x, w):
    return {str(t): jnp.tanh(x @ w) * t + jnp.cos(x) for t in range(20)}  # finds: unrolled


def filtered(x, w):
    found = [jnp.tanh(x @ w) * t + jnp.cos(x) for t in range(40) if t % 2]  # finds: unrolled
    return jnp.stack(found)


def reduced(x, w):
    return functools.reduce(lambda h, t: jnp.tanh(h @ w) + t, range(30), x)  # finds: unrolled


def reduced_by_a_function(xs, w):
    def step(h, t):
        new = jnp.tanh(h @ w)
        return new + xs[t]

    return reduce(step, range(20), xs[0])  # finds: unrolled


def trained(w, xs):
    def loss(w):
        return sum(jnp.sum(jnp.tanh(xs[t] @ w) ** 2) for t in range(20))  # finds: unrolled

    return jax.grad(loss)(w)


def within_a_function(x, w):
    def shifts(h):
        return [jnp.cos(h + t) * jnp.sin(h) for t in range(20)]  # finds: unrolled

    return jnp.concatenate(shifts(x @ w))


class Shared(nn.Module):
    @nn.compact
    def __call__(self, xs):
        dense = nn.Dense(16)
        return jnp.stack([jnp.tanh(dense(xs[t])) for t in range(20)])  # finds: unrolled


def linen_of_a_shared_layer(params, xs):
    return Shared().apply({"params": {"Dense_0": params}}, xs)


LINEAR = eqx.nn.Linear(16, 16, key=jax.random.key(0))


def equinox_of_rows(x):
    return [jnp.tanh(LINEAR(x[t])) for t in range(8)]  # finds: unrolled


def optax_losses(x, y):
    return sum(optax.huber_loss(jnp.tanh(x * t), y).mean() for t in range(16))  # finds: unrolled


# Near misses


def layers(x, ws):
    return [jnp.tanh(x @ w) + jnp.sin(x @ w) for w in ws]


def layers_summed(x, ws):
    return sum(jnp.sum(jnp.tanh(x @ w) + jnp.sin(x @ w)) for w in ws)


def layers_reduced(x, ws):
    return functools.reduce(lambda h, w: jnp.tanh(h @ w) + jnp.sin(h), ws, x)


def mapped_over_a_tree(ws):
    return jax.tree.map(lambda w: jnp.tanh(w) * jnp.sin(w) + 1, ws)


def mapped_over_values(x, ws):
    hs = [x @ w for w in ws]
    return jax.tree.map(lambda h: jnp.tanh(h) * jnp.sin(h) + 1, hs)


def values_of_layers(x, ws):
    hs = [x @ w for w in ws]
    return [jnp.tanh(h) * jnp.sin(h) + jnp.cos(h) for h in hs]


def adam_by_hand(x, ws):
    def loss(ws):
        return jnp.sum(functools.reduce(lambda h, w: jnp.tanh(h @ w), ws, x))

    grads = jax.grad(loss)(ws)
    norms = [jnp.sqrt(jnp.sum(g * g)) + 1e-6 for g in grads]
    scaled = [g / jnp.maximum(n, 1.0) * 0.9 + 0.1 * g for g, n in zip(grads, norms, strict=True)]
    steps = [g / (jnp.sqrt(g * g) + 1e-8) * jnp.sign(g) for g in scaled]
    return [w - 0.1 * s for w, s in zip(ws, steps, strict=True)]


def clipped(ws):
    total = sum(jnp.sum(jnp.square(w)) for w in ws)
    return [w * jnp.minimum(1.0, 1.0 / jnp.sqrt(total)) for w in ws]


def optax_step(x, ws):
    def loss(ws):
        return jnp.sum(functools.reduce(lambda h, w: jnp.tanh(h @ w), ws, x))

    rule = optax.adam(1e-3)
    updates, _ = rule.update(jax.grad(loss)(ws), rule.init(ws), ws)
    return optax.apply_updates(ws, updates)


def few_turns(x, w):
    return [jnp.tanh(x @ w) * t + jnp.sin(x) * jnp.cos(x) + jnp.exp(x) for t in range(4)]


def turns_differ(x, w):
    return [jnp.tanh(x @ w) if t % 2 else jnp.sin(x) * x + 1 for t in range(24)]


def shapes_differ(x):
    return sum(jnp.sum(jnp.sin(x[:, :i]) * jnp.cos(x[:, :i])) for i in range(1, 15))


def functions_alternate(x, w):
    functions = [lambda x: jnp.tanh(x @ w) * x, lambda x: jnp.sin(x) * x + 1] * 12
    return functools.reduce(lambda h, f: f(h), functions, x)


def functions_alternate_in_a_list(x, w):
    functions = [lambda x: jnp.tanh(x @ w) * x, lambda x: jnp.sin(x) * x + 1]
    return [functions[t % 2](x) for t in range(24)]


def written_out(x, w):
    def f(t):
        return jnp.tanh(x @ w) * t + jnp.sin(x) * jnp.cos(x)

    return [f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10)]


def reduced_in_one_eqn(x):
    return jax.lax.reduce(x, 0.0, lambda a, b: a + b, (0,))


def ignored(x, w):
    return [jnp.tanh(x @ w) * jnp.sin(x + t) for t in range(20)]  # jaxviz: ignore unrolled


CASES = [
    case(stacked, X, W),
    case(summed, X, W),
    case(summed_of_a_list, X, W),
    case(called_for_each_row, XS, W),
    case(on_lines_of_its_own, XS, W),
    case(named, X, W),
    case(filtered, X, W),
    case(reduced, X, W),
    case(reduced_by_a_function, XS, W),
    case(trained, W, XS),
    case(within_a_function, X, W),
    case(linen_of_a_shared_layer, {"kernel": W, "bias": array("float32", 16)}, XS, of=(Shared,)),
    case(equinox_of_rows, X),
    case(optax_losses, X, X),
    case(layers, X, WS),
    case(layers_summed, X, WS),
    case(layers_reduced, X, WS),
    case(mapped_over_a_tree, WS),
    case(mapped_over_values, X, WS),
    case(values_of_layers, X, WS),
    case(adam_by_hand, X, WS),
    case(clipped, WS),
    case(optax_step, X, WS),
    case(few_turns, X, W),
    case(turns_differ, X, W),
    case(shapes_differ, X),
    case(functions_alternate, X, W),
    case(functions_alternate_in_a_list, X, W),
    case(written_out, X, W),
    case(reduced_in_one_eqn, X),
    case(ignored, X, W),
]
