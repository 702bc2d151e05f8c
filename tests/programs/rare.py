"""Bodies of rarer kinds: kernels, shards, the user's rules for solving and batching."""

from __future__ import annotations

import jax
from jax import lax
from jax.custom_batching import custom_vmap
from jax.custom_derivatives import linear_call
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P

from programs.call import called_with, shaped


@called_with(shaped(4, 2))
def sharded(x):
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    total = jax.shard_map if hasattr(jax, "shard_map") else _shard_map
    return total(lambda y: lax.psum(y, "data"), mesh=mesh, in_specs=P("data"), out_specs=P())(x)


def _shard_map(*args, **kwargs):
    from jax.experimental.shard_map import shard_map

    return shard_map(*args, **kwargs)


@called_with(shaped(8))
def pallas_double(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    block = pl.BlockSpec((4,), lambda i: (i,))
    call = pl.pallas_call(
        kernel, out_shape=shaped(8), grid=(2,), in_specs=[block], out_specs=block, interpret=True
    )
    return call(x)


@called_with(shaped(4, 4), shaped(4))
def linear_solve(a, b):
    return lax.custom_linear_solve(
        lambda v: a @ v, b, lambda mv, r: r / 2, transpose_solve=lambda mv, r: r / 3
    )


@called_with(shaped(3), shaped(3))
def linear(scale, x):
    return linear_call(lambda r, v: v * r, lambda r, v: v * r, scale, x)


@custom_vmap
def batched(x):
    return x + 1


@batched.def_vmap
def batched_rule(size, is_batched, x):
    return x + size, True


@called_with(shaped(3))
def custom_batching(x):
    return batched(x)
