"""Programs lowered for platforms that are not here, for many devices that are not there either."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import pytest
from jax import lax
from jax.experimental import pallas
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

import jaxviz
from tests.absent_meshes import mesh_of

PLATFORMS = ("tpu", "cuda", "rocm")


def given(mesh: AbstractMesh) -> jax.ShapeDtypeStruct:
    rows = mesh.size * 2
    return jax.ShapeDtypeStruct((rows, 256), jnp.float32, sharding=NamedSharding(mesh, P("d")))


def by_hand(body):
    def of(mesh):
        return jax.shard_map(body, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False)

    return of


def step(x):
    return jax.grad(lambda w: jnp.tanh(x @ w).mean())(jnp.ones((256, 4)))


def in_loop(x):
    return lax.fori_loop(0, 9, lambda _, c: lax.pmean(c, "d") + x, x)


PROGRAMS = {
    "sum by hand": by_hand(lambda x: lax.psum(x, "d")),
    "largest by hand": by_hand(lambda x: lax.pmax(x, "d")),
    "gather by hand": by_hand(lambda x: lax.all_gather(x, "d").sum(0)),
    "scatter by hand": by_hand(
        lambda x: lax.psum_scatter(jnp.tile(x, (x.shape[0] * 512, 1)), "d", tiled=True)
    ),
    "shift by hand": by_hand(lambda x: lax.ppermute(x, "d", [(0, 1), (1, 0)])),
    "number by hand": by_hand(lambda x: x * lax.axis_index("d")),
    "loop by hand": by_hand(in_loop),
    "step by hand": by_hand(lambda x: x + lax.pmean(step(x).sum(), "d")),
    "product": lambda _: lambda x: x.T @ x,
    "step": lambda _: step,
    "softmax": lambda _: jax.nn.softmax,
    "sort": lambda _: jnp.sort,
    "scan": lambda _: lambda x: lax.scan(lambda c, r: (c + r, c.sum()), x[0], x),
    "while": lambda _: lambda x: lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1, x),
    "cond": lambda _: lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x),
    "cholesky": lambda _: lambda x: jnp.linalg.cholesky(x.T @ x),
    "fft": lambda _: jnp.fft.fft,
    "random": lambda _: lambda x: x + jax.random.normal(jax.random.key(0), x.shape),
    "vmap": lambda _: jax.vmap(jnp.cumsum),
    "constraint": lambda mesh: (
        lambda x: lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P(None, "d")))
    ),
}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("count", [256, 1024])
def test_twenty_programs_are_lowered(count, platform):
    mesh = mesh_of(d=count)
    for name, made in PROGRAMS.items():
        fun = jax.jit(made(mesh))
        stage = jaxviz.inspect(fun, platform=platform)(given(mesh)).stage("stablehlo")
        assert stage.error is None, name
        assert stage.graphs[0].eqns, name
        assert f"It was lowered for {platform}, as you asked." in map(str, stage.notes)


def test_a_program_without_a_mesh_is_lowered_as_jax_lowers_it():
    """JAX chooses by platform what `platform_dependent` runs."""

    def waved(x):
        return lax.platform_dependent(x, tpu=jnp.sin, default=jnp.cos)

    for platform, op in (("tpu", "stablehlo.sine"), ("cuda", "stablehlo.cosine")):
        stage = jaxviz.inspect(waved, platform=platform)(jnp.ones(3)).stage("stablehlo")
        found = [eqn.op for graph in stage.graphs for eqn in graph.eqns]
        assert op in found
    assert "stablehlo.sine" not in found


def test_gpu_is_cuda():
    stage = jaxviz.inspect(jnp.sin, platform="gpu")(1.0).stage("stablehlo")
    assert "It was lowered for cuda, as you asked." in map(str, stage.notes)


def test_the_platform_of_this_process_is_compiled_as_ever():
    here = jax.export.default_export_platform()
    program = jaxviz.inspect(jnp.sin, platform=here)(1.0)
    assert program.stage("hlo").error is None
    assert program.stage("stablehlo").notes == jaxviz.inspect(jnp.sin)(1.0).stage("stablehlo").notes


def test_others_are_not_compiled_and_it_is_reported_why():
    here = jax.export.default_export_platform()
    other = "tpu" if here != "tpu" else "cuda"
    assert str(jaxviz.inspect(jnp.sin, platform=other)(1.0).stage("hlo").error) == (
        f"The program was lowered for {other}, and XLA compiles here for {here}. The jaxpr and "
        "StableHLO are available."
    )


def eigenvalues(x):
    y = x * 2
    return jnp.linalg.eig(y)[0]  # here


def halved(ref, out):
    out[...] = ref[...] / 2


def kernel(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pallas.pallas_call(halved, out_shape=shape)(x) + 1  # here


def told(x):
    jax.debug.print("{}", x)  # here
    return x


@pytest.mark.parametrize(
    ("fun", "platform"), [(eigenvalues, "tpu"), (kernel, "cpu"), (told, "tpu"), (told, "cuda")]
)
def test_what_cannot_be_lowered_is_named_with_its_line(fun, platform):
    error = jaxviz.inspect(fun, platform=platform)(jnp.ones((8, 8))).stage("stablehlo").error
    assert error is not None
    assert error.text.startswith(f"JAX could not lower the program for {platform} (")
    first = fun.__code__.co_firstlineno
    with open(__file__, encoding="utf-8") as file:
        line = next(n for n, text in enumerate(file, 1) if n > first and "# here" in text)
    assert f"test_platforms.py, line {line} (`" in error


def test_a_platform_that_there_is_not():
    with pytest.raises(jaxviz.CaptureError, match="there is no platform 'npu': the platforms are"):
        jaxviz.inspect(jnp.sin, platform="npu")(1.0)


def test_what_is_lowered_already_has_its_platform():
    lowered = jax.jit(jnp.sin).lower(1.0)
    with pytest.raises(jaxviz.CaptureError, match="this is a Lowered already: leave them out"):
        jaxviz.inspect(lowered, platform="tpu")
