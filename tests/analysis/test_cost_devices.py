"""Costs of programs on several devices: of all of them together, until XLA has made one's part."""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.numpy as jnp

import jaxviz

PROGRAM = """
import jax, jax.numpy as jnp, jaxviz, numpy as np
from jax.sharding import PartitionSpec as P

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map
mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))

def product(x, w):
    return jax.lax.psum(jnp.tanh(x @ w).sum(), ("a", "b"))

parted = shard_map(product, mesh=mesh, in_specs=(P("a", None), P(None, "b")), out_specs=P())
program = jaxviz.inspect(parted)(jnp.ones((64, 32)), jnp.ones((32, 16)))
for kind in ("jaxpr", "stablehlo", "hlo"):
    stage = program.stage(kind)
    together = any("all devices" in note for note in stage.notes)
    print(stage.cost.flops, stage.cost.transcendentals, together)
"""


def test_of_all_devices_together_then_of_one() -> None:
    """On each of 8 devices a product of f32[16,32] by f32[32,8], a sum of its 128 elements, and one
    over devices: 8,192, 127 and 1. Old versions of JAX lower to what one device does."""
    flag = "--xla_force_host_platform_device_count=8"
    setting = f"import os; os.environ['XLA_FLAGS'] = '{flag}'"
    found = subprocess.run(
        [sys.executable, "-c", f"{setting}\n{PROGRAM}"], capture_output=True, text=True, check=True
    )
    together = f"{8 * 8_320} {8 * 128} True"
    lowered = "8320 128 False" if jax.__version_info__ < (0, 7) else together
    assert found.stdout.splitlines() == [together, lowered, "8320 128 False"]


def test_random_numbers_and_callbacks_on_one_device_are_of_one() -> None:
    def noisy(key, x):
        jax.debug.print("{}", x)
        return x + jax.random.normal(key, x.shape)

    program = jaxviz.inspect(noisy)(jax.random.key(0), jnp.ones(3))
    for kind in ("jaxpr", "stablehlo", "hlo"):
        assert not any("all devices" in note for note in program.stage(kind).notes)
