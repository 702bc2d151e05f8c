"""A captured call has the right inputs, outputs, names and nested bodies."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import jax
import jax.core
import jax.numpy as jnp
import numpy as np
import pytest
from jax.export import symbolic_shape
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from programs import shaped
from records import eqns

import jaxviz

MESH = Mesh(np.array(jax.devices()[:1]), ("i",))


def test_the_function_runs_once_for_inspect_and_the_user_s_own_call():
    runs: list[str] = []

    @jax.jit
    def f(x):
        runs.append("run")
        return x + 1

    jaxviz.inspect(f)(1.0)
    jaxviz.inspect(f)(1.0)
    f(1.0)
    assert runs == ["run"]


def test_a_plain_function_runs_once_and_nothing_executes():
    runs: list[object] = []

    def f(x):
        runs.append(x)
        return jax.pure_callback(lambda y: runs.append("executed"), shaped(), x)

    jaxviz.inspect(f)(1.0)
    assert len(runs) == 1
    assert isinstance(runs[0], jax.core.Tracer)


def test_inputs_and_outputs_bear_the_user_s_paths():
    def f(params, *rest, scale, mode="a"):
        return {"loss": params["w"] * scale, "rest": (rest[0], [rest[1]])}

    program = jaxviz.inspect(f, static_argnames="mode")(
        {"w": 1.0}, np.ones(2), 3, scale=jnp.ones(2), mode="b"
    )
    assert [leaf.path for leaf in program.args] == ["params['w']", "rest[0]", "rest[1]", "scale"]
    assert [leaf.path for leaf in program.results] == [
        "result['loss']",
        "result['rest'][0]",
        "result['rest'][1][0]",
    ]
    assert [leaf.aval.text for leaf in program.args] == ["f32[]", "f32[2]", "i32[]", "f32[2]"]
    assert [leaf.aval.weak_type for leaf in program.args] == [True, False, True, False]


@pytest.mark.parametrize(
    ("wrap", "name"),
    [
        (lambda f: f, "loss"),
        (jax.jit, "loss"),
        (jax.grad, "grad(loss)"),
        (jax.value_and_grad, "value_and_grad(loss)"),
        (lambda f: jax.jit(jax.vmap(jax.grad(f))), "vmap(grad(loss))"),
        (lambda f: jax.shard_map(f, mesh=MESH, in_specs=P(), out_specs=P()), "shard_map(loss)"),
        (lambda f: lambda x: f(x), "<lambda>"),
    ],
)
def test_the_name_says_the_transformations(wrap, name):
    def loss(x):
        return x * x

    argument = shaped(3) if "vmap" in name else shaped()
    assert jaxviz.inspect(wrap(loss))(argument).name == name


def test_a_static_argument_given_twice_vanishes_from_the_inputs():
    program = jaxviz.inspect(lambda n, x: x**n, static_argnums=0)(3, 2.0)
    assert [leaf.path for leaf in program.args] == ["x"]


def test_disable_jit_changes_what_jax_makes_and_not_whether_it_is_captured():
    with jax.disable_jit():
        program = jaxviz.inspect(lambda x: jax.jit(jnp.sin)(x))(1.0)
    assert [eqn.op for eqn in eqns(program)] == ["sin"]


class Owner:
    """Stands for whatever a user's closure drags along."""


def captured_with_all_it_touches() -> tuple[jaxviz.Program, list[weakref.ref[object]]]:
    owner = Owner()
    table, argument = jnp.arange(5.0), jnp.ones(5)

    def f(x):
        return x + table if owner else x

    program = jaxviz.inspect(f)(argument)
    return program, [weakref.ref(it) for it in (argument, owner, f, table)]


def test_of_the_user_s_only_arrays_that_the_function_closes_over_are_kept():
    program, touched = captured_with_all_it_touches()
    gc.collect()
    *gone, table = touched
    assert [reference() for reference in gone] == [None, None, None]
    assert program.stage("jaxpr").graphs[0].constvars == (0,)
    record = program.record
    del program
    gc.collect()
    assert table() is None
    assert record.stages[0].graphs[0].constvars == (0,)


def test_a_closed_over_array_shows_its_type_and_never_its_values():
    secret = jnp.array([31337.0, 4.0])
    other = np.array([271828.0, 1.0])
    program = jaxviz.inspect(lambda x: x + secret + other)(shaped(2))
    saved = program.stage("jaxpr")
    everything = str(saved)
    assert "31337" not in everything
    assert "271828" not in everything
    consts = [saved.avals[saved.graphs[0].vars[i].aval] for i in saved.graphs[0].constvars]
    assert {(aval.text, aval.bytes) for aval in consts} == {("f32[2]", 8)}


@pytest.mark.parametrize(
    ("dtype", "size"),
    [("float32", 24), ("int4", 3), ("bfloat16", 12), ("bool", 6), ("complex64", 48)],
)
def test_bytes_of_a_value(dtype, size):
    program = jaxviz.inspect(lambda x: x)(shaped(2, 3, dtype=dtype))
    assert program.args[0].aval.bytes == size


def test_keys_refs_and_symbolic_sizes_have_kinds_of_their_own():
    key = jaxviz.inspect(lambda k: k)(jax.eval_shape(lambda: jax.random.key(0))).args[0].aval
    assert (key.kind, key.text, key.shape, key.dtype) == ("key", "key<fry>[]", [], "key<fry>")
    (rows,) = symbolic_shape("rows")
    symbolic = jaxviz.inspect(lambda x: x)(jax.ShapeDtypeStruct((rows, 3), "float32"))
    assert (symbolic.args[0].aval.shape, symbolic.args[0].aval.bytes) == (["rows", 3], None)


def test_effects_are_on_the_eqn_and_on_the_program():
    def f(x):
        jax.debug.print("{}", x)
        return x

    program = jaxviz.inspect(f)(1.0)
    assert program.stage("jaxpr").graphs[0].effects == ("Debug",)
    assert eqns(program)[0].effects == ("Debug",)


def test_a_shared_body_is_stored_once():
    inner = jax.jit(jnp.sin)
    stage = jaxviz.inspect(lambda x: inner(x) + inner(x + 1))(1.0).stage("jaxpr")
    held = [body.graph for eqn in stage.graphs[0].eqns for body in eqn.bodies]
    assert held == [1, 1]
    assert len(stage.graphs) == 2


def test_jax_is_left_as_it_was():
    before = (sys.getrecursionlimit(), gc.isenabled(), dict(jax.config.values))
    from jax._src import core, pretty_printer

    names = (core.JaxprPpContext, core.pp_eqn, pretty_printer.text)
    printing = np.get_printoptions()
    jaxviz.inspect(lambda x: x + 1)(1.0)
    assert (sys.getrecursionlimit(), gc.isenabled(), dict(jax.config.values)) == before
    assert (core.JaxprPpContext, core.pp_eqn, pretty_printer.text) == names
    assert np.get_printoptions() == printing


SHARDED = """
import jax, jax.numpy as jnp, jaxviz
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
x = jax.ShapeDtypeStruct((8, 4), "float32", sharding=NamedSharding(mesh, P("data", None)))
program = jaxviz.inspect(lambda x: x * 2)(x)
print(program.args[0].aval.sharding, program.results[0].aval.text)
"""


def in_another_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"PATH": "", "PYTHONPATH": str(Path.cwd()), "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_sharding_is_in_the_type():
    flags = "--xla_force_host_platform_device_count=8"
    shown = in_another_process(SHARDED, XLA_FLAGS=flags)
    assert shown == "P('data', None) f32[8@data,4]"


def test_importing_starts_no_backend():
    code = "import jaxviz; from jax._src import xla_bridge as bridge; print(len(bridge._backends))"
    assert in_another_process(code) == "0"


LITERALS = """
import jax.numpy as jnp, jaxviz
first, second = jnp.array([31337.0, 4.0]), jnp.array([31338.0, 4.0])
stage = jaxviz.inspect(lambda x: x + first + second * first)(jnp.ones(2)).stage("jaxpr")
graph = stage.graphs[0]
print(len(graph.constvars) + len([v for v in graph.vars if v.name == "[...]:f32[2]"]))
"""


def test_arrays_as_literals_are_distinguished_and_not_shown():
    assert in_another_process(LITERALS, JAX_USE_SIMPLIFIED_JAXPR_CONSTANTS="1") == "2"
