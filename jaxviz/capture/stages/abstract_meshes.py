"""Finds the mesh without devices that a program is for, where the shardings of its arguments and
results do not say it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jax.extend.core import Jaxpr
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from jaxviz.capture.jaxprs.walk import walk


def abstract_mesh_of(jaxpr: Jaxpr) -> AbstractMesh | None:
    """The largest `AbstractMesh` of a program's shard_maps, sharding constraints and types; None
    where there is none, it has one device, or the program is for a mesh of devices: on 0.6.2 the
    types within that have an `AbstractMesh`, too. JAX itself does not look for it there."""
    meshes = [*_meshes(jaxpr)]
    if any(isinstance(mesh, Mesh) for mesh in meshes):
        return None
    found = [mesh for mesh in meshes if isinstance(mesh, AbstractMesh) and mesh.size > 1]
    return max(found, key=lambda mesh: mesh.size, default=None)


def _meshes(root: Jaxpr) -> Iterator[Any]:
    for jaxpr in walk(root).jaxprs:
        yield from (_mesh_of(var.aval) for var in jaxpr.invars)
        for eqn in jaxpr.eqns:
            yield eqn.params.get("mesh")
            yield from map(_mesh_of_sharding, _shardings(eqn.params))
            yield from (_mesh_of(var.aval) for var in eqn.outvars)


def _shardings(params: dict[str, Any]) -> Iterator[Any]:
    for value in params.values():
        yield from value if isinstance(value, tuple | list) else (value,)


def _mesh_of(aval: Any) -> Any:
    """The mesh that a type carries where its axes are Explicit."""
    return _mesh_of_sharding(getattr(aval, "sharding", None))


def _mesh_of_sharding(sharding: Any) -> Any:
    return sharding.mesh if isinstance(sharding, NamedSharding) else None
