"""`jaxviz.watch()`: what its log holds, and that it changes nothing in the user's calls."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.session import Log
from jaxviz.session.session import Session

pytestmark = pytest.mark.usefixtures("session")


def double() -> Callable[..., Any]:
    return jax.jit(lambda x: x * 2)


def test_a_log_reports_what_changed() -> None:
    @jax.jit
    def step(x):
        return x * 2

    with jaxviz.watch() as log:
        for batch in (8, 8, 5):
            step(jnp.ones((batch, 32)))
    assert [(event.kind, event.again) for event in log.events] == [
        *(("trace", False), ("lower", False), ("compile", False)),
        *(("trace", True), ("lower", False), ("compile", False)),
    ]
    text = str(log)
    assert "step: x: f32[8→5, 32] at tests/watch/test_watch.py:" in text
    assert "if this is a smaller last batch, pad it" in text


def test_an_event_says_where_and_how_long_and_how_much() -> None:
    @jax.jit
    def scaled(x):
        return jax.lax.scan(lambda carry, _: (carry * 2, None), x, length=3)[0]

    with jaxviz.watch() as log:
        scaled(jnp.ones(3))
    trace, lower, compiled = log.events
    assert (trace.name, trace.kind, trace.depth) == ("scaled", "trace", 0)
    assert trace.definition is not None
    assert trace.definition.code == "@jax.jit"
    assert trace.site is not None
    assert trace.site.code == "scaled(jnp.ones(3))"
    assert trace.eqns == 2
    assert all(event.seconds > 0 for event in log.events)
    assert trace.start < lower.start < compiled.start
    assert trace.thread == threading.current_thread().name


def test_functions_count_what_was_made_again() -> None:
    @jax.jit
    def step(x):
        return x * 2

    with jaxviz.watch() as log:
        for size in (3, 4, 3, 5):
            step(jnp.ones(size))
        step(jax.device_put(jnp.ones(5), jax.devices()[0]))
    (function,) = log.functions
    assert (function.traces, function.retraces) == (3, 2)
    assert (function.lowerings, function.relowerings) == (4, 1)
    assert (function.compiles, function.recompiles) == (4, 1)
    assert function.seconds == pytest.approx(sum(event.seconds for event in log.events))
    assert [change.kind for change in function.reason] == ["committed"]


def test_a_trace_is_shown_without_tracing_again(session: Session) -> None:
    traced: list[str] = []

    @jax.jit
    def step(params, x):
        traced.append("step")
        return jnp.sin(params["w"] @ x) + table

    table = jnp.arange(8.0)
    params = {"w": jnp.ones((8, 4))}
    with jaxviz.watch() as log:
        step(params, jnp.ones(4))
        program = session.program(log.events[0])
        compiled = session.program(log.events[2])
    assert program is not None
    assert program == compiled
    assert traced == ["step"]
    captured = jaxviz.inspect(step)(params, jnp.ones(4)).record
    assert (program.args, program.results) == (captured.args, captured.results)
    assert program.stages[0].text == captured.stages[0].text
    assert len(log) == 3


def test_a_program_that_jax_forgot_is_not_shown(session: Session) -> None:
    fun = double()
    with jaxviz.watch() as log:
        fun(jnp.ones(3))
    del fun
    jax.clear_caches()
    gc.collect()
    assert session.program(log.events[0]) is None


def test_records_are_plain() -> None:
    fun = double()
    with jaxviz.watch() as log:
        fun(1.0)
        fun(jnp.float32(1))
    rows = log.records()
    assert len(rows) == 6
    assert {type(value) for row in rows for value in row.values()} <= {
        *(int, float, str, bool, type(None)),
    }
    retrace = rows[3]
    assert (retrace["kind"], retrace["change"], retrace["where"]) == ("trace", "weak type", "x")
    assert retrace["hint"] == "pass jnp.float32(…) for x every time, not a Python number"


def test_jax_s_own_functions_are_counted_apart() -> None:
    jax.clear_caches()
    with jaxviz.watch() as log:
        jnp.linspace(0, 1, 17).sum()
    assert log.events == ()
    assert log.apart.compiles > 0
    assert {op.name for op in log.ops} == {"jnp.linspace", "jnp.sum"}
    assert str(log).startswith("No function of yours was traced or compiled anew.")


def test_nothing_happened() -> None:
    with jaxviz.watch() as log:
        pass
    assert str(log) == "Nothing new was traced or compiled."


def test_a_later_log_knows_what_an_earlier_one_saw() -> None:
    fun = double()
    with jaxviz.watch() as outer:
        with jaxviz.watch() as first:
            fun(jnp.ones(3))
        fun(jnp.ones(4))
    with jaxviz.watch() as second:
        fun(jnp.ones(5))
    assert (len(outer), len(first), len(second)) == (6, 3, 3)
    assert [change.kind for change in second.events[0].reason] == ["shape"]


def test_a_function_made_again_is_compared_with_the_call_that_was_alike() -> None:
    with jaxviz.watch() as log:
        for _ in range(2):
            fun = double()
            fun(jnp.ones(8))
            fun(jnp.ones(5))
    reasons = [[change.kind for change in one.reason] for one in log.events if one.kind == "trace"]
    assert reasons == [["first"], ["shape"], ["function"], ["shape"]]


def test_nothing_is_heard_before_and_after() -> None:
    fun = double()
    fun(jnp.ones(3))
    with jaxviz.watch() as log:
        fun(jnp.ones(3))
    fun(jnp.ones(4))
    assert log.events == ()


def test_listeners_are_taken_back() -> None:
    before = [len(listeners) for listeners in _listeners()]
    with jaxviz.watch(), jaxviz.watch():
        assert [len(listeners) for listeners in _listeners()] == [n + 1 for n in before]
    assert [len(listeners) for listeners in _listeners()] == before


def _listeners() -> list[Any]:
    from jax._src import monitoring

    return [
        monitoring.get_event_duration_listeners(),
        monitoring.get_event_listeners(),
        monitoring.get_scalar_listeners(),
    ]


def test_retraces_beyond_the_limit_raise_at_the_end() -> None:
    fun, results = double(), []
    said = pytest.raises(jaxviz.RetraceError, match=r"1 retrace, and max_retraces is 0")
    with said as error, jaxviz.watch(max_retraces=0):
        results += [fun(jnp.ones(3)), fun(jnp.ones(4))]
    assert len(results) == 2
    assert "f32[3→4]" in str(error.value)
    with jaxviz.watch(max_retraces=1):
        fun(jnp.ones(5))


def test_the_user_s_exception_goes_before_the_limit() -> None:
    fun = double()

    def fails() -> None:
        fun(jnp.ones(3))
        fun(jnp.ones(4))
        raise KeyError

    with pytest.raises(KeyError), jaxviz.watch(max_retraces=0):
        fails()


@pytest.mark.parametrize("limit", [-1, "no", 0.5, True])
def test_a_limit_is_a_number(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_retraces"), jaxviz.watch(max_retraces=limit):
        pass


def test_threads_have_their_own_stacks() -> None:
    log, ran, names = watched_threads()
    counts = {function.name.rpartition(".")[2]: function for function in log.functions}
    assert counts["outer"].traces == counts["outer"].compiles == 16
    assert counts["inner"].traces == ran.count("inner") == 16
    assert {event.thread for event in log.events} == names
    numbers = [event.number for event in log.events]
    assert numbers == sorted(numbers)


def test_threads_report_a_trace_once() -> None:
    """However the threads take turns, and wherever one of them is while another looks."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(15):
            log, ran, _ = watched_threads()
            told = [event.name.rpartition(".")[2] for event in log.events if event.kind == "trace"]
            assert sorted(told) == sorted(ran)
            assert "cleared" not in {why.kind for event in log.events for why in event.reason}
    finally:
        sys.setswitchinterval(before)


def watched_threads() -> tuple[Log, list[str], set[str]]:
    """The log of four threads that begin at once and trace four shapes each, the bodies that ran,
    and the threads' names."""
    ran: list[str] = []
    barrier = threading.Barrier(4)

    @jax.jit
    def inner(x):
        ran.append("inner")
        return jnp.sin(x) * 2

    @jax.jit
    def outer(x):
        ran.append("outer")
        return inner(x) + 1

    def work(size: int) -> None:
        barrier.wait()
        for extra in range(4):
            outer(jnp.ones((size, extra + 1)))

    threads = [threading.Thread(target=work, args=(size,)) for size in range(2, 6)]
    with jaxviz.watch() as log:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return log, ran, {thread.name for thread in threads}


def test_an_event_says_from_which_trace_it_differs() -> None:
    step = jax.jit(lambda x, y: x + y)
    with jaxviz.watch() as log:
        step(jnp.ones(3), jnp.ones(3))
        step(jnp.ones(7), jnp.ones(7))
        step(jnp.ones(3), jnp.ones((1, 3)))
        jax.clear_caches()
        step(jnp.ones(7), jnp.ones(7))
    first, second, third, fourth = [event for event in log.events if event.kind == "trace"]
    assert [event.against for event in (first, second)] == [None, first.number]
    assert (third.against, [change.where for change in third.reason]) == (first.number, ["y"])
    assert (fourth.against, fourth.reason[0].kind) == (second.number, "cleared")
