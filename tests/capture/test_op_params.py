"""The params that rows of `jaxviz/ops` explain are params that the primitives have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from golden_jax import of_the_golden_jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import io_callback
from jax.experimental import pallas as pl
from jax.extend.core import Jaxpr
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxviz.ops import row_of

P = PartitionSpec
MATRIX, VECTOR = jnp.ones((4, 4)), jnp.ones(4)
KEY = jax.random.key(0)
DIMENSIONS: Any = (((1,), (0,)), ((), ()))
IMAGES = jnp.ones((1, 1, 4, 4))


@jax.custom_jvp
def forward(x: Any) -> Any:
    return x


@jax.custom_vjp
def backward(x: Any) -> Any:
    return x


forward.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
backward.defvjp(lambda x: (x, None), lambda _, gradient: (gradient,))


def factorizations(x: Any) -> Any:
    linalg = lax.linalg
    return [
        *(linalg.eig(x), linalg.eigh(x), linalg.qr(x, pivoting=True), linalg.svd(x)),
        *(linalg.tridiagonal(x), linalg.triangular_solve(x, x), linalg.ormqr(x, VECTOR, x)),
    ]


def products(x: Any) -> Any:
    groups = jnp.array([2, 2])
    return [
        *(lax.dot_general(x, x, DIMENSIONS), lax.ragged_dot(x, jnp.ones((2, 4, 4)), groups)),
        *(lax.conv_general_dilated(IMAGES, IMAGES, (1, 1), "SAME"), jnp.fft.fft(x)),
    ]


def reductions(x: Any) -> Any:
    def pooled(x: Any) -> Any:
        return lax.reduce_window(x, -jnp.inf, lax.max, (2,), (1,), "VALID")

    def mixed(one: Any, other: Any) -> Any:
        return one * other + 1

    return [
        *(x.sum(), x.prod(), x.max(), x.min(), (x > 0).all(), (x > 0).any()),
        *(lax.reduce(x, 0.0, mixed, (0,)), lax.argmax(x, 0, np.int32), lax.argmin(x, 0, np.int32)),
        *(lax.cumsum(x), lax.cumprod(x), lax.cummax(x), lax.cummin(x), lax.cumlogsumexp(x)),
        *(lax.sort((x, x), num_keys=1), lax.top_k(x, 2), lax.approx_max_k(x, 2)),
        lax.reduce_window(x, 0.0, mixed, (2,), (1,), "SAME"),
        *(jax.grad(lambda x: pooled(x).sum())(x), jax.jvp(pooled, (x,), (x,))),
    ]


def movements(x: Any) -> Any:
    return [
        *(lax.broadcast(x, (2,)), lax.reshape(x, (2, 2)), lax.squeeze(x[None], (0,)), x[None].T),
        *(lax.rev(x, (0,)), lax.concatenate([x, x], 0), lax.split(x, (2, 2)), lax.tile(x, (2,))),
        *(lax.pad(x, 0.0, ((1, 1, 0),)), lax.iota(int, 3), lax.slice(x, (0,), (2,))),
        *(lax.dynamic_slice(x, (0,), (2,)), x[jnp.array([0, 1])], x.astype(int)),
        *(x.at[0].add(1.0), x.at[0].set(1.0), x.at[0].mul(1.0), x.at[0].max(1.0)),
        *(lax.bitcast_convert_type(x, np.int32), jax.device_put(x), lax.round(x)),
        *(lax.reduce_precision(x, 5, 5), lax.integer_pow(x, 3), checkpoint_name(x, "kept")),
    ]


def randoms(key: Any) -> Any:
    return [
        *(jax.random.bits(key, (3,)), jax.random.split(key), jax.random.gamma(key, 1.0)),
        *(jax.random.key(1), jax.random.wrap_key_data(jnp.zeros(2, jnp.uint32))),
        *(lax.rng_bit_generator(jnp.zeros(4, jnp.uint32), (3,)), lax.rng_uniform(0.0, 1.0, (3,))),
    ]


def bodies(x: Any) -> Any:
    kernel = pl.pallas_call(lambda ref, out: None, out_shape=x, grid=(1,), interpret=True)
    return [
        lax.scan(lambda carry, one: (carry, one), x, x),
        lax.cond(x[0] > 0, jnp.sin, jnp.cos, x),
        lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos),
        *(jax.jit(jnp.sin)(x), jax.checkpoint(jnp.sin)(x), forward(x), backward(x), kernel(x)),
        lax.composite(lambda x: x, "my.composite")(x),
    ]


def effects(x: Any) -> Any:
    jax.debug.print("{}", x)
    jax.debug.callback(print, x)
    called = jax.ffi.ffi_call("my_function", x)(x)
    return [called, jax.pure_callback(lambda x: x, x, x), io_callback(lambda x: x, x, x)]


MESH = Mesh(np.array(jax.devices()[:1]), ("i",))


def devices(x: Any) -> Any:
    def on_each(x: Any) -> Any:
        return (
            *(lax.psum(x, "i"), lax.pmax(x, "i"), lax.pmin(x, "i"), lax.all_gather(x, "i")),
            *(lax.ppermute(x, "i", [(0, 0)]), lax.psum_scatter(x, "i", tiled=True)),
            *(lax.all_to_all(x, "i", 0, 0, tiled=True), lax.axis_index("i") + x),
        )

    specs = (*(P(),) * 3, P(None, "i"), *(P("i"),) * 4)
    laid = NamedSharding(MESH, P("i"))
    return [
        *jax.shard_map(on_each, mesh=MESH, in_specs=P("i"), out_specs=specs)(x),
        *(lax.with_sharding_constraint(x, laid), jax.sharding.reshard(x, NamedSharding(MESH, P()))),
    ]


def jaxprs_in(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    waiting = [jaxpr]
    while waiting:
        found = waiting.pop()
        yield found
        held = jax.tree.leaves([list(eqn.params.values()) for eqn in found.eqns])
        inner = (getattr(one, "jaxpr", one) for one in held)
        waiting += [one for one in inner if isinstance(one, Jaxpr)]


@of_the_golden_jax
@pytest.mark.parametrize(
    ("made", "argument"),
    [
        (factorizations, MATRIX),
        (products, MATRIX),
        (reductions, VECTOR),
        (movements, VECTOR),
        (randoms, KEY),
        (bodies, VECTOR),
        (effects, VECTOR),
        (devices, VECTOR),
    ],
)
def test_the_params_of_a_row_are_those_of_the_primitive(
    made: Callable[[Any], Any], argument: Any
) -> None:
    traced = jax.make_jaxpr(made)(argument).jaxpr
    has: dict[str, set[str]] = {}
    for jaxpr in jaxprs_in(traced):
        for eqn in jaxpr.eqns:
            has.setdefault(eqn.primitive.name, set()).update(eqn.params)
    said = {name: set(row_of(name).params) for name in has}
    assert sum(map(bool, said.values())) >= 3
    unheard = {name: said[name] - has[name] for name in has if said[name] - has[name]}
    assert unheard in ({}, {"shard_map": {"manual_axes"}})  # as 0.6.2 calls them
