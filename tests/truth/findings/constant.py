"""Arrays that a function closes over, so that they are part of its program."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from . import array, case

TABLE = jnp.zeros((1024, 1024))
HOST = np.zeros((1024, 512), "float32")
SMALL = jnp.zeros((64, 64))
X = array("float32", 64, 1024)


def closed_over(x):
    return x @ TABLE  # finds: constant


def of_numpy(x):
    return jnp.tanh(x @ HOST)  # finds: constant


def in_a_body(x):
    def step(h, _):
        return h @ TABLE, None

    return lax.scan(step, x, length=3)[0]  # finds: constant


@jax.jit
def jitted(x):
    return x @ TABLE  # finds: constant


def trained(w, x):
    def loss(w):
        return jnp.sum((x @ TABLE) @ w)  # finds: constant

    return jax.grad(loss)(w)


def bound(weights):
    def call(x):
        return x @ weights["w"] + weights["b"]  # finds: constant

    return call


# Near misses


def argument(x, table):
    return x @ table


def small(x):
    return x[:, :64] @ SMALL


def made_inside(x):
    return x @ jnp.ones((1024, 1024))


def number(x):
    return x * np.float32(3)


def ignored(x):
    return x @ TABLE  # jaxviz: ignore constant


def only_its_shape(x):
    return x + TABLE.shape[0]


CASES = [
    case(closed_over, X),
    case(of_numpy, X),
    case(in_a_body, X),
    case(jitted, X),
    case(trained, array("float32", 1024, 8), X),
    case(bound({"w": TABLE, "b": jnp.zeros(1024)}), X),
    case(argument, X, array("float32", 1024, 1024)),
    case(small, X),
    case(made_inside, X),
    case(number, X),
    case(ignored, X),
    case(only_its_shape, X),
]
