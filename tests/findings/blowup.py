"""Values far larger than all that goes in and comes out, which are not fused away."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from . import array, case

Q = array("float32", 8, 2048, 64)
POINTS = array("float32", 4096, 3)


def attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k)  # finds: blowup
    return jax.nn.softmax(scores) @ v


def pairs(x):
    near = jnp.exp(-(x @ x.T))  # finds: blowup
    return near @ x


def outer_sum(x, y):
    table = jnp.outer(x, y)
    return jnp.sort(table, axis=1)[:, 0]  # finds: blowup


def one_hot(labels, table):
    rows = jax.nn.one_hot(labels, 50_000)
    return rows @ table  # finds: blowup


def gathered(x, index):
    picked = x[index]  # finds: blowup
    return picked.sum(axis=(1, 2))


def compiled(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k)  # finds: blowup
    return jax.nn.softmax(scores) @ v


# Near misses


def fused(x):
    return jnp.sum((x[:, None] - x[None, :]) ** 2, axis=1)


def fused_and_compiled(x):
    return jnp.sum((x[:, None] - x[None, :]) ** 2, axis=1)


def small(q, k):
    return jax.nn.softmax(q @ k.T) @ k


def as_large_as_its_inputs(x, w):
    return jnp.sum(jnp.tanh(x @ w))


def returned(x):
    return jnp.outer(x, x)


def embedding(table, index):
    return table[index].sum(axis=1)


def ignored(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k)  # jaxviz: ignore blowup
    return jax.nn.softmax(scores) @ v


def carried(x):
    return lax.fori_loop(0, 10, lambda _, h: h * 2, x)


CASES = [
    case(attention, Q, Q, Q),
    case(pairs, POINTS),
    case(outer_sum, array("float32", 4096), array("float32", 4096)),
    case(one_hot, array("int32", 4096), array("float32", 50_000, 16)),
    case(gathered, array("float32", 64, 64), array("int32", 4096, 8)),
    case(compiled, Q, Q, Q, stages=("hlo",)),
    case(fused, array("float32", 8192)),
    case(fused_and_compiled, array("float32", 8192), stages=("hlo",)),
    case(small, array("float32", 128, 64), array("float32", 128, 64)),
    case(as_large_as_its_inputs, array("float32", 4096, 4096), array("float32", 4096, 4096)),
    case(returned, array("float32", 4096)),
    case(embedding, array("float32", 50_000, 512), array("int32", 64, 128)),
    case(ignored, Q, Q, Q),
    case(carried, array("float32", 4096, 1024)),
]
