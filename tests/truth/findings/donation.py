"""A training step that could reuse the memory of its state, and memory donated for nothing."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from . import array, case

W = array("float32", 4096, 4096)
"""64 MiB."""
X = array("float32", 8, 4096)


def loss(params, x):
    for w in params:
        x = jnp.tanh(x @ w)
    return jnp.mean(x**2)


def sgd(params, x):  # finds: donation
    grads = jax.grad(loss)(params, x)
    return [w - 0.1 * g for w, g in zip(params, grads, strict=True)]


@jax.jit
def momentum(params, velocity, x):  # finds: donation
    grads = jax.grad(loss)(params, x)
    velocity = [0.9 * v + g for v, g in zip(velocity, grads, strict=True)]
    params = [w - 0.1 * v for w, v in zip(params, velocity, strict=True)]
    return params, velocity


def state_of_a_dict(state, x):  # finds: donation
    grads = jax.grad(loss)(state["params"], x)
    new = [w - 0.1 * g for w, g in zip(state["params"], grads, strict=True)]
    return {"params": new, "step": state["step"] + 1}, jnp.sum(x)


def donated_in_part(params, velocity, x):  # finds: donation
    grads = jax.grad(loss)(params, x)
    velocity = [0.9 * v + g for v, g in zip(velocity, grads, strict=True)]
    params = [w - 0.1 * v for w, v in zip(params, velocity, strict=True)]
    return params, velocity


def with_metrics(params, x):  # finds: donation
    value, grads = jax.value_and_grad(loss)(params, x)
    params = [w - 0.1 * g for w, g in zip(params, grads, strict=True)]
    return params, {"loss": value}


def unusable(x, w):  # finds: donation
    return jnp.sum(x @ w, axis=0)


def of_another_dtype(x):  # finds: donation
    return x.astype(jnp.bfloat16)


def of_more_than_there_are(a, b):  # finds: donation
    return a + b


def transposed(x):  # finds: donation
    return x.T


def tree_for_one(state):  # finds: donation
    return state["a"] @ state["b"]


# Near misses


def donated(params, x):
    grads = jax.grad(loss)(params, x)
    return [w - 0.1 * g for w, g in zip(params, grads, strict=True)]


def only_gradients(params, x):
    return jax.grad(loss)(params, x)


def no_step(x, w):
    return jnp.tanh(x) @ w


def small(params, x):
    grads = jax.grad(loss)(params, x)
    return [w - 0.1 * g for w, g in zip(params, grads, strict=True)]


def used(x):
    return jnp.tanh(x)


def small_waste(x, w):
    return x @ w


def ignored(params, x):  # jaxviz: ignore donation
    grads = jax.grad(loss)(params, x)
    return [w - 0.1 * g for w, g in zip(params, grads, strict=True)]


CASES = [
    case(sgd, [W, W], X),
    case(momentum, [W], [W], X),
    case(state_of_a_dict, {"params": [W], "step": array("int32")}, X),
    case(jax.jit(donated_in_part, donate_argnums=(1,)), [W], [W], X),
    case(with_metrics, [W, W], X),
    case(
        jax.jit(unusable, donate_argnums=(0,)),
        array("float32", 512, 1024),
        array("float32", 1024, 8),
    ),
    case(jax.jit(of_another_dtype, donate_argnums=(0,)), array("float32", 1024, 512)),
    case(jax.jit(of_more_than_there_are, donate_argnums=(0, 1)), W, W),
    case(jax.jit(transposed, donate_argnums=(0,)), array("float32", 1024, 512)),
    case(
        jax.jit(tree_for_one, donate_argnums=(0,)),
        {"a": array("float32", 1024, 512), "b": array("float32", 512, 1024)},
    ),
    case(jax.jit(donated, donate_argnums=(0,)), [W, W], X),
    case(only_gradients, [W, W], X),
    case(no_step, W, W),
    case(small, [array("float32", 64, 64)], array("float32", 8, 64)),
    case(jax.jit(used, donate_argnums=(0,)), W),
    case(
        jax.jit(small_waste, donate_argnums=(0,)), array("float32", 8, 16), array("float32", 16, 4)
    ),
    case(ignored, [W], X),
]
