"""Runs under the profiler with what is to be found, written before any of it was looked for.

A comment `# finds: python-loop` stands on the first line of the loop; a run without one is a near
miss. Each run is made once before it is profiled, so that nothing is compiled then.
"""

from __future__ import annotations

import time
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

X = jnp.ones((4, 8))
W = jnp.ones((8, 8))
XS = jnp.ones((120, 8))


def loss(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)


def layer(x, w):
    h = jnp.tanh(x @ w)
    return h + jnp.sin(x)


@jax.jit
def step(x, w):
    return x - 0.1 * jnp.tanh(x @ w), jnp.sum(x)


def descent():
    w = W
    for _ in range(200):  # finds: python-loop
        w = w - 0.1 * jax.grad(loss)(w, X)
    return w


def several_ops():
    x = X
    for _ in range(400):  # finds: python-loop
        x = jnp.sin(x @ W) + x * 2
    return x


def until_done():
    x, done = X, 0
    while done < 400:  # finds: python-loop
        x = jnp.sin(x) + jnp.cos(x)
        done += 1
    return x


def listed():
    return [jnp.sum(jnp.sin(X * 2.0) * X) for _ in range(400)]  # finds: python-loop


def summed():
    return sum(jnp.sum(jnp.sin(X) * 2.0) for _ in range(400))  # finds: python-loop


def by_a_function():
    x = X
    for _ in range(400):  # finds: python-loop
        x = layer(x, W)
    return x


def nested():
    x = X
    for _ in range(3):
        for _ in range(200):  # finds: python-loop
            x = jnp.sin(x) @ W + x
    return x


def within_a_function():
    def run(x):
        for _ in range(400):  # finds: python-loop
            x = layer(x, W)
        return x

    return jnp.sum(run(X))


def rows():
    total = jnp.zeros(8)
    for at in range(400):  # finds: python-loop
        total = total + XS[at % 120] * 2.0
    return total


def set_one_by_one():
    x = jnp.zeros(8)
    for at in range(400):  # finds: python-loop
        x = x.at[at % 8].set(1.0)
    return x


def random_walk():
    key, x = jax.random.key(0), X
    for _ in range(200):  # finds: python-loop
        key, own = jax.random.split(key)
        x = x + jax.random.normal(own, x.shape)
    return x


def optax_updates():
    rule: Any = optax.adam(1e-3)
    w: Any = W
    state = rule.init(w)
    for _ in range(100):  # finds: python-loop
        updates, state = rule.update(w * 0.1, state)
        w = optax.apply_updates(w, updates)
    return w


MODEL = nn.Dense(8)
PARAMS = MODEL.init(jax.random.key(0), X)
model: Any = MODEL.apply


def linen_outside_jit():
    x = X
    for _ in range(200):  # finds: python-loop
        x = jnp.tanh(model(PARAMS, x))
    return x


# Near misses


def jitted_step():
    x = X
    for _ in range(1000):
        x, _ = step(x, W)
    return x


def jitted_step_with_a_metric():
    x, total = X, jnp.float32(0)
    for _ in range(500):
        x, one = step(x, W)
        total = total + one
    return total


def few_ops():
    x = X
    for _ in range(10):
        x = jnp.sin(x) + jnp.cos(x)
    return x


def large_products():
    x = LARGE
    for _ in range(110):
        x = x @ LARGE
    return jax.block_until_ready(x)


LARGE = jnp.eye(400)


def loop_of_jax():
    return jax.lax.fori_loop(0, 500, lambda _, x: jnp.sin(x @ W) + x, X)


def loop_within_jit():
    return unrolled(X)


@jax.jit
def unrolled(x):
    for _ in range(60):
        x = jnp.sin(x @ W) + x
    return x


def numpy_loop():
    x = np.ones((4, 8))
    for _ in range(1000):
        x = np.sin(x) + 1
    return jnp.sum(x)


def written_out():
    x = jnp.sin(X)
    x = jnp.cos(x)
    x = jnp.tanh(x)
    return x @ W


def slow_for_another_reason():
    x = X
    for _ in range(110):
        time.sleep(0.003)
        x = x * 1.5
    return x


def new_shapes():
    found = []
    for size in range(1, 15):
        found.append(jnp.sum(jnp.ones(size + next(SIZES)) * 2))
    return found


SIZES = iter(range(100, 1_000_000, 100))


def batched():
    found = X
    for _ in range(500):
        found = BATCHED(found)
    return found


BATCHED = jax.jit(jax.vmap(lambda row: jnp.tanh(row @ W)))


def moved():
    return [jax.device_put(np.ones(8)) for _ in range(1000)]


def ignored():
    x = X
    for _ in range(400):  # jaxviz: ignore python-loop
        x = jnp.sin(x @ W) + x * 2
    return x


FOUND = [
    *(descent, several_ops, until_done, listed, summed, by_a_function, nested),
    *(within_a_function, rows, set_one_by_one, random_walk, optax_updates, linen_outside_jit),
]
SILENT = [
    *(jitted_step, jitted_step_with_a_metric, few_ops, large_products, loop_of_jax),
    *(loop_within_jit, numpy_loop, written_out, slow_for_another_reason, new_shapes),
    *(batched, moved, ignored),
]
