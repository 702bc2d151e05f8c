"""Collectives of XLA's partitioner for 256 absent devices, compared with counts by hand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import jaxviz
from jaxviz.analysis.collectives.bytes_sent import sent_by_axes
from tests.absent_meshes import mesh_of, split

MESH = mesh_of(data=32, model=8)
DATA, MODEL = ("data",), ("model",)


def laid(x, *axes):
    return lax.with_sharding_constraint(x, NamedSharding(MESH, P(*axes)))


PROGRAMS = {
    "elementwise": (jnp.tanh, [((64, 512), "data", "model")], {}),
    "rows by a whole weight": (jnp.matmul, [((64, 32), "data"), ((32, 16),)], {}),
    # One number: 2·4·31/32, rounded up.
    "a sum of parts": (jnp.sum, [((64, 512), "data")], {DATA: 8}),
    # f32[16] has 64 bytes.
    "the largest of each column": (lambda x: x.max(0), [((64, 16), "data")], {DATA: 124}),
    # Each has a term of f32[64,128], 32,768 bytes.
    "a contraction of parts": (
        jnp.matmul,
        [((64, 512), None, "model"), ((512, 128), "model")],
        {MODEL: 2 * 32_768 * 7 // 8},
    ),
    # A part is f32[8,32], 1,024 bytes.
    "all parts everywhere": (
        lambda x: laid(x * 2, None, None),
        [((64, 32), "model")],
        {MODEL: 7 * 1024},
    ),
    "split along the other dimension": (
        lambda x: laid(x * 2, None, "model"),
        [((64, 32), "model")],
        {MODEL: 1024 * 7 // 8},
    ),
    # The largest of two rows and their sum, 8 bytes each.
    "a softmax of parts": (
        lambda x: jax.nn.softmax(x, axis=-1),
        [((64, 512), "data", "model")],
        {MODEL: 2 * (2 * 8 * 7 // 8)},
    ),
    # Each has a term of f32[64,512], 131,072 bytes.
    "a layer of tensor parallelism": (
        lambda w1, w2, x: jnp.tanh(x @ w1) @ w2,
        [((512, 1024), None, "model"), ((1024, 512), "model"), ((2048, 512), "data")],
        {MODEL: 2 * 131_072 * 7 // 8},
    ),
    # Of the gradient f32[512,128], 262,144 bytes, each has a term.
    "a gradient of data parallelism": (
        jax.grad(lambda w, x: jnp.tanh(x @ w).sum()),
        [((512, 128),), ((2048, 512), "data")],
        {DATA: 2 * 262_144 * 31 // 32},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", PROGRAMS)
def test_bytes_that_each_of_256_devices_sends(what):
    fun, given, truth = PROGRAMS[what]
    args = [split(MESH, shape, *axes) for shape, *axes in given]
    stage = jaxviz.inspect(jax.jit(fun), devices=256)(*args).stage("hlo")
    assert stage.error is None
    assert {axes: sent.bytes for axes, sent in sent_by_axes(stage).items()} == truth
