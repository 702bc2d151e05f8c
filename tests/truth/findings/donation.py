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


def unused(x, y):  # finds: donation, unused
    return y * 2


def unused_in_a_tree(state, y):  # finds: donation
    return {"a": state["a"] + y, "b": y * 2}


def only_its_shape(x, y):  # finds: donation, unused
    return y + jnp.zeros_like(x)


def while_nans_were_debugged(x):  # finds: donation
    return jnp.tanh(x)


def state_while_nans_were_debugged(state, x):  # finds: donation
    return {"w": state["w"] + x, "b": state["b"] * 2}, x.sum()


# Near misses


def used_in_part(state, y):
    return {"a": state["a"] + y, "step": state["step"] + 1}


def kept_though_unused(x, y):  # finds: unused
    return y * 2


def returned_as_it_is(x, y):
    return x, y * 2


def read_in_a_loop(x, y):
    return jax.lax.fori_loop(0, 3, lambda _, h: h + x, y)


def while_infinities_were_debugged(x):
    return jnp.tanh(x)


def nothing_was_donated(x):
    return jnp.tanh(x)


def small_while_nans_were_debugged(x):
    return jnp.tanh(x)


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


LEAF = array("float32", 512, 1024)
STATE = {"w": LEAF, "b": LEAF}
# While this flag is on, JAX donates nothing, and it keeps the program in its cache.
NANS = "debug_nans"

CASES = [
    case(jax.jit(unused, donate_argnums=0), LEAF, LEAF),
    case(jax.jit(unused_in_a_tree, donate_argnames="state"), {"a": LEAF, "b": LEAF}, LEAF),
    case(jax.jit(only_its_shape, donate_argnums=0), LEAF, LEAF),
    case(jax.jit(while_nans_were_debugged, donate_argnums=0), LEAF, flag=NANS),
    case(jax.jit(state_while_nans_were_debugged, donate_argnames="state"), STATE, LEAF, flag=NANS),
    case(jax.jit(used_in_part, donate_argnums=0), {"a": LEAF, "step": array("int32")}, LEAF),
    case(jax.jit(kept_though_unused, donate_argnums=0, keep_unused=True), LEAF, LEAF),
    case(jax.jit(returned_as_it_is, donate_argnums=0), LEAF, LEAF),
    case(jax.jit(read_in_a_loop, donate_argnums=0), LEAF, LEAF),
    case(jax.jit(while_infinities_were_debugged, donate_argnums=0), LEAF, flag="debug_infs"),
    case(jax.jit(nothing_was_donated), LEAF, flag=NANS),
    case(
        jax.jit(small_while_nans_were_debugged, donate_argnums=(0,)), array("float32", 8), flag=NANS
    ),
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
