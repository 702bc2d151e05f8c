"""NaNs that are born on one of eight devices. Run as a script, it prints the names of those that
were found where they are born."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec
from planted_nans import Planted, inner

import jaxviz

SPLIT = PartitionSpec("d")


def sharded(body, specs=SPLIT, out=SPLIT):
    mesh = jax.make_mesh((8,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=out)


def on_device_five(x):
    return inner(x)


def summed_over_devices(x):
    return lax.psum(inner(x), "d")


def moved_to_another(x):
    y = inner(x)
    return lax.ppermute(y, "d", [(i, (i + 1) % 8) for i in range(8)])


def scanned_on_devices(x):
    return lax.scan(lambda c, t: (inner(c - t), None), x, jnp.zeros(3))[0]


def split(x):
    return inner(x) + jnp.arange(8.0)


def on_a_mesh(x):
    """With the mesh in its type, where JAX needs no more than that."""
    kind = "Explicit" if hasattr(jax, "set_mesh") else "Auto"
    mesh = jax.make_mesh((8,), ("d",), axis_types=(jax.sharding.AxisType[kind],))
    return jax.device_put(x, jax.sharding.NamedSharding(mesh, SPLIT))


SHARDS = jnp.full(8, 100.0).at[5].set(-1.0)

PLANTED = {
    "shard_map": Planted(sharded(on_device_five), (SHARDS,), "log", element=(0,), device=5),
    "psum": Planted(
        sharded(summed_over_devices, out=PartitionSpec()), (SHARDS,), "log", element=(0,), device=5
    ),
    "ppermute": Planted(sharded(moved_to_another), (SHARDS,), "log", element=(0,), device=5),
    "scan on devices": Planted(
        sharded(scanned_on_devices), (SHARDS,), "log", ("scan, index 0",), (0,), device=5
    ),
    "split": Planted(split, (on_a_mesh(SHARDS),), "log", element=(5,)),
}

if __name__ == "__main__":
    for name, (fun, args, *truth) in PLANTED.items():
        nan = jaxviz.find_nan(fun)(*args).nan
        assert nan is not None, name
        assert [nan.op, nan.around, nan.index, nan.backward, nan.device] == truth, (name, nan)
        assert nan.frame is not None, name
        assert nan.frame.code.endswith("# NaN"), name
        print(name)
    assert not jaxviz.find_nan(PLANTED["shard_map"].fun)(jnp.abs(SHARDS))
