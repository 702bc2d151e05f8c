"""Jits within jits, under eager transformations, ahead of time, and made by a decorator."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from watched_events import kinds, reason

import jaxviz
from jaxviz.capture import _traces
from jaxviz.capture._traces import NESTED_UNANNOUNCED
from jaxviz.capture.events import trace_cache
from jaxviz.sentences import sentence
from jaxviz.session.session import Session

TRACED = ["trace", "lower", "compile"]


pytestmark = pytest.mark.usefixtures("session")


@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_a_jit_under_an_eager_transform_is_traced_once_a_shape(transform: str) -> None:
    traced: list[tuple[int, ...]] = []

    @jax.jit
    def norm(x):
        traced.append(x.shape)
        return (x * x).sum()

    fun = getattr(jax, transform)(norm)
    shape = (lambda n: (n,)) if transform == "grad" else (lambda n: (2, n))
    with jaxviz.watch() as log:
        for n in (3, 3, 4):
            fun(jnp.ones(shape(n)))
    traces = [event for event in log.events if event.kind == "trace"]
    assert len(traces) == len(traced) == 2
    assert [reason(event) for event in traces] == [
        [("first", "", "", "")],
        [("shape", "x", "f32[3]", "f32[4]")],
    ]


def test_a_jit_within_a_jit_is_traced_once() -> None:
    traced: list[str] = []

    @jax.jit
    def inner(x):
        traced.append("inner")
        return jnp.sin(x)

    @jax.jit
    def outer(x):
        traced.append("outer")
        return inner(x) + inner(x)

    with jaxviz.watch() as log:
        outer(jnp.ones(3))
        inner(jnp.ones(3))
        outer(jnp.ones(4))
    names = [event.name for event in log.events if event.kind == "trace"]
    assert sorted(name.rpartition(".")[2] for name in names) == sorted(traced)


@pytest.mark.parametrize("turned", [False, True])
def test_traces_within_another_come_in_their_order_whatever_jax_s_cache_has(
    turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys of that cache come in the order of addresses, another one in each process."""
    keys = _traces.trace_keys
    monkeypatch.setattr(_traces, "trace_keys", lambda: dict(sorted(keys().items(), reverse=turned)))

    @partial(jax.jit, static_argnames="n")
    def inner(x, n):
        return x * n

    @jax.jit
    def outer(x):
        return inner(x, 5) + inner(x, 3) + inner(x, 4)

    with jaxviz.watch() as log:
        outer(jnp.ones(3))
    assert [reason(event) for event in log.events if event.kind == "trace"] == [
        [("first", "", "", "")],
        [("static", "n", "5", "3")],
        [("static", "n", "3", "4")],
        [("first", "", "", "")],
    ]


def test_what_was_traced_before_is_lowered_and_compiled_ahead_of_time() -> None:
    fun = jax.jit(lambda x: x * 2)
    with jaxviz.watch() as log:
        traced = fun.trace(jax.ShapeDtypeStruct((3,), "float32"))
        assert kinds(log.events) == ["trace"]
        lowered = traced.lower()
        lowered.compile()
    assert kinds(log.events) == TRACED
    assert {event.of for event in log.events[1:]} == {log.events[0].number}


def test_a_decorator_s_functions_are_distinguished() -> None:
    def jitted(fun: Callable[..., Any]) -> Callable[..., Any]:
        @jax.jit
        def wrapped(x):
            return fun(x)

        return wrapped

    @jitted
    def first(x):
        return x + 1

    @jitted
    def second(x):
        return x + 2

    with jaxviz.watch() as log:
        for fun in (first, second):
            fun(jnp.ones(3))
    traces = [event for event in log.events if event.kind == "trace"]
    assert [reason(event) for event in traces] == [[("first", "", "", "")]] * 2
    assert [function.retraces for function in log.functions] == [0]


def test_a_jitted_function_that_is_traced_is_not_the_one_within() -> None:
    within = jax.jit(lambda x: jnp.sin(x))
    with jaxviz.watch() as log:
        jax.make_jaxpr(within)(jnp.ones(3))
        jax.make_jaxpr(within)(jnp.ones(4))
    counted = {function.name: (function.traces, function.retraces) for function in log.functions}
    assert counted == {"<lambda>": (2, 1), "jit(<lambda>)": (2, 1)}
    assert [cause.reason[0].kind for cause in log.causes] == ["shape", "shape"]


def test_a_function_that_a_traced_one_defines_is_the_same_one_at_its_second_call() -> None:
    @jax.jit
    def outer(x):
        @jax.jit
        def inner(y):
            return y * 2

        return inner(x).sum() + inner(x[:2]).sum()

    with jaxviz.watch() as log:
        outer(jnp.ones(4))
        outer(jnp.ones(6))
    assert [reason(e) for e in log.events if (e.name, e.kind) == ("inner", "trace")] == [
        [("first", "", "", "")],
        [("shape", "y", "f32[4]", "f32[2]")],
        [("function", "", "", ""), ("shape", "y", "f32[2]", "f32[6]")],
        [("shape", "y", "f32[6]", "f32[2]")],
    ]


@pytest.mark.skipif(not NESTED_UNANNOUNCED, reason="JAX announces each trace")
def test_where_too_many_traces_are_held_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = jax.jit(lambda x: jnp.sin(x))
    outer = jax.jit(lambda x: inner(x) + 1)
    monkeypatch.setattr(trace_cache, "LIKELY", 0)
    with jaxviz.watch() as log:
        outer(jnp.ones(3))
    assert log.record().notes == [sentence("too many traces")]
    monkeypatch.undo()
    with jaxviz.watch() as log:
        outer(jnp.ones(4))
    assert log.record().notes == []


def test_names_of_jax_that_are_gone_cost_a_sentence_and_no_trace_is_reported_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from jax._src import pjit

    ran: list[str] = []

    @jax.jit
    def inner(x):
        ran.append("inner")
        return x * 2

    @jax.jit
    def outer(x):
        ran.append("outer")
        return inner(x)

    code = pjit._infer_params.__code__
    monkeypatch.setattr(pjit._infer_params, "__code__", code.replace(co_name="_renamed"))
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    with jaxviz.watch() as log:
        for size in (3, 4):
            outer(jnp.ones(size))
        jax.grad(lambda x: outer(x).sum())(jnp.ones(5))
    traces = [event for event in log.events if event.kind == "trace"]
    assert sorted(event.name.rpartition(".")[2] for event in traces) == sorted(ran)
    assert [event.reason[0].kind for event in traces].count("first") == 2
    assert log.record().notes == [sentence("reasons missing")]
