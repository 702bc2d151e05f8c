"""A program that is shown can be traced once more for its steps; of a call of a function that JAX
had traced before it is said that no Python ran."""

from __future__ import annotations

import functools
import gc
import weakref

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_steps import inner, lesson, looped

import jaxviz
from jaxviz.sentences import sentence
from jaxviz.tools.steps.report import traced_again


def test_a_program_that_is_shown_can_be_traced_once_more():
    x, jitted = jnp.ones((2, 3)), jax.jit(lesson, static_argnames="n")
    shown = jaxviz.inspect(jitted)(x, 1.0, n=2)
    expected = jaxviz.steps(jitted)(x, 1.0, n=2).record
    here, x = weakref.ref(x), None
    gc.collect()
    assert here() is None
    assert traced_again(shown._stages)[1] == expected


def brief(scale):
    return lambda x: jnp.sum(x * scale)


def summed(x, n=2):
    return jnp.sum(jnp.sin(x)) * n


@pytest.mark.parametrize(
    "made",
    [
        lambda: jax.grad(summed),
        lambda: jax.jit(jax.value_and_grad(summed)),
        lambda: jax.hessian(jax.checkpoint(summed)),
        lambda: jax.vmap(jax.grad(lambda x: summed(x)), in_axes=(0,)),
        lambda: jax.grad(functools.partial(summed, n=3)),
        lambda: lambda x: summed(x, n=4),
    ],
)
def test_what_jax_made_of_a_function_and_nobody_holds_is_traced_once_more(made):
    shown = jaxviz.inspect(made())(jnp.ones(3))
    gc.collect()
    (head, jaxpr, _), steps = traced_again(shown._stages)
    assert (head.name, jaxpr().text) == (shown.name, shown.stage("jaxpr").text)
    assert steps == jaxviz.steps(made())(jnp.ones(3)).record


def test_what_a_function_holds_is_not_kept():
    scale = jnp.arange(3.0)
    loss = brief(scale)
    programs = jaxviz.inspect(loss)(scale), jaxviz.inspect(jax.grad(loss))(scale)
    for program in programs:
        assert traced_again(program._stages)[1].steps
    ended = weakref.ref(loss)
    del loss, scale
    for program in programs:
        program.stage("hlo")
    gc.collect()
    assert ended() is None
    for program in programs:
        with pytest.raises(ValueError, match=r"^The function is gone: run the cell again, or "):
            traced_again(program._stages)
    assert jaxviz.inspect(lambda f, x: f(x))(jnp.sin, 1.0)._stages.again is None


def test_arguments_that_no_pytree_can_hold_fail_as_ever():
    with pytest.raises(jaxviz.CaptureError, match=r"sorting pytree dictionary keys; fix the call"):
        jaxviz.inspect(lambda x: 1.0)({1: 1.0, "a": 2.0})


def notes_of(found):
    return [step.notes for step in found.record.steps]


def test_a_call_of_what_was_traced_before_says_that_no_python_runs():
    known = jax.jit(inner)

    def twice(x):
        y = known(x)
        return known(y) + known(x[:2]).sum()

    alone = sentence("known call", name="inner")

    def told(types):
        is_known = jax.__version_info__ >= (0, 10)
        return sentence("known call, types", name="inner", types=types) if is_known else alone

    said = told("f32[3] → f32[3]")
    assert [notes for notes in notes_of(jaxviz.steps(twice)(jnp.ones(3))) if notes] == []
    known(jnp.ones(3))
    first, last = (notes for notes in notes_of(jaxviz.steps(twice)(jnp.ones(3))) if notes)
    assert first == [said]
    assert last == [*dict.fromkeys([said, told("f32[2] → f32[2]")])]
    of_grad = notes_of(jaxviz.steps(jax.grad(lambda x: known(x).sum()))(jnp.ones(3)))
    assert alone in of_grad[1]
    assert not any(notes_of(jaxviz.steps(looped)(jnp.ones(3))))


def test_a_function_that_runs_within_another_was_not_known():
    def doubled(fun):
        @functools.wraps(fun)
        def wrapper(x):
            return fun(x) * 2

        return wrapper

    wrapped = jax.jit(doubled(inner))
    deep = jax.jit(lambda x: wrapped(x) + 1)

    def function(x):
        y = deep(x) + wrapped(x)
        return wrapped(y)

    *before, last = notes_of(jaxviz.steps(function)(jnp.ones(3)))
    assert not any(before)
    assert len(last) == 1
    assert last[0].text.startswith("inner was already traced")


def test_what_runs_no_line_of_the_users_has_no_steps():
    known = jax.jit(summed)
    known(jnp.ones(3))
    for fun in (jax.grad(known), jnp.sin):
        with pytest.raises(
            jaxviz.CaptureError, match=r"^None of your lines runs when this is traced, so"
        ):
            jaxviz.steps(fun)(jnp.ones(3))


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=6), st.sampled_from([None, "grad", "vmap"])
)
@settings(max_examples=20, deadline=None)
def test_it_is_reported_where_no_python_ran_and_only_there(calls, around):
    ran = []

    def one(x):
        ran.append("a")
        return jnp.sin(x)

    def other(x):
        ran.append("b")
        return x * 2.0

    called = {"a": jax.jit(one), "b": jax.jit(other)}
    counts = []

    def function(x):
        for call in calls:
            before = len(ran)
            x = called[call](x)
            counts.append(len(ran) - before)
        return x.sum()

    fun = {"grad": jax.grad, "vmap": jax.vmap, None: lambda f: f}[around](function)
    found = jaxviz.steps(fun)(jnp.ones((3, 2))[0] if around != "vmap" else jnp.ones((3, 2)))
    line = function.__code__.co_firstlineno + 3
    frames = found.record.frames
    steps = [step for step in found.record.steps if frames[step.frame].line == line]
    assert [not step.notes for step in steps] == [count > 0 for count in counts]
