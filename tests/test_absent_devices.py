"""Programs for devices that are not there: meshes without devices, arguments without arrays."""

from __future__ import annotations

from functools import partial

import jax
import jax.export
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

import jaxviz
from tests.absent_meshes import mesh_of


def split(mesh: AbstractMesh, shape: tuple[int, ...], *axes: str | None) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P(*axes)))


def summed(mesh: AbstractMesh) -> jaxviz.Program:
    rows = partial(jax.shard_map, mesh=mesh, in_specs=P("d"), out_specs=P())
    return jaxviz.inspect(rows(lambda x: lax.psum(x.sum(), "d")))(split(mesh, (4096, 16), "d"))


@pytest.mark.parametrize("count", [256, 1024])
def test_collectives_are_lowered_for_devices_that_are_not_there(count):
    stage = summed(mesh_of(d=count)).stage("stablehlo")
    assert not stage.error
    ops = [eqn.op for graph in stage.graphs for eqn in graph.eqns]
    assert "stablehlo.all_reduce" in ops
    platform = jax.export.default_export_platform()
    assert (
        "The devices of this program's mesh are not here: it was lowered for "
        f"{platform}, the platform of this process." in stage.notes
    )


def test_shardings_are_lowered_for_devices_that_are_not_there():
    mesh = mesh_of(data=16, model=64)
    layer = jax.jit(lambda w, x: jnp.tanh(x @ w))
    given = split(mesh, (512, 1024), None, "model"), split(mesh, (256, 512), "data", None)
    stage = jaxviz.inspect(layer)(*given).stage("stablehlo")
    assert not stage.error
    assert "mhlo.num_partitions = 1024" in stage.text


def test_they_are_not_compiled_and_it_is_said_why():
    assert summed(mesh_of(d=256)).stage("hlo").error == (
        "XLA compiles for devices, and those of this program's mesh are not here: it is an "
        "AbstractMesh. The jaxpr and StableHLO can be looked at as ever."
    )
