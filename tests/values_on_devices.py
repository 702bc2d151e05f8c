"""Statistics of values in a `shard_map` over eight devices. Run as a script."""

from __future__ import annotations

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

import jaxviz

SPLIT = PartitionSpec("d")
mesh = jax.make_mesh((8,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))


def shard(x):
    y = jnp.log(x)
    total = lax.psum(jnp.abs(x), "d")
    return lax.scan(lambda c, _: (c * 2.0, None), y, None, 2)[0] + total


fun = jax.shard_map(shard, mesh=mesh, in_specs=SPLIT, out_specs=SPLIT)

if __name__ == "__main__":
    x = jnp.array([1.0, 1.0, 1.0, 0.0, 1.0, -1.0, 1.0, 100.0])
    if "lines" in sys.argv:
        [row] = jaxviz.statistics(fun, lines=shard.__code__.co_firstlineno + 1)(x).rows
        found = row.distribution
        assert found is not None
        assert (found.runs, found.finite, found.zeros) == (8, 6, 5), found
        assert (found.mean, found.deviation, found.exponents) == (0.768, 1.72, {2: 1}), found
        sys.exit()
    rows = {row.op: row for row in jaxviz.statistics(fun)(x).rows}
    told = {op: (row.largest, row.nan, row.inf) for op, row in rows.items()}
    assert told["log"] == (4.61, 1, 1), told
    assert told["mul"] == (18.4, 2, 2), told
    assert told["abs"] == (100.0, 0, 0), told
    assert told["add"] == (124.0, 1, 1), told
    assert told["shard_map"] == (124.0, 1, 1), told
    assert rows["log"].type.startswith("f32[1]"), rows["log"].type
