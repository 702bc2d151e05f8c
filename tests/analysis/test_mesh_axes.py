"""Along which axes of the mesh devices exchange, as XLA writes their groups."""

from __future__ import annotations

import hlo_text
import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.analysis.collectives.mesh_axes import axes_of_groups, axes_of_pairs, step_of_pairs
from jaxviz.capture.device_groups import counted
from tests.absent_meshes import mesh_of, split

CUBE = {"data": 2, "seq": 2, "model": 2}


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        ("{{0,1},{2,3},{4,5},{6,7}}", ["model"]),
        ("{{0,2},{1,3},{4,6},{5,7}}", ["seq"]),
        ("{{0,4},{1,5},{2,6},{3,7}}", ["data"]),
        ("{{0,2,4,6},{1,3,5,7}}", ["data", "seq"]),
        ("{{0,1,2,3,4,5,6,7}}", ["data", "seq", "model"]),
        ("[4,2]<=[8]", ["model"]),
        ("[4,2]<=[2,4]T(1,0)", ["data"]),
        ("[4,2]<=[2,2,2]T(0,2,1)", ["seq"]),
        ("mesh['axis_0'=2,'axis_1'=4] {'axis_0'}", ["data"]),
        ("mesh['axis_0'=8] {'axis_0':(2)2}", ["seq"]),
        ("mesh['axis_0'=1,'axis_1'=2,'axis_2'=4], device_ids=([4,2]T(1,0)) {'axis_1'}", ["model"]),
        ("mesh['axis_0'=4,'axis_1'=2], device_ids=([2,4]T(1,0)) {'axis_1'}", ["data"]),
        ("{{0,3},{1,2},{4,7},{5,6}}", []),
        ("{{0,1}}", []),
        ("mesh['a'=4,'b'=2], device_ids=(0,4,1,5,2,6,3,7) {'b'}", ["data"]),
        ("mesh['a'=4,'b'=2], device_ids=(0,5,1,4,2,6,3,7) {'b'}", []),
        ("{}", []),
    ],
)
def test_groups_lie_along_axes(text, axes):
    assert axes_of_groups(hlo_text.groups(text), CUBE) == axes


def test_groups_that_are_only_counted_lie_along_no_known_axes():
    assert axes_of_groups(counted(4, 2), CUBE) == []


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        ("{{0,1},{1,0}}", ["model"]),
        ("{{0,4},{4,0},{1,5}}", ["data"]),
        ("{{0,6}}", ["data", "seq"]),
        ("{{0,0}}", []),
        ("{{0,9}}", []),
        ("{}", []),
    ],
)
def test_pairs_lie_along_axes(text, axes):
    assert axes_of_pairs(hlo_text.pairs(text), CUBE) == axes


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("{{0,1},{2,3},{4,5},{6,7}}", 1),
        ("{{1,0},{3,2},{5,4},{7,6}}", -1),
        (
            "{{0,4},{4,0},{1,5},{5,1},{2,6},{6,2},{3,7},{7,3}}",
            1,
        ),  # of two, each is the other's next
        ("{{0,2},{2,4},{4,6},{6,0},{1,3},{3,5},{5,7},{7,1}}", 1),
        ("{{0,4},{2,6},{1,5},{3,7}}", 1),
        ("{{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}", 1),
        ("{{7,0},{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}", 1),
        ("{{0,1},{2,3},{4,5}}", 0),
        ("{{0,1},{3,2},{4,5},{7,6}}", 0),
        ("{{0,0},{1,1}}", 0),
        ("{{0,9}}", 0),
        ("{}", 0),
    ],
)
def test_all_send_as_far(text, step):
    assert step_of_pairs(hlo_text.pairs(text), CUBE) == step


def test_axes_of_one_device_are_never_named():
    assert axes_of_groups(hlo_text.groups("{{0,1}}"), {"data": 1, "model": 2}) == ["model"]


def loss(w1, w2, x):
    return ((jnp.tanh(x @ w1) @ w2) ** 2).mean()


def test_exchanges_of_the_partitioner_have_their_axes():
    """By hand: over `model` a sum of f32[64,512], 128 KiB; over `data` the gradients of both
    weights, 256 KiB on each device, and the loss."""
    mesh = mesh_of(data=32, model=8)
    step = jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))
    program = jaxviz.inspect(step)(
        split(mesh, (512, 1024), None, "model"),
        split(mesh, (1024, 512), "model"),
        split(mesh, (2048, 512), "data"),
    )
    told = program.stage("hlo").collectives
    assert {one.kind for one in told} == {"all-reduce"}
    over = {axes: sum(one.sent or 0 for one in told if one.axes == [axes]) for axes in mesh.shape}
    assert over == {"model": 2 * 131_072 * 7 // 8, "data": 2 * (2 * 262_144 * 31 // 32) + 8}
    assert "along data" in str(program)
