"""Reports on calls that fail, that JAX does not distinguish, or that nobody watched."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from test_watch_cases import TRACED, power
from watched_events import kinds

import jaxviz


def test_an_unhashable_static_value_is_no_event() -> None:
    fun = power()
    with jaxviz.watch() as log, pytest.raises(ValueError, match="hash"):
        fun(jnp.ones(3), [1])
    assert log.events == ()


def test_a_closure_that_changes_is_no_event() -> None:
    box = [1]
    fun = jax.jit(lambda x: x + box[0])
    with jaxviz.watch() as log:
        fun(jnp.ones(3))
        box[0] = 2
        fun(jnp.ones(3))
    assert kinds(list(log.events)) == TRACED


def test_a_trace_that_fails_has_the_class_of_its_error() -> None:
    @jax.jit
    def branch(x):
        return x if x > 0 else -x

    with jaxviz.watch() as log, pytest.raises(jax.errors.TracerBoolConversionError):
        branch(jnp.float32(1))
    (event,) = log.events
    assert (event.kind, event.error) == ("trace", "TracerBoolConversionError")


def test_a_trace_that_fails_has_the_line_that_failed_and_the_line_of_the_call() -> None:
    def positive(x):
        return bool(x > 0)

    @jax.jit
    def branch(x):
        return x if positive(jnp.sin(x)) else -x

    with jaxviz.watch() as log, pytest.raises(jax.errors.TracerBoolConversionError):
        branch(jnp.float32(1))
    (event,) = log.events
    assert event.site is not None
    assert event.site.code == "branch(jnp.float32(1))"
    assert event.failed is not None
    assert (event.failed.code, event.failed.function) == ("return bool(x > 0)", "positive")


def test_a_trace_that_fails_is_reported_once_and_not_again_by_a_later_one() -> None:
    @jax.jit
    def inner(x):
        return x * 2

    @jax.jit
    def outer(x):
        return inner(x) + 1

    @jax.jit
    def branch(x):
        return x if x > 0 else -x

    x = jnp.float32(1)
    jax.jit(lambda x: x > 0)(x)  # so that JAX traces nothing within `branch`
    with jaxviz.watch() as log:
        with pytest.raises(jax.errors.TracerBoolConversionError):
            branch(x)
        outer(x)
    traces = [(event.name, event.error) for event in log.events if event.kind == "trace"]
    failed = ("branch", "TracerBoolConversionError")
    assert traces == [failed, ("inner", None), ("outer", None)]


def test_what_was_traced_unwatched_is_not_reported_though_caches_were_cleared() -> None:
    with jaxviz.watch():
        pass
    jax.clear_caches()
    unwatched = jax.jit(lambda x: x * 2)
    unwatched(jnp.ones(3))
    watched = jax.jit(lambda x: x * 3)
    with jaxviz.watch() as log:
        watched(jnp.ones(3))
    assert [(event.kind, event.depth) for event in log.events] == [
        ("trace", 0),
        ("lower", 0),
        ("compile", 0),
    ]
