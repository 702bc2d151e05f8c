"""Meshes of devices that are not there."""

from __future__ import annotations

import jax
from jax.sharding import AbstractMesh


def mesh_of(**sizes: int) -> AbstractMesh:
    """A mesh with these axes and sizes."""
    try:
        auto = (jax.sharding.AxisType.Auto,) * len(sizes)
        return AbstractMesh(tuple(sizes.values()), tuple(sizes), axis_types=auto)
    except TypeError:  # before 0.7
        return AbstractMesh(tuple(sizes.items()))  # pyright: ignore[reportCallIssue]
