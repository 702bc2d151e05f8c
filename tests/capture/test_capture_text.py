"""A stage has JAX's own text wherever JAX can print it, and the place of each eqn in the text."""

from __future__ import annotations

import functools

import jax
import jax.extend.core
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import CALLS, shaped
from records import eqns, loose_ends

import jaxviz
from jaxviz import schema
from jaxviz.capture.jaxprs.jaxpr import located, stage_of
from jaxviz.capture.shown.source import Sources


def printed(program: jaxviz.Program, eqn: schema.Eqn) -> str:
    assert eqn.span is not None
    return program.stage("jaxpr").text[slice(*eqn.span)]


def test_the_text_is_jax_s_own():
    def f(x):
        return jnp.sin(x) @ x

    program = jaxviz.inspect(f)(shaped(3, 3))
    assert program.stage("jaxpr").text == str(jax.make_jaxpr(f)(shaped(3, 3)))


@settings(deadline=None, max_examples=40)
@given(
    rank=st.integers(1, 24),
    times=st.integers(1, 30),
    bodies=st.integers(0, 3),
    before=st.integers(0, 800),
)
def test_lines_break_where_jax_breaks_them(rank, times, bodies, before):
    """Eqns of one kind are printed once, whose names and types may be of any length."""

    def turned(x, _):
        whole = tuple(range(rank))
        for at in range(times):
            x = jax.lax.transpose(x + at % 3, whole[::-1]) * 2.5
        return jax.lax.dot_general(x, x, (((), ()), (whole, whole))) - -0.0, None

    def f(x):
        for _ in range(before):
            x = jax.lax.neg(x)
        step = turned
        for _ in range(bodies):
            step = functools.partial(jax.lax.scan, step, length=2)
        return step(x, None)

    of = shaped(*(1,) * rank)
    assert jaxviz.inspect(f)(of).stage("jaxpr").text == str(jax.make_jaxpr(f)(of))


SECRET = np.array([31337.5, 31338.5], np.float32)


def called_back(kept, x):
    return np.asarray(x)


def in_a_partial(x):
    """JAX prints what a partial holds, and we its function's name."""
    callback = functools.partial(called_back, SECRET)
    return jax.pure_callback(callback, jax.ShapeDtypeStruct((2,), "float32"), x)


def in_an_attribute(x):
    return jax.ffi.ffi_call("target", jax.ShapeDtypeStruct((2,), "float32"))(x, w=SECRET)


@pytest.mark.parametrize("fun", [in_a_partial, in_an_attribute])
def test_no_value_of_an_array_is_in_the_record(fun):
    record = jaxviz.inspect(fun)(shaped(2)).record
    assert b"3133" not in msgspec.json.encode(record)
    shown = ("callback_func=called_back", "[…, …]", "[… …]")
    assert any(text in record.stages[0].text for text in shown)
    assert "31337.5" in str(SECRET)


def test_each_span_holds_its_eqn_with_the_printed_names():
    def f(x):
        return jax.lax.scan(lambda c, a: (c + a, jnp.sin(c)), 0.0, x)

    program = jaxviz.inspect(f)(shaped(3))
    for graph in program.stage("jaxpr").graphs:
        for eqn in graph.eqns:
            text = printed(program, eqn)
            results = [graph.vars[i].name for i in eqn.outvars]
            assert text.split(" = ")[0].split(" ") == [
                f"{name}:{program.stage('jaxpr').avals[graph.vars[i].aval].text}"
                for name, i in zip(results, eqn.outvars, strict=True)
            ]
            assert f" = {eqn.op}" in text


def test_bodies_that_jax_quotes_have_spans_too():
    program = jaxviz.inspect(CALLS["linear_solve"].function)(shaped(4, 4), shaped(4))
    found = [printed(program, eqn).split(" = ")[1].split("[")[0] for eqn in eqns(program)]
    assert found[1:] == ["dot_general", "dot_general", "div a 2.0:f32", "div a 3.0:f32"]


def test_names_beyond_ascii_leave_the_spans_right():
    def größe(x):
        return x + 1

    def f(x):
        return jax.jit(größe)(x) * 2

    program = jaxviz.inspect(f)(shaped(3))
    assert [eqn.op for eqn in eqns(program)][1:] == ["mul", "add"]
    for eqn in eqns(program):
        assert printed(program, eqn).split(" = ")[1].startswith(eqn.op)


def test_sharing_costs_what_is_distinct():
    function = jax.jit(jnp.sin)
    for _ in range(17):
        function = jax.jit(lambda x, inner=function: inner(inner(x)))
    program = jaxviz.inspect(function)(1.0)
    assert len(eqns(program)) == 17 * 2 + 1
    stage = program.stage("jaxpr")
    assert stage.notes != []
    assert len(stage.text) < 5_000
    assert all(eqn.span is not None for eqn in eqns(program))
    assert [printed(program, eqn).split(" = ")[1][:3] for eqn in eqns(program)][-1] == "sin"


def nested(levels: int) -> jax.extend.core.ClosedJaxpr:
    """Built from below, by putting one jaxpr into the eqn of the next."""
    outer = jax.make_jaxpr(jax.jit(jnp.sin))(1.0)
    (call,) = outer.jaxpr.eqns
    closed = call.params["jaxpr"]
    for _ in range(levels):
        eqn = call.replace(params={**call.params, "jaxpr": closed})
        closed = jax.extend.core.ClosedJaxpr(outer.jaxpr.replace(eqns=[eqn]), ())
    return closed


@pytest.mark.parametrize("levels", [40, 1_000, 3_000])
def test_depth_is_no_limit(levels):
    stage = stage_of(located(nested(levels), Sources("")), "deep", ["x"], ["result"])
    assert len(stage.graphs) == levels + 1
    assert loose_ends(stage) == []
    assert (stage.notes == []) == (levels == 40)
    for graph in stage.graphs:
        (eqn,) = graph.eqns
        assert eqn.span is not None
        assert f" = {eqn.op}" in stage.text[slice(*eqn.span)]


def test_our_own_text_where_jax_cannot_print(monkeypatch):
    from jax._src import core

    def broken(*args, **kwargs):
        raise KeyError("out_dtype")

    monkeypatch.setattr(core, "pp_eqn", broken)
    stage = jaxviz.inspect(lambda x: jax.jit(jnp.sin)(x) * 2.0)(shaped(3)).stage("jaxpr")
    assert "KeyError" in stage.notes[0]
    assert stage.text.splitlines()[-1] == "  in (e,) }"
    assert loose_ends(stage) == []


def test_hostile_strings_are_plain_text():
    name = "<img src=x onerror=alert(1)>\x00\u202e" + "n" * 1_000_000

    def f(x):
        return x + 1

    f.__name__ = name

    def call(x):
        with jax.named_scope("\ud800"):
            return {"__proto__": jax.jit(f)(x)}

    program = jaxviz.inspect(call)(1.0)
    stage = program.stage("jaxpr")
    assert stage.scopes == ["\ufffd", ""]
    assert program.results[0].path == "result['__proto__']"
    eqn = stage.graphs[0].eqns[0]
    assert eqn.name == "<img src=x onerror=alert(1)>\ufffd\ufffd" + "n" * 169 + "…"
    assert len(eqn.name) == 200
    (param,) = [param for param in eqn.params if param.name == "name"]
    assert (len(param.value), param.size) == (400, len(name))
    stage.text.encode()
