"""Values far larger than all that goes in and comes out, for which XLA keeps memory.

What XLA fuses differs from version to version, and a value that it fuses is never made: on CPU even
attention may be one fusion. So each program here that has one sorts, factorizes, transforms or
multiplies what no version fuses.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.linalg as linalg
from jax import lax

from . import array, case

Q = array("float32", 8, 1024, 64)
ROW = array("float32", 2048)
POINTS = array("float32", 2048, 3)
LABELS = array("int32", 512)
TABLE = array("float32", 50_000, 16)


def sorted_sums(x, y):
    table = x[:, None] + y[None, :]  # finds: blowup
    return jnp.sort(table, axis=1)[:, 0]


def nearest(x):
    near = jnp.sum((x[:, None] - x[None, :]) ** 2, axis=-1)  # finds: blowup
    return jnp.argsort(near, axis=1)[:, :4]


def regression(x, y):
    kernel = x @ x.T + jnp.eye(2048)  # finds: blowup
    return linalg.solve(kernel, y, assume_a="pos")


def medians(x, y):
    return jnp.median(x[:, None] * y[None, :], axis=1)  # finds: blowup


def one_hot(labels, table):
    rows = jax.nn.one_hot(labels, 50_000)  # finds: blowup
    return rows @ table


# Near misses


def fused(x):
    return jnp.sum((x[:, None] - x[None, :]) ** 2, axis=1)


def not_compiled(x, y):
    table = x[:, None] + y[None, :]
    return jnp.sort(table, axis=1)[:, 0]


def attention_that_is_not_compiled(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k)
    return jax.nn.softmax(scores) @ v


def small(x, y):
    return jnp.sort(x[:64, None] + y[None, :64], axis=1)[:, 0]


def as_large_as_its_inputs(x):
    return jnp.sort(x * 2, axis=1)[:, 0]


def returned(x):
    return jnp.sort(jnp.outer(x, x), axis=1)


def embedding(table, index):
    return table[index].sum(axis=1)


def ignored(x, y):
    table = x[:, None] + y[None, :]  # jaxviz: ignore blowup
    return jnp.sort(table, axis=1)[:, 0]


def carried(x):
    return lax.fori_loop(0, 10, lambda _, h: h * 2, x)


HLO = ("hlo",)
FUSES = jax.__version_info__ >= (0, 10)
"""XLA of JAX 0.6 makes the differences, and keeps 264 MiB for them."""
CASES = [
    case(sorted_sums, ROW, array("float32", 4096), stages=HLO),
    case(nearest, array("float32", 4096, 2), stages=HLO),
    case(regression, POINTS, ROW, stages=HLO),
    case(medians, ROW, array("float32", 4096), stages=HLO),
    case(one_hot, LABELS, TABLE, stages=HLO),
    *([case(fused, array("float32", 8192), stages=HLO)] if FUSES else []),
    case(not_compiled, ROW, array("float32", 4096)),
    case(attention_that_is_not_compiled, Q, Q, Q),
    case(small, ROW, ROW, stages=HLO),
    case(as_large_as_its_inputs, array("float32", 2048, 4096), stages=HLO),
    case(returned, ROW, stages=HLO),
    case(embedding, array("float32", 5_000, 512), array("int32", 64, 128), stages=HLO),
    case(ignored, ROW, array("float32", 4096), stages=HLO),
    case(carried, array("float32", 4096, 1024), stages=HLO),
]
