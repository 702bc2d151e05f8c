"""Caches that are cleared, evicted, or gone with their function: what is reported is what ran."""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jaxviz
from jaxviz.session import Log
from jaxviz.session.session import Session

x4, x3 = jnp.ones((4, 4)), jnp.ones(3)


class Functions:
    """Jitted functions that call one another, and note each run of their bodies."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.inner = self.jitted("inner", lambda x: x * 2)
        self.outer = self.jitted("outer", lambda x: self.inner(x) + 1)
        self.other = self.jitted("other", lambda x: self.inner(x) * 3)
        self.alone = self.jitted("alone", jnp.sin)

    def jitted(self, name: str, fun: Callable[[Any], Any]) -> Any:
        def body(x):
            self.ran.append(name)
            return fun(x)

        body.__name__ = name
        return jax.jit(body)

    def rerun(self) -> list[str]:
        ran, self.ran = self.ran, []
        return ran


def traced(log: Log) -> list[tuple[str, str]]:
    """Each trace with the kinds of its changes."""
    return [
        (event.name, "+".join(change.kind for change in event.reason))
        for event in log.events
        if event.kind == "trace"
    ]


@pytest.fixture
def functions(session: Session) -> Functions:
    made = Functions()
    with jaxviz.watch():
        for fun in (made.outer, made.other, made.alone):
            fun(x4)
        jax.grad(lambda x: made.inner(x).sum())(x3)
    made.rerun()
    return made


def test_a_cleared_function_alone_is_retraced(functions: Functions) -> None:
    with jaxviz.watch(max_retraces=1) as log:
        functions.alone.clear_cache()
        functions.alone(x4)
        functions.outer(x4)
        functions.other(x4)
    assert functions.rerun() == ["alone"]
    assert traced(log) == [("alone", "cleared")]


def test_a_function_is_cleared_as_often_as_it_is(functions: Functions) -> None:
    with jaxviz.watch() as log:
        for _ in range(4):
            functions.alone.clear_cache()
            functions.alone(x4)
    assert functions.rerun() == ["alone"] * 4
    assert traced(log) == [("alone", "cleared")] * 4


def test_clearing_between_two_watches_is_seen_at_the_next_call(functions: Functions) -> None:
    functions.alone.clear_cache()
    with jaxviz.watch() as log:
        functions.outer(x4)
    assert traced(log) == []
    with jaxviz.watch() as log:
        functions.alone(x4)
    assert functions.rerun() == ["alone"]
    assert traced(log) == [("alone", "cleared")]


def test_a_cleared_function_that_calls_others_leaves_them(functions: Functions) -> None:
    with jaxviz.watch() as log:
        functions.outer.clear_cache()
        functions.outer(x4)
    assert functions.rerun() == ["outer"]
    assert traced(log) == [("outer", "cleared")]


def test_a_cleared_inner_function_is_retraced_once_it_is_called(functions: Functions) -> None:
    with jaxviz.watch() as log:
        functions.inner.clear_cache()
        functions.outer(x4)
    assert (functions.rerun(), traced(log)) == ([], [])
    with jaxviz.watch() as log:
        functions.outer.clear_cache()
        functions.outer(x4)
    assert sorted(functions.rerun()) == ["inner", "outer"]
    assert sorted(traced(log)) == [("inner", "cleared"), ("outer", "cleared")]


def test_another_shape_after_clearing_is_the_reason(functions: Functions) -> None:
    with jaxviz.watch() as log:
        functions.alone.clear_cache()
        functions.alone(x3)
        functions.alone(x4)
    assert traced(log) == [("alone", "shape"), ("alone", "cleared")]


def test_after_clear_caches_only_what_is_called_is_retraced(functions: Functions) -> None:
    with jaxviz.watch() as log:
        jax.clear_caches()
        functions.alone(x4)
    assert traced(log) == [("alone", "cleared")]
    with jaxviz.watch() as log:
        functions.outer(x4)
        functions.other(x4)
    assert sorted(functions.rerun()) == ["alone", "inner", "other", "outer"]
    assert sorted(traced(log)) == [("inner", "cleared"), ("other", "cleared"), ("outer", "cleared")]


def test_a_method_with_a_static_self_stays_when_another_function_is_cleared(
    functions: Functions,
) -> None:
    class Trainer:
        rate = 0.1

        @functools.partial(jax.jit, static_argnums=0)
        def body(self, x):
            return x * self.rate

    trainer = Trainer()
    with jaxviz.watch():
        trainer.body(x4)
        trainer.rate = 0.2
    with jaxviz.watch() as log:
        functions.alone.clear_cache()
        functions.alone(x4)
        trainer.body(x4)
    assert traced(log) == [("alone", "cleared")]


def test_a_collected_function_changes_nothing_for_others(functions: Functions) -> None:
    made = [functions.jitted("gone", lambda x: functions.inner(x) * 5)]
    with jaxviz.watch():
        made[0](x4)
    functions.rerun()
    with jaxviz.watch() as log:
        made.clear()
        gc.collect()
        functions.outer(x4)
        new = functions.jitted("new", lambda x: functions.inner(x) * 7)
        new(x4)
    assert functions.rerun() == ["new"]
    assert [name for name, _ in traced(log)] == ["new"]


def test_what_was_traced_before_a_watch_is_not_reported(session: Session) -> None:
    functions = Functions()
    functions.outer(x4)
    functions.other(x4)
    jax.vmap(functions.outer)(jnp.ones((2, 3)))
    functions.rerun()
    with jaxviz.watch() as log:
        functions.outer.clear_cache()
        functions.outer(x4)
    assert functions.rerun() == ["outer"]
    assert [name for name, _ in traced(log)] == ["outer"]


STEPS = st.tuples(
    st.sampled_from(["inner", "outer", "other", "alone"]),
    st.sampled_from(
        [*["call"] * 3, *["clear"] * 2, "clear all", "new", "grad", "vmap", "ahead", "new watch"]
    ),
    st.sampled_from([2, 3]),
)


def run(functions: Functions, name: str, how: str, size: int) -> None:
    fun, x = getattr(functions, name), jnp.ones(size)
    if how == "clear":
        fun.clear_cache()
    elif how == "clear all":
        jax.clear_caches()
    elif how == "new":  # the other functions call the new one from their next trace on
        inner = name == "inner"
        body = (lambda x: x * 2) if inner else (lambda x: functions.inner(x) + 1)
        setattr(functions, name, functions.jitted(name, body))
        gc.collect()
    elif how == "grad":
        jax.grad(lambda x: fun(x).sum())(x)
    elif how == "vmap":
        jax.vmap(fun)(jnp.ones((2, size)))
    elif how == "ahead":
        fun.lower(x).compile()
    else:
        fun(x)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEPS, min_size=2, max_size=12))
def test_random_clearing(steps: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Random calls, clearings and new functions: what is reported is what ran, step by step, and
    only a cache that was cleared is a reason without another."""
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    functions, cleared = Functions(), False
    watches: list[list[Any]] = [[]]
    for step in steps:
        watches.append([]) if step[1] == "new watch" else watches[-1].append(step)
    for watch in watches:
        with jaxviz.watch() as log:
            for step in watch:
                before = len(traced(log))
                run(functions, *step)
                told = traced(log)[before:]
                assert sorted(name for name, _ in told) == sorted(functions.rerun()), (step, told)
                cleared |= step[1].startswith("clear")
                if not cleared:
                    assert "cleared" not in {kind for _, kind in told}
                assert "unknown" not in {kind for _, kind in told}, (step, told)
