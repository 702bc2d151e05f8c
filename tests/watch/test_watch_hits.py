"""Calls that JAX's caches answered, if the user asks for them: exact by function and over time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from counted_calls import broken, counted, hits, hooks_in_place, run_while_read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxviz.capture import _hooks
from jaxviz.capture.events import hits as module
from jaxviz.sentences import sentence
from jaxviz.session import Log
from jaxviz.session.session import Session


@pytest.fixture(autouse=True)
def hooks() -> Iterator[None]:
    """After each test JAX has the hooks that it had before."""
    before = hooks_in_place()
    yield
    assert hooks_in_place() == before


def in_a_thread(run: Callable[[], None]) -> None:
    """Where no `with jax.debug_nans(…)` has left None as the thread's own hook, which hides that
    of all threads."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()


def named(name: str) -> Any:
    def fun(x):
        return x * 2

    fun.__name__ = name
    return jax.jit(fun)


def test_calls_are_counted_by_function() -> None:
    first, second, x = named("first"), named("second"), jnp.ones(3)
    first(x)
    with counted() as log:
        for _ in range(100):
            first(x)
        for _ in range(11):
            second(x)
        list(map(first, [x] * 5))
        assert hits(log) == {"first": 105, "second": 10}
    first(x)
    assert hits(log) == {"first": 105, "second": 10}
    assert {(f.name, f.traces) for f in log.functions} == {("first", 0), ("second", 1)}
    assert "second (tests/watch/test_watch_hits.py:" in str(log)
    assert "1 trace, 1 lowering, 1 compilation, 10 cached calls" in str(log)
    assert "105 cached calls" in str(log)


def test_a_miss_is_no_hit_and_neither_is_a_call_within_a_trace() -> None:
    inner = named("inner")
    outer = jax.jit(lambda x: inner(x) + inner(x) + inner(x * 2))
    with counted() as log:
        for size in (2, 3, 4):
            outer(jnp.ones(size))
            inner(jnp.ones(size))
        assert sum(hits(log).values()) == 0
        outer(jnp.ones(2))
    assert sum(hits(log).values()) == 1


def test_jnp_s_own_functions_are_apart() -> None:
    with counted() as log:
        for _ in range(3):
            jnp.sin(jnp.arange(4.0)).sum()
    assert log.functions == ()


def test_functions_of_one_code_count_together_and_none_is_held() -> None:
    x, fun = jnp.ones(3), named("again")
    with counted() as log:
        for _ in range(5):
            fun = named("again")
            fun(x)
            fun(x)
            fun(x)
        known = log._source._hits._by_function  # type: ignore[union-attr]
        alive = {id(fun), id(fun.__wrapped__)}
        assert known.keys() <= alive
    assert hits(log) == {"again": 10}


def test_methods_gradients_and_partials() -> None:
    class Model:
        @jax.jit
        def call(self: Any) -> Any:
            return self * 2

    derived = jax.jit(jax.grad(lambda x: x**2))
    with counted() as log:
        for _ in range(4):
            Model.call(jnp.ones(3))
            derived(1.0)
    assert sorted(hits(log).values()) == [3, 3]
    assert {function.traces for function in log.functions} == {1}


def test_threads_count_each_call() -> None:
    fun, x = named("shared"), jnp.ones(3)
    fun(x)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def work() -> None:
        for _ in range(2_000):
            fun(x)

    try:
        with counted() as log:
            run_while_read(log, work, threads=4)
    finally:
        sys.setswitchinterval(before)
    assert hits(log) == {"shared": 8_000}


def test_logs_within_logs_count_their_own() -> None:
    fun, x = named("fun"), jnp.ones(3)
    fun(x)
    session = Session()
    outer, plain, inner = Log(hits=True), Log(), Log(hits=True)
    for log in (outer, plain, inner):
        session.open(log)
        fun(x)
    for log in (outer, plain, inner):
        session.close(log)
        fun(x)
    assert hits(outer) == {"fun": 3}
    assert hits(inner) == {"fun": 3}
    assert plain.functions == ()


def test_slices_cover_the_time_from_the_start() -> None:
    fun, x = named("fun"), jnp.ones(3)
    fun(x)
    with counted() as log:
        for _ in range(50):
            fun(x)
        log.record()
        log._begun -= 100.0  # as if all that follows came 100 seconds later
        fun(x)
        record = log.record()
    (function,) = record.functions
    assert record.slice == pytest.approx(1.024)
    assert function.hits is not None
    assert function.hits[0] == 50
    assert function.hits[int(100 / record.slice) :] == [1]
    assert sum(function.hits) == 51


def nan() -> Any:
    return jax.jit(lambda x: x / x)


@pytest.mark.parametrize("local", [False, True])
def test_debug_nans_goes_on_under_ours(local: bool) -> None:
    """Ours calls the hook that was there, and puts it back."""
    if local:
        in_a_thread(lambda: jax.debug_nans(True)(debug_nans_before)())
        return
    jax.config.update("jax_debug_nans", True)
    try:
        in_a_thread(debug_nans_before)
    finally:
        jax.config.update("jax_debug_nans", False)


def debug_nans_before() -> None:
    fun = nan()
    earlier = [hook.get() for hook in _hooks.hooks()]
    fun(jnp.float32(1))
    with counted() as log:
        fun(jnp.float32(2))
        with pytest.raises(FloatingPointError):
            fun(jnp.float32(0))
    assert sum(hits(log).values()) == 2
    assert log.record().notes == []
    assert [hook.get() for hook in _hooks.hooks()] == earlier
    with pytest.raises(FloatingPointError):
        fun(jnp.float32(0))


def test_debug_nans_that_is_set_meanwhile_stays() -> None:
    in_a_thread(debug_nans_meanwhile)


def debug_nans_meanwhile() -> None:
    fun = nan()
    fun(jnp.float32(1))
    with counted() as log:
        fun(jnp.float32(1))
        jax.config.update("jax_debug_nans", True)
        with pytest.raises(FloatingPointError):
            fun(jnp.float32(0))
    assert sum(hits(log).values()) == 1
    assert log.record().notes == [sentence("hits lost")]
    with pytest.raises(FloatingPointError):
        fun(jnp.float32(0))
    jax.config.update("jax_debug_nans", False)
    assert jnp.isnan(fun(jnp.float32(0)))


def test_a_thread_whose_debug_nans_has_ended_is_counted() -> None:
    fun, x, found = named("fun"), jnp.ones(3), []
    fun(x)

    def work() -> None:
        with jax.debug_nans(True):
            fun(x)
        with counted() as log:
            fun(x)
        found.append((hits(log), log.record().notes))

    in_a_thread(work)
    assert found == [({"fun": 1}, [])]


def test_without_a_place_for_it_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_hooks, "hooks", list)
    with counted() as log:
        named("fun")(1.0)
    assert log.record().notes == [sentence("hits uncounted")]


@pytest.mark.parametrize(
    "name", ["function_of", "definition_of", "ref", "perf_counter", "CallCount"]
)
def test_a_fault_of_ours_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fun, x = named("fun"), jnp.arange(3.0)
    with counted():
        monkeypatch.setattr(module, name, broken)
        found = [fun(x).tolist() for _ in range(3)]
        monkeypatch.undo()
    assert found == [[0.0, 2.0, 4.0]] * 3


def test_caches_and_results_are_as_without() -> None:
    fun, x, traced = named("fun"), jnp.ones(3), []

    @jax.jit
    def body(x):
        traced.append(1)
        return x

    fun(x)
    size = fun._cache_size()
    with counted():
        assert fun(x) is not None
        body(x)
        body(x)
    body(x)
    assert (fun._cache_size(), traced) == (size, [1])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), max_size=40))
def test_random_calls_are_hits_or_traces(calls: list[tuple[int, int]]) -> None:
    functions = [named(f"f{i}") for i in range(3)]
    arrays = {size: jnp.ones(size) for size in (1, 2, 3)}
    with counted() as log:
        for number, size in calls:
            functions[number](arrays[size])
    found = {function.name: function for function in log.functions}
    for i in range(3):
        if (function := found.get(f"f{i}")) is not None:
            called = [size for number, size in calls if number == i]
            assert function.traces == len(set(called))
            assert sum(function.hits or []) == len(called) - len(set(called))
