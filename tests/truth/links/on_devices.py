"""Short programs for several devices, whose instructions were followed by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from truth.links.functions import Call
from truth.links.short_functions import halves, ones


def _mesh() -> Any:
    return jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def _on(array: Any, *axes: Any) -> Any:
    return jax.device_put(array, NamedSharding(_mesh(), PartitionSpec(*axes)))


def sharded_product() -> Call:
    """The sum of a product lies on several devices."""
    args = _on(ones(8, 16), "data", "model"), _on(ones(16, 4), "model", None)
    return lambda x, w: jnp.tanh(x @ w), args


def sharded_half() -> Call:
    args = _on(halves(8, 16), "data", "model"), _on(halves(16, 4), "model", None)
    return lambda x, w: jnp.tanh(x @ w), args


def sharded_sum() -> Call:
    return lambda x: jnp.exp(x).sum(0), (_on(ones(8, 6), "data", None),)


def sharded_gathered() -> Call:
    """Both operands of a product lie apart along what is not summed."""
    args = _on(ones(8, 16), None, "data"), _on(ones(16, 4), None, "model")
    return lambda x, w: jnp.sin(x) @ w, args


def sharded_by_hand() -> Call:
    def local(x: Any) -> Any:
        return lax.psum(jnp.exp(x), "data")

    mesh = _mesh()
    spec = PartitionSpec("data")
    mapped = jax.shard_map(local, mesh=mesh, in_specs=spec, out_specs=PartitionSpec())
    return mapped, (_on(ones(8, 6), "data"),)


ON_DEVICES: dict[str, Callable[[], Call]] = {
    each.__name__: each
    for each in (sharded_product, sharded_half, sharded_sum, sharded_gathered, sharded_by_hand)
}
