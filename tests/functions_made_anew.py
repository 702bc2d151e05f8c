"""Runs in which functions are made anew for each call, and such in which they are kept, as in
`truth/findings_of_logs.py`."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def jit_in_a_loop():
    for _ in range(4):
        jax.jit(lambda x: x * 2)(jnp.ones(3))  # finds: new-function


def closure_in_a_loop():
    for _ in range(4):

        def step(x):
            return x + 1

        jax.jit(step)(jnp.ones(3))  # finds: new-function


def decorated_in_a_loop():
    for _ in range(4):

        @jax.jit
        def step(x):
            return x - 1

        step(jnp.ones(3))  # finds: new-function


def made(scale):
    @jax.jit
    def scaled(x):
        return x * scale

    return scaled


def from_a_maker():
    for _ in range(4):
        made(2)(jnp.ones(3))  # finds: new-function


def rebound():
    for scale in range(4):
        step = made(scale)
        step(jnp.ones(3))  # finds: new-function
        step(jnp.ones(3))


def made_by_an_object():
    for scale in range(4):
        Layer(scale).step(jnp.ones(3))  # finds: new-function


def gradient_made_anew():
    for _ in range(4):
        jax.jit(jax.grad(lambda x: jnp.sum(x * 3)))(jnp.ones(3))  # finds: new-function


def made_once():
    f = jax.jit(lambda x: x * 2)
    for _ in range(4):
        f(jnp.ones(3))


def made_twice():
    jax.jit(lambda x: x * 5)(jnp.ones(3))
    jax.jit(lambda x: x * 6)(jnp.ones(3))


def other_functions():
    for name in ("sin", "cos", "tanh"):
        jax.jit(getattr(jnp, name))(jnp.ones(3))


def kept(scale):
    return jax.jit(lambda x: x - scale)


def kept_in_a_table():
    table = {scale: kept(scale) for scale in (1, 2)}
    for scale in (1, 2, 1, 2):
        table[scale](jnp.ones(3))


def kept_for_each_scale():
    table = {scale: kept(scale) for scale in range(5)}
    for _ in range(2):
        for scale in table:
            table[scale](jnp.ones(3))


def kept_as_they_come():
    table = {}
    for scale in range(5):
        table[scale] = kept(scale)
        table[scale](jnp.ones(3))


class Layer:
    def __init__(self, scale):
        self.step = jax.jit(lambda x: x * scale)


def kept_by_layers():
    layers = [Layer(scale) for scale in range(5)]
    for layer in layers:
        layer.step(jnp.ones(3))


def kept_in_closures():
    def stage(scale):
        @jax.jit
        def run(x):
            return x / scale

        return lambda x: run(run(x))

    stages = [stage(scale) for scale in range(1, 6)]
    x = jnp.ones(3)
    for one in stages:
        x = one(x)


def gradients_that_are_kept():
    slopes = [jax.jit(jax.grad(lambda x, n=n: jnp.sum(x**n))) for n in range(5)]
    for slope in slopes:
        slope(jnp.ones(3))


def silenced_function():
    for _ in range(4):
        jax.jit(lambda x: x * 2)(jnp.ones(3))  # jaxviz: ignore


MADE_ANEW = [
    jit_in_a_loop,
    closure_in_a_loop,
    decorated_in_a_loop,
    from_a_maker,
    gradient_made_anew,
    rebound,
    made_by_an_object,
]
KEPT = [
    made_once,
    made_twice,
    other_functions,
    kept_in_a_table,
    silenced_function,
    kept_for_each_scale,
    kept_as_they_come,
    kept_by_layers,
    kept_in_closures,
    gradients_that_are_kept,
]
