"""Where a NaN is said to be born, and what a search leaves as it is."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from clean_of_nans import CLEAN
from golden_jax import part
from jax.experimental import io_callback
from nans_of_choices import CHOICES
from nans_of_constants import CONSTANTS, NOT_REACHED
from nans_of_elements import ELEMENTS
from nans_that_meet import MEETINGS
from planted_nans import PLANTED, X

import jaxviz
from jaxviz.tools.nan.record import NanOrigins


@pytest.mark.parametrize("name", part(PLANTED, of=2))
def test_a_planted_nan_is_found_at_its_origin(name):
    fun, args, *truth = PLANTED[name]
    found = jaxviz.find_nan(fun)(*args)
    assert found
    nan = found.nan
    assert nan is not None
    assert [nan.op, nan.around, nan.index, nan.backward, nan.device] == truth
    assert nan.frame is not None
    assert nan.frame.code.endswith("# NaN")
    assert not nan.others
    graph = found.program.stage("jaxpr").graphs[nan.graph]
    assert eqn_at(found.program, nan.at) == graph.eqns[nan.eqn]


def eqn_at(program, place):
    """The eqn that a page finds by an id, such as `3.0/5`."""
    graphs = program.stage("jaxpr").graphs
    graph, *_ = graphs
    *bodies, last = place.split("/")
    for step in bodies:
        eqn, body = map(int, step.split("."))
        graph = graphs[graph.eqns[eqn].bodies[body].graph]
    return graph.eqns[int(last)]


@pytest.mark.parametrize("name", part(MEETINGS, of=2))
def test_it_is_reported_where_another_nan_may_be_what_reached_the_result(name):
    fun, args, first, others = MEETINGS[name]
    found = jaxviz.find_nan(fun)(*args)
    nan = found.nan
    assert nan is not None
    assert (nan.argument or nan.op, nan.others) == (first, others)
    assert ("it, or another one that joined it on the way, reached" in str(found)) == others


@pytest.mark.parametrize("name", part(CLEAN, of=2))
def test_nothing_is_found_where_no_result_has_a_nan(name):
    fun, args = CLEAN[name]
    found = jaxviz.find_nan(fun)(*args)
    assert not found
    assert found.infinity is None
    assert str(found).startswith("No result of ")


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_nan_of_a_constant_is_found(name):
    case = CONSTANTS[name]
    found = jaxviz.find_nan(case.fun)(*case.args)
    nan = found.nan
    assert nan is not None
    op = nan.op.removeprefix("p").replace("jit", "call")
    assert (op, nan.around, nan.result) == (case.op, case.around, case.result)
    assert nan.constant
    assert not nan.others
    assert "constant" in str(found)
    assert not nan.op or (nan.frame is not None and "# constant" in nan.frame.code)


@pytest.mark.parametrize("name", NOT_REACHED)
def test_a_constant_that_reaches_no_result_is_not_reported(name):
    fun, args = NOT_REACHED[name]
    found = jaxviz.find_nan(fun)(*args)
    assert not found
    assert found.infinity is None


def test_a_nan_of_operations_that_ran_as_one_is_found():
    def less_than_nothing(x, y, rounded):
        return jnp.sqrt(x * y - rounded)

    x, y = np.random.default_rng(0).random((2, 1000), np.float32)
    if not jnp.isnan(jax.jit(less_than_nothing)(x, y, x * y)).any():
        pytest.skip("here XLA rounds each product")
    assert not jnp.isnan(less_than_nothing(*map(jnp.array, (x, y, x * y)))).any()
    nan = jaxviz.find_nan(less_than_nothing)(x, y, x * y).nan
    assert nan is not None
    assert nan.op == "sqrt"


def test_the_device_is_found():
    script = Path(__file__).with_name("nans_on_devices.py")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["shard_map", "psum", "ppermute", "scan on devices", "split"]


def test_an_argument_that_holds_it_already_is_named():
    found = jaxviz.find_nan(lambda params, x: params["w"] * x)({"w": jnp.array([1.0, np.nan])}, 2.0)
    assert str(found) == "A NaN was already in params['w']; it reached result."


def test_the_first_infinity_is_reported_beside_the_nan_it_became():
    def f(x):
        y = jnp.exp(x)
        return y - y

    found = jaxviz.find_nan(f)(jnp.array([1.0, 100.0]))
    assert "A NaN comes from sub in " in str(found)
    assert "An infinity comes from exp in " in str(found)
    assert "it reached result. The first one in its f32[2] is element [1]." in str(found)


def test_the_result_is_called_as_in_the_picture():
    def length(x):
        return jnp.sqrt(x @ x)

    nan = jaxviz.find_nan(jax.grad(length))(jnp.zeros(3)).nan
    assert nan is not None
    assert nan.result == "∂x"


def test_the_element_is_of_the_result_that_has_it():
    types = jax.ShapeDtypeStruct((4,), "float32"), jax.ShapeDtypeStruct((1, 2), "float32")
    made = np.ones(4, np.float32), np.array([[1.0, np.nan]], np.float32)

    nan = jaxviz.find_nan(lambda x: jax.pure_callback(lambda x: made, types, x))(X).nan
    assert nan is not None
    assert (nan.result, nan.index, nan.type) == ("result[1]", (0, 1), "f32[1,2]")


def test_an_array_that_is_written_to_is_refused():
    if not hasattr(jax, "new_ref"):
        pytest.skip("this JAX has no references")

    def f(x):
        ref = jax.new_ref(x)
        ref[...] = jnp.log(x)
        return ref[...]

    with pytest.raises(jaxviz.CaptureError, match="it has references"):
        jaxviz.find_nan(f)(X)


def test_prints_are_not_repeated_and_named(capfd):
    def f(x):
        jax.debug.print("SEEN {}", x)
        return jnp.log(x)

    found = jaxviz.find_nan(f)(X)
    assert found
    assert "Not repeated: debug_" in str(found)
    assert "SEEN" not in capfd.readouterr().out


def test_what_would_happen_once_more_is_refused_or_said():
    ran = []

    def effect(x):
        io_callback(ran.append, None, x)
        return jnp.log(x)

    with pytest.raises(jaxviz.CaptureError, match="io_callback, whose effect would happen once"):
        jaxviz.find_nan(effect)(X)
    assert not ran

    def pure(x):
        return jnp.log(jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((3,), "float32"), x))

    assert "pure_callback ran again." in str(jaxviz.find_nan(pure)(X))


@pytest.mark.parametrize("run", [jaxviz.find_nan, jaxviz.statistics, jaxviz.profile])
def test_what_runs_the_program_names_the_argument_without_values(run):
    shape = jax.ShapeDtypeStruct((3,), jnp.float32)
    said = "the program would run, and y is a ShapeDtypeStruct, which has no values: give an array."
    with pytest.raises(jaxviz.CaptureError, match=said):
        run(lambda p, y: p["w"] + y)({"w": jnp.ones(3)}, shape)


def test_it_leaves_the_function_s_cache_its_arguments_and_debug_nans():
    jitted = jax.jit(
        lambda x, mode: jnp.log(x) if mode == "log" else x, static_argnames="mode", donate_argnums=0
    )
    x = jnp.array(X)
    with jax.debug_nans(True):
        assert jaxviz.find_nan(jitted)(x, mode="log")
        assert getattr(jax.config, "jax_debug_nans")  # noqa: B009
    assert getattr(jitted, "_cache_size")() == 0  # noqa: B009
    assert not x.is_deleted()


def test_a_page_gets_the_program_of_the_first_nan_and_what_it_reached():
    def f(x, y):
        return y.sum(), jnp.log(x) * 2.0

    found = jaxviz.find_nan(f)(jnp.array([1.0, -1.0]), jnp.ones(3))
    bundle = found._repr_mimebundle_()
    assert bundle["text/plain"] == str(found)
    assert "comes from log" in bundle["text/html"]
    report = bundle["application/vnd.jaxviz.v1+json"]["report"]
    none = {"tool": "find_nan", "origins": [], "left_out": [], "run_again": False}
    assert report | {"origins": []} == none
    [origin] = report["origins"]
    assert [origin[key] for key in ("kind", "at", "to", "op", "index", "result")] == [
        *("NaN", "1", "out1", "log", (1,), "result[1]")
    ]
    argument = jaxviz.find_nan(f)(jnp.ones(2), jnp.array([jnp.nan]))
    assert argument.nan is not None
    assert (argument.nan.at, argument.nan.to) == ("in1", "out0")
    nothing = jaxviz.find_nan(f)(jnp.ones(2), jnp.ones(3))
    assert nothing._repr_mimebundle_() == {"text/plain": str(nothing)}


def test_a_picture_and_a_page_that_are_saved_show_the_way(tmp_path):
    found = jaxviz.find_nan(lambda x, y: (jnp.log(x) * 2.0, jnp.exp(y)))(X, X)
    for path in (tmp_path / "way.svg", tmp_path / "way.html"):
        found.save(path)
    svg = (tmp_path / "way.svg").read_text()
    assert re.findall(r'class="elementwise h".*?>(\w+)<', svg) == ["log"]
    assert re.findall(r'<text class="p" [^>]*>([\w[\]]+)<', svg) == ["x", "y", "exp", "result[1]"]
    [told] = re.findall('data-report="(.*?)"', (tmp_path / "way.html").read_text())
    assert msgspec.json.decode(html.unescape(told), type=NanOrigins) == found.record


def test_two_calls_of_one_function_are_distinguished():
    @jax.jit
    def root(x):
        return jnp.sqrt(x)

    found = jaxviz.find_nan(lambda x: root(x) + root(x - 2.0))(1.0)
    assert found.nan is not None
    assert found.nan.at.split(".")[0] == "2"


def test_it_holds_no_element_of_an_array():
    x = jnp.array([-61803.0, 27182.0])
    found = jaxviz.find_nan(lambda x: jnp.log(x))(x)
    held = repr(found.nan) + repr(found.infinity) + str(found)
    assert not any(canary in held for canary in ("61803", "27182"))


@pytest.mark.parametrize("name", part(ELEMENTS, of=2))
def test_the_element_is_one_from_which_the_result_follows(name):
    case = ELEMENTS[name]
    found = jaxviz.find_nan(case.fun)(*case.args)
    nan, said = found.nan, str(found)
    assert nan is not None
    if nan.one_of > 1:
        assert (nan.index, nan.one_of) == ((), case.nans)
        assert f"It was one of {case.nans} elements of its {nan.type}." in said
    else:
        assert nan.index in case.reach
        assert f"is element [{', '.join(map(str, nan.index))}]." in said
    if len(case.reach) == case.nans:
        assert nan.one_of == 1


@pytest.mark.parametrize("name", part(CHOICES, of=2))
def test_it_is_reported_why_a_choice_does_not_help(name):
    case = CHOICES[name]
    found = jaxviz.find_nan(jax.grad(lambda *args: case.fun(*args).sum()))(*case.args)
    nan = found.nan
    assert nan is not None
    said = "JAX also differentiates the branch that is not chosen. Choose the input before"
    assert (said in str(found)) == (case.before is not None)
    if case.before is None:
        assert nan.hidden is None
        return
    assert nan.hidden is not None
    assert f"{said} `{case.before}`" in str(found)
    assert "# choice" in nan.hidden.choice.code
    assert "before" in nan.hidden.at.code.partition("#")[2]
    assert found.record.origins[0].hidden == nan.hidden


def test_what_it_says_of_a_choice_helps():
    """`distances` as its author would write it, with the input chosen before `sqrt`."""

    def fixed(p):
        r2 = ((p[:, None] - p[None]) ** 2).sum(-1)
        r = jnp.sqrt(jnp.where(r2 > 0, r2, 1.0))
        return jnp.where(r2 > 0, 1 / r, 0.0).sum()

    points = CHOICES["distances"].args[0]
    assert not jaxviz.find_nan(jax.grad(fixed))(points)
    assert jnp.isfinite(jax.grad(fixed)(points)).all()
