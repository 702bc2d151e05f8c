"""A clone is the same program, except that its eqns carry their numbers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from programs import CALLS, Call, shaped
from test_capture_text import nested

from jaxviz.capture import capture
from jaxviz.capture._jax import with_jaxpr, without_arguments
from jaxviz.capture.jaxprs.clone import cloned
from jaxviz.capture.jaxprs.walk import walk


def traced(call: Call):
    jitted = hasattr(call.function, "trace")
    function: Any = call.function if jitted else jax.jit(call.function, static_argnames=call.static)
    return function.trace(*call.args)


def closed(function, *args):
    return jax.jit(function).trace(*args).jaxpr


def numbers(clone) -> list[str]:
    """The last scope of each eqn, as the graphs of a stage list them."""
    return [
        str(eqn.source_info.name_stack[-1:])
        for jaxpr in walk(clone.closed.jaxpr).jaxprs
        for eqn in jaxpr.eqns
    ]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_lowered_is_the_user_s_own_program(name):
    plain = traced(CALLS[name])
    clone = cloned(plain.jaxpr)
    lowered = with_jaxpr(without_arguments(plain), clone.closed).lower()
    assert lowered.as_text() == plain.lower().as_text()
    assert str(clone.closed) == str(plain.jaxpr)


@pytest.mark.parametrize("name", sorted({*CALLS} - {"pallas_double"}))
def test_eqns_are_numbered_as_the_stage_lists_them(name):
    call = CALLS[name]
    clone = cloned(traced(call).jaxpr)
    stage = capture(call.function, call.args, {}, None, call.static).program.stages[0]
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    assert numbers(clone) == [f"{clone.token}{number}" for number in range(len(eqns))]
    ops = [eqn.primitive.name for jaxpr in walk(clone.closed.jaxpr).jaxprs for eqn in jaxpr.eqns]
    assert ops == [eqn.op for eqn in eqns]


def test_no_name_of_the_program_looks_like_a_number():
    def jvz7(x):
        with jax.named_scope("jv3/jv"):
            return jnp.sin(x)

    clone = cloned(closed(lambda x: jax.jit(jvz7)(x), 1.0))
    assert clone.token == "jvzz"
    assert cloned(closed(jnp.sin, 1.0)).token == "jv"


def test_what_is_shared_stays_shared():
    def twice(f):
        return jax.jit(lambda x: f(x) * f(x + 1))

    f = jax.jit(jnp.sin)
    for _ in range(16):
        f = twice(f)
    before = closed(f, 1.0)
    after = cloned(before)
    count = len(walk(before.jaxpr).jaxprs)
    assert count < 40
    assert len(walk(after.closed.jaxpr).jaxprs) == count
    held = {
        id(eqn.params["jaxpr"])
        for jaxpr in walk(after.closed.jaxpr).jaxprs
        for eqn in jaxpr.eqns
        if "jaxpr" in eqn.params
    }
    assert len(held) == count - 1


def test_depth_is_no_limit():
    levels = 2_000
    assert len(walk(cloned(nested(levels)).closed.jaxpr).jaxprs) == levels + 1


def test_the_program_itself_is_left_as_it_was():
    def f(x):
        return jax.lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0]

    before = closed(f, 1.0)
    text = str(before)
    stacks = [str(eqn.source_info.name_stack) for eqn in before.jaxpr.eqns]
    cloned(before)
    assert str(before) == text
    assert [str(eqn.source_info.name_stack) for eqn in before.jaxpr.eqns] == stacks


def test_shapes_alone_are_enough():
    assert cloned(closed(jnp.sin, shaped(3))).closed.in_avals == closed(jnp.sin, shaped(3)).in_avals
