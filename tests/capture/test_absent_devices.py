"""Programs for devices that are not there: meshes without devices, arguments without arrays."""

from __future__ import annotations

from functools import partial

import jax
import jax.export
import jax.numpy as jnp
import pytest
from golden_jax import part
from jax import lax
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P
from programs_on_meshes import PROGRAMS

import jaxviz
from jaxviz.capture.jaxprs.avals import spec_text, split_text
from tests.absent_meshes import mesh_of, split


def summed(mesh: AbstractMesh, devices: int | None = None) -> jaxviz.Program:
    rows = partial(jax.shard_map, mesh=mesh, in_specs=P("d"), out_specs=P())
    total = rows(lambda x: lax.psum(x.sum(), "d"))
    return jaxviz.inspect(total, devices=devices)(split(mesh, (4096, 16), "d"))


@pytest.mark.parametrize("count", [256, 1024])
def test_collectives_are_lowered_for_devices_that_are_not_there(count):
    stage = summed(mesh_of(d=count)).stage("stablehlo")
    assert not stage.error
    ops = [eqn.op for graph in stage.graphs for eqn in graph.eqns]
    assert "stablehlo.all_reduce" in ops
    platform = jax.export.default_export_platform()
    assert (
        "This process does not have the devices of the program's mesh, so it was lowered for "
        f"{platform}, the platform of this process." in map(str, stage.notes)
    )


def test_shardings_are_lowered_for_devices_that_are_not_there():
    mesh = mesh_of(data=16, model=64)
    layer = jax.jit(lambda w, x: jnp.tanh(x @ w))
    given = split(mesh, (512, 1024), None, "model"), split(mesh, (256, 512), "data", None)
    stage = jaxviz.inspect(layer)(*given).stage("stablehlo")
    assert not stage.error
    assert "mhlo.num_partitions = 1024" in stage.text


def test_a_type_says_what_is_left_to_be_summed():
    assert spec_text(P("x", None)) == "P('x', None)"
    assert spec_text(P("x", None, unreduced=frozenset("y"))) == "P('x', None, unreduced={'y'})"
    assert split_text(P(None, unreduced=frozenset("y"))) == "P(None, unreduced={'y'})"
    assert split_text(P(None)) == ""


def test_hlo_is_that_of_as_many_devices_of_the_cpu():
    stage = summed(mesh_of(d=256)).stage("hlo")
    assert stage.error is None
    assert stage.text.count(" all-reduce(") == 1
    assert [(one.axes, one.devices) for one in stage.collectives] == [(["d"], 256)]
    assert stage.memory is not None
    assert stage.memory.arguments == 4096 // 256 * 16 * 4  # of one device
    assert (
        "Another process compiled it for 256 CPU devices, because this one does not have the "
        "devices of the program's mesh. XLA chose its fusions, memory layouts and collectives for "
        "the CPU; they may differ on another platform."
    ) in map(str, stage.notes)


def test_another_number_of_devices_is_refused():
    stage = summed(mesh_of(d=8), devices=256).stage("hlo")
    assert str(stage.error) == (
        "The program is for 8 devices, not 256: the number comes from the meshes of its argument "
        "shardings and shard_maps."
    )
    alone = jaxviz.inspect(jnp.sin, devices=1)(1.0)
    assert alone.stage("hlo").error is None


def test_what_calls_back_to_python_is_not_compiled_for_them():
    def told(x):
        jax.debug.print("{}", x.sum())
        return x * 2

    stage = jaxviz.inspect(jax.jit(told))(split(mesh_of(d=4), (8, 2), "d")).stage("hlo")
    assert str(stage.error) == (
        "This process does not have the devices of the program's mesh, and cannot compile it for "
        "the same number of CPU devices: it calls back to Python."
    )


@pytest.mark.parametrize("devices", [0, "8"])
def test_what_is_no_number_of_devices_is_refused(devices):
    with pytest.raises(jaxviz.CaptureError, match=r"^devices is a number of at least 1, not "):
        jaxviz.inspect(jnp.sin, devices=devices)(1.0)


def test_what_is_not_donated_is_reported_for_one_device():
    """By hand: each of 8 devices has half of 256 MiB, and a quarter of 64 MiB."""
    mesh = mesh_of(data=4, model=2)

    def step(w, x):
        return w - 0.1 * jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(w)

    w, x = split(mesh, (8192, 8192), None, "model"), split(mesh, (2048, 8192), "data")
    [found] = jaxviz.inspect(step)(w, x).findings
    assert (
        found.what.text == "`w`, 128.0 MiB on each device: returned as a new array, but not donated"
    )
    assert str(found.cost) == "each device stores old and new at the same time, 128.0 MiB each"
    summed = jax.jit(lambda x: x.sum(), donate_argnums=0)
    [found] = jaxviz.inspect(summed)(x).findings
    assert found.what.text.startswith("`x`, 16.0 MiB on each device: donated, ")


@pytest.mark.parametrize("name", part(PROGRAMS, of=2))
def test_the_number_of_devices_is_read_off_the_program(name):
    fun, args, devices, exchange = PROGRAMS[name]
    program = jaxviz.inspect(fun, devices=devices)(*args)
    stage = program.stage("hlo")
    assert stage.error is None
    assert f"mhlo.num_partitions = {devices}" in program.stage("stablehlo").text
    assert [one.devices for one in stage.collectives] == exchange
    other = jaxviz.inspect(fun, devices=2)(*args).stage("hlo").error
    assert other is not None
    assert other.text.startswith(
        f"The program is for {devices} device{'s' * (devices > 1)}, not 2: "
    )


def test_a_jaxpr_has_the_mesh_of_its_shard_map():
    closed = jax.make_jaxpr(PROGRAMS["a function"].fun)(jnp.ones((64, 16)))
    stage = jaxviz.inspect(closed, devices=8).stage("hlo")
    assert stage.error is None
    assert [(one.axes, one.devices) for one in stage.collectives] == [(["d"], 8)]
