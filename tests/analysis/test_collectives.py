"""Collectives, and the bytes that each device sends, compared with counts by hand."""

from __future__ import annotations

import json
import subprocess
import sys

import hlo_text
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P
from msgspec.structs import replace

import jaxviz
from jaxviz.schema.upgrade import groups_of, pairs_of
from tests.absent_meshes import mesh_of

X = jax.ShapeDtypeStruct((64, 16), jnp.float32)


def on_devices(body, mesh=None, **options):
    """`body` on 4 × 2 devices. Each has a part f32[16,16] of f32[64,16], 1,024 bytes: different
    ones along `a`, equal ones along `b`."""
    mesh = mesh_of(a=4, b=2) if mesh is None else mesh
    given = {"in_specs": P("a"), "out_specs": P("a"), "check_vma": False, **options}
    return jax.shard_map(body, mesh=mesh, **given)


def rows(stage):
    return [(one.kind, one.axes, one.devices, one.sent) for one in stage.collectives]


def in_scan(x):
    return lax.scan(lambda c, _: (lax.psum(c, "a") * 0.5, None), x, None, length=5)[0]


IN_PAIRS = [[0, 1], [2, 3]]
BY_HAND = {
    "a sum over four": (lambda x: lax.psum(x, "a"), [("all-reduce", ["a"], 4, 2 * 1024 * 3 // 4)]),
    "a sum over all": (
        lambda x: lax.psum(x, ("a", "b")),
        [("all-reduce", ["a", "b"], 8, 2 * 1024 * 7 // 8)],
    ),
    "the largest of two": (lambda x: lax.pmax(x, "b"), [("all-reduce", ["b"], 2, 1024)]),
    "one number": (lambda x: x + lax.psum(x.sum(), "a"), [("all-reduce", ["a"], 4, 6)]),
    "half the bytes in bf16": (
        lambda x: lax.psum(x.astype(jnp.bfloat16), "a"),
        [("all-reduce", ["a"], 4, 2 * 512 * 3 // 4)],
    ),
    "a mean": (lambda x: lax.pmean(x, "b"), [("all-reduce", ["b"], 2, 1024)]),
    "all parts": (lambda x: lax.all_gather(x, "a").sum(0), [("all-gather", ["a"], 4, 3 * 1024)]),
    "a sum, each keeps a part": (
        lambda x: lax.psum_scatter(x, "a", tiled=True),
        [("reduce-scatter", ["a"], 4, 768)],
    ),
    "all to all": (
        lambda x: lax.all_to_all(x, "a", 0, 0, tiled=True),
        [("all-to-all", ["a"], 4, 768)],
    ),
    "a ring": (
        lambda x: lax.ppermute(x, "a", [(0, 1), (1, 2), (2, 3), (3, 0)]),
        [("permute", ["a"], 4, 1024)],
    ),
    "one sends": (lambda x: lax.ppermute(x, "a", [(0, 1)]), [("permute", ["a"], 1, 1024)]),
    "none sends": (lambda x: lax.ppermute(x, "a", [(1, 1)]), [("permute", ["a"], 0, 0)]),
    "in groups": (
        lambda x: lax.all_gather(x, "a", axis_index_groups=IN_PAIRS).sum(0),
        [("all-gather", ["a"], 2, 1024)],
    ),
    "one run of a loop": (in_scan, [("all-reduce", ["a"], 4, 1536)]),
    "no exchange": (lambda x: x * lax.axis_index("a"), []),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_bytes_that_each_device_sends(what):
    body, truth = BY_HAND[what]
    program = jaxviz.inspect(on_devices(body))(X)
    assert rows(program.stage("jaxpr")) == truth


def test_what_vmap_sums_is_no_exchange():
    summed = jax.vmap(lambda x: lax.psum(x, "i"), axis_name="i")
    assert rows(jaxviz.inspect(summed)(X).stage("jaxpr")) == []


def test_bytes_are_unknown_where_the_partitioner_splits_further():
    """Only the compiler knows the parts along `b`."""
    partly = on_devices(lambda x: lax.psum(x, "a"), axis_names={"a"})
    program = jaxviz.inspect(jax.jit(partly))(X)
    for kind in ("jaxpr", "stablehlo"):
        assert rows(program.stage(kind)) == [("all-reduce", ["a"], 4, None)]


@pytest.mark.parametrize("count", [256, 1024])
def test_exchanges_of_many_devices(count):
    """The list of devices is longer than what a record holds of a param."""
    mesh = mesh_of(d=count)
    turn = [(at, (at + 1) % count) for at in range(count)]
    body = on_devices(
        lambda x: lax.ppermute(lax.psum(x, "d"), "d", turn), mesh, in_specs=P("d"), out_specs=P("d")
    )
    given = jax.ShapeDtypeStruct((count, 8), jnp.float32)
    program = jaxviz.inspect(body)(given)
    for kind in ("jaxpr", "stablehlo"):
        assert rows(program.stage(kind)) == [
            ("all-reduce", ["d"], count, -(-2 * 32 * (count - 1) // count)),
            ("permute", ["d"], count, 32),
        ]


@pytest.mark.parametrize(
    ("text", "count", "size"),
    [
        ("{{0,2,4,6},{1,3,5,7}}", 2, 4),
        ("[4,2]<=[8]", 4, 2),
        ("[4,2]<=[2,4]T(1,0)", 4, 2),
        ("mesh['a'=4,'b'=2] {'a'}", 2, 4),
        ("mesh['a'=4,'b'=2] {'a','b'}", 1, 8),
        ("mesh['a'=4,'b'=2] {'a':(1)2}", 4, 2),
        ("mesh['a'=4,'b'=2], device_ids=([2,4]T(1,0)) {'b'}", 4, 2),
        ("{}", 0, 0),
    ],
)
def test_groups_are_read_as_xla_writes_them(text, count, size):
    found = hlo_text.groups(text)
    assert (found.count, found.size) == (count, size)
    assert groups_of(text) == replace(found, devices=(), dims=(), order=()) or ":" in text


@pytest.mark.parametrize(
    ("text", "count", "size"),
    [
        ("[[0, 1], [2, 3]]", 2, 2),
        ("dense<...> : tensor<4x256xi64>", 4, 256),
        ("[512,8]<=[64,64]T(1,0)", 512, 8),
        ("None", 0, 0),
    ],
)
def test_groups_in_programs_of_earlier_formats(text, count, size):
    found = groups_of(text)
    assert (found.count, found.size) == (count, size)


def test_pairs_are_those_that_are_written():
    found = hlo_text.pairs("{{0,1},{1,0},{2,2}}")
    assert (found.sources, found.targets) == ((0, 1, 2), (1, 0, 2))
    assert pairs_of("{{0,1},{1,0},{2,2}}") == pairs_of("[[0, 1], [1, 0], [2, 2]]") == found


PARTITIONED = """
import json, jax, jax.numpy as jnp, jaxviz, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))
def laid(*axes): return NamedSharding(mesh, P(*axes))
def given(shape, *axes): return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=laid(*axes))
def rows(fun, *args, **options):
    stage = jaxviz.inspect(jax.jit(fun, **options))(*args).stage("hlo")
    assert not stage.error, stage.error
    return [(one.kind, one.devices, one.sent, str(one.cause)) for one in stage.collectives]

product = lambda x, w: x @ w
x, w = given((64, 32), None, "a"), given((32, 16), "a", None)
print(json.dumps({
    "contracted": rows(product, x, w, out_shardings=laid()),
    "gathered": rows(lambda x: x * 2, given((64, 32), "a", None), out_shardings=laid()),
    "turned": rows(lambda x: x * 2, given((64, 32), "a"), out_shardings=laid(None, "a")),
    "summed": rows(lambda x: x.sum(), given((64, 32), "a", "b"), out_shardings=laid()),
    "apart": rows(product, given((64, 32), "a"), given((32, 16)), out_shardings=laid("a")),
}))
"""


def printed(program: str, devices: int):
    """Runs a program on `devices` devices, and returns its output, read as JSON."""
    flag = f"--xla_force_host_platform_device_count={devices}"
    code = f"import os; os.environ['XLA_FLAGS'] = '{flag}'\n{program}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def test_what_the_partitioner_has_devices_exchange():
    """By hand, for 4 × 2 devices: a product that is split along its contracted dimension is a sum
    of f32[64,16], 4,096 bytes, over four. A split f32[64,32] has parts of 2,048 bytes."""
    told = printed(PARTITIONED, 8)
    summed = "each device reduces 8 of 32, and their results are combined"
    because = f"dimension 1 of x f32[64,32] is split along a: {summed}"
    assert told["contracted"] == [["all-reduce", 4, 2 * 4096 * 3 // 4, because]]
    because = "dimension 0 of f32[64,32] is split along a before this, and whole on each device"
    assert told["gathered"] == [["all-gather", 4, 3 * 2048, f"{because} after it"]]
    because = "dimension 0 of x f32[64,32] is split along a before this, and dimension 1 after it"
    assert told["turned"] in [[["all-to-all", 4, 2048 * 3 // 4, one]] for one in (because, "")]
    because = "each device reduces 256 of 2,048 places, and their results are combined"
    because = "dimensions 0 and 1 of x f32[64,32] are together split along {}: " + because
    steps = [f"{because.format('b and a')} in 2 steps; this is step {n}" for n in (1, 2)]
    in_steps = [["all-reduce", 2, 4, steps[0]], ["all-reduce", 4, 6, steps[1]]]
    at_once = [["all-reduce", 8, 7, because.format("a and b")]]
    assert told["summed"] in (at_once, in_steps)
    assert told["apart"] == []
