"""Meshes of devices that are not there, and arguments that are split over them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec


def mesh_of(**sizes: int) -> AbstractMesh:
    """A mesh with these axes and sizes."""
    auto = (jax.sharding.AxisType.Auto,) * len(sizes)
    return AbstractMesh(tuple(sizes.values()), tuple(sizes), axis_types=auto)


def split(mesh: AbstractMesh, shape: tuple[int, ...], *axes: str | None) -> jax.ShapeDtypeStruct:
    """An argument of f32 whose dimensions are split along these axes."""
    sharding = NamedSharding(mesh, PartitionSpec(*axes))
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=sharding)
