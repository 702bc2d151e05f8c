"""Programs for devices that are not there, by where the mesh is written: for how many devices each
is, and how many of them exchange something."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from absent_meshes import mesh_of
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


class OnMesh(NamedTuple):
    """The truth about a call."""

    fun: Any
    args: tuple[Any, ...]
    devices: int
    exchange: list[int]
    """The number of devices in each collective of its HLO."""


ROW = mesh_of(d=8)
GRID = mesh_of(data=2, model=4)
SPLIT = P("d")
PLAIN = jax.ShapeDtypeStruct((64, 16), jnp.float32)
HERE = jnp.ones((64, 16))


def by_hand(body, mesh=ROW, given=SPLIT):
    return jax.shard_map(body, mesh=mesh, in_specs=given, out_specs=P())


def total(x):
    return lax.psum(x.sum(), "d")


def sum_of_rows(x):
    return by_hand(total)(x)


def constrained(x, *axes, mesh=ROW):
    return lax.with_sharding_constraint(x, NamedSharding(mesh, P(*axes)))


def looped(x):
    return lax.fori_loop(0, 3, lambda _, c: c + sum_of_rows(x), 0.0)


def chosen(flag, x):
    return lax.cond(flag, sum_of_rows, lambda x: 0.0, x)


def nested(x):
    return jax.jit(lambda x: jax.jit(sum_of_rows)(x * 2))(x) + 1


def two_axes(x):
    return by_hand(lambda v: lax.psum(v.sum(), ("data", "model")), GRID, P("data", "model"))(x)


def along_data(x):
    return by_hand(lambda v: lax.psum(v.sum(), "data"), GRID, P("data"))(x)


def placed(x):
    return jax.jit(lambda x: x.sum(), in_shardings=NamedSharding(ROW, P("d")))(x)


def without_arguments():
    return constrained(jnp.ones((64, 4)), "d").sum()


def one_device(x):
    return by_hand(total, mesh_of(d=1))(x)


PROGRAMS = {
    "shard_map": OnMesh(by_hand(total), (PLAIN,), 8, [8]),
    "jit(shard_map)": OnMesh(jax.jit(by_hand(total)), (PLAIN,), 8, [8]),
    "shard_map(jit)": OnMesh(by_hand(jax.jit(total)), (PLAIN,), 8, [8]),
    "a function": OnMesh(sum_of_rows, (PLAIN,), 8, [8]),
    "a lambda": OnMesh(lambda x: sum_of_rows(x) * 2, (PLAIN,), 8, [8]),
    "an array as argument": OnMesh(sum_of_rows, (HERE,), 8, [8]),
    "a split argument": OnMesh(
        sum_of_rows,
        (jax.ShapeDtypeStruct((64, 16), jnp.float32, sharding=NamedSharding(ROW, P("d"))),),
        8,
        [8],
    ),
    "in a loop": OnMesh(looped, (PLAIN,), 8, [8]),
    "in a branch": OnMesh(chosen, (jnp.bool_(True), PLAIN), 8, [8]),
    "in a jit of a jit": OnMesh(nested, (PLAIN,), 8, [8]),
    "in vmap": OnMesh(jax.vmap(sum_of_rows), (jnp.ones((3, 64, 2)),), 8, [8]),
    "two axes": OnMesh(two_axes, (PLAIN,), 8, [8]),
    "one of two axes": OnMesh(along_data, (PLAIN,), 8, [2]),
    "a constraint": OnMesh(lambda x: constrained(x, "d").sum(), (PLAIN,), 8, [8]),
    "a constraint in jit": OnMesh(
        jax.jit(lambda x: constrained(x * 2, "d").sum()), (PLAIN,), 8, [8]
    ),
    "a constraint in scan": OnMesh(
        lambda x: lax.scan(lambda c, r: (c + constrained(r, "d").sum(), None), 0.0, x)[0],
        (jnp.ones((3, 64)),),
        8,
        [8],
    ),
    "a constraint on one of two axes": OnMesh(
        lambda x: constrained(x, None, "model", mesh=GRID).sum(1), (PLAIN,), 8, [4]
    ),
    "an inner jit's sharding": OnMesh(placed, (PLAIN,), 8, [8]),
    "without arguments": OnMesh(without_arguments, (), 8, [8]),
    # Near misses: a mesh of one device, and none.
    "a mesh of one": OnMesh(one_device, (PLAIN,), 1, [1]),
    "no mesh": OnMesh(lambda x: x * 2, (PLAIN,), 1, []),
}
