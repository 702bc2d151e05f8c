"""Prints the optimized HLO of a loss's gradient over 8 devices, as JSON: run with
`XLA_FLAGS=--xla_force_host_platform_device_count=8`."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import msgspec
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxviz.capture import capture

AUTO = jax.sharding.AxisType.Auto
MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AUTO, AUTO))


def placed(*spec: str | None) -> NamedSharding:
    return NamedSharding(MESH, P(*spec))


def weights(rows: int, columns: int, *spec: str | None) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((rows, columns), "float32", sharding=placed(*spec))


def loss(up, down, x):
    hidden = jax.lax.with_sharding_constraint(jnp.tanh(x @ up), placed("data", "model"))
    return (jax.lax.with_sharding_constraint(hidden @ down, placed()) ** 2).sum()


if __name__ == "__main__":
    args = (weights(16, 32, None, "model"), weights(32, 8, "model", None))
    captured = capture(jax.grad(loss, (0, 1)), (*args, weights(64, 16, "data", None)), {})
    stages = [jaxpr := captured.jaxpr(), captured.later.stage("hlo", jaxpr, lambda doing: None)]
    sys.stdout.buffer.write(msgspec.json.encode(stages))
