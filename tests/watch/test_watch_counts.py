"""Counts of a log are exact, at any scale and from any thread, in limited memory."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from watched_events import change, event_of

import jaxviz
from jaxviz import schema
from jaxviz.capture.events import CallCount
from jaxviz.schema import Cause
from jaxviz.schema.signature import Op, Trace
from jaxviz.session import Log, counts, over_time
from jaxviz.session.over_time import MOST_SLICES, CountsOverTime
from jaxviz.session.session import Session

pytestmark = pytest.mark.usefixtures("session")


def told(causes: list[Cause]) -> dict[tuple[str, str], int]:
    """Numbers of retraces, by the kind and place of the only change."""
    return {(cause.reason[0].kind, cause.reason[0].where): cause.times for cause in causes}


def again(log: Log) -> int:
    return sum(f.retraces + f.relowerings + f.recompiles for f in log.functions)


def test_causes_of_a_flood_are_counted_exactly() -> None:
    """3,000 traces in a row; most of them are not listed."""
    fun = jax.jit(lambda x, n: x, static_argnums=1)
    values = [1.0, jnp.float32(1), jnp.ones(3)]
    with jaxviz.watch() as log:
        for n in range(1000):
            for value in values:
                fun.trace(value, n)
    record = log.record()
    assert len(record.events) == 1000
    assert record.omitted == 2000
    assert sum(cause.times for cause in record.causes) == log.retraces == 2999
    assert told(record.causes) == {
        ("static", "n"): 999,
        ("weak type", "x"): 1000,
        ("shape", "x"): 1000,
    }
    assert [event.number for event in record.events] == [*range(500), *range(2500, 3000)]
    assert "static n: 998 → 999" in str(log)
    assert "999 times" in str(log)


def test_events_that_are_not_kept_are_counted_by_cause() -> None:
    log = Log()
    kinds = ["shape", "dtype", "static"]
    for number in range(30_000):
        kind = kinds[number % 7 % 3]
        reason = [change(kind, "x", str(number))]
        event = event_of(f"f{number % 2}", number, again=True, reason=reason, seconds=0.001)
        log.add(event)
    expected = Counter((number % 2, kinds[number % 7 % 3]) for number in range(30_000))
    assert {(c.function, c.reason[0].kind): c.times for c in log.causes} == expected
    assert sum(c.seconds for c in log.causes) == pytest.approx(30)
    last = max(log.causes, key=lambda cause: cause.last)
    assert (last.last, last.reason[0].after) == (29_999, "29999")
    assert (len(log), log.omitted) == (10_000, 20_000)


def test_a_cause_has_the_time_of_what_followed() -> None:
    log = Log()
    why = {"again": True, "reason": [change("shape", "x")]}
    log.add(event_of("f", 0, seconds=1.0))
    log.add(event_of("f", 1, kind="compile", of=0, seconds=2.0))
    log.add(event_of("f", 2, seconds=4.0, **why))
    log.add(event_of("f", 3, kind="lower", of=2, seconds=8.0))
    log.add(event_of("f", 4, kind="compile", of=2, seconds=16.0))
    log.add(event_of("f", 5, kind="compile", of=2, seconds=32.0, **why))
    assert [(c.kind, c.times, c.seconds, c.first) for c in log.causes] == [
        ("compile", 1, 32.0, 5),
        ("trace", 1, 28.0, 2),
    ]


def test_too_many_causes_are_summed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "CAUSES_APART", 10)
    log = Log()
    for number in range(100):
        log.add(event_of("f", number, again=True, reason=[change("shape", f"x{number}")]))
    assert sum(cause.times for cause in log.causes) == 100
    assert [cause.times for cause in log.causes if not cause.reason] == [90]
    assert "f: for other reasons, 90 times" in str(log)


def test_a_record_of_many_functions_sums_up_the_rest() -> None:
    log = Log(hits=True)
    for number in range(700):
        why = {"again": True, "reason": [change("shape", "x")]}
        log.add(event_of(f"f{number}", number, seconds=float(number % 700), **why))
        log.add_hits(0.0, [CallCount(f"f{number}", None, 2)])
    record = log.record()
    assert len(record.functions) == 500
    assert record.functions[-1].name == "… 201 functions more"
    assert [function.name for function in record.functions[:2]] == ["f201", "f202"]
    for read in ("traces", "retraces", "seconds"):
        whole = sum(getattr(function, read) for function in log.functions)
        assert sum(getattr(function, read) for function in record.functions) == whole
    assert sum(sum(function.hits or []) for function in record.functions) == 1400
    assert len(record.causes) == 200
    assert {record.functions[cause.function].name for cause in record.causes} == {
        f"f{number}" for number in range(500, 700)
    }


def test_a_record_travels_as_json() -> None:
    with jaxviz.watch() as log:
        fun = jax.jit(lambda x: x * 2)
        fun(1.0)
        running = log.record()
        fun(jnp.ones(3))
    record = log.record()
    assert msgspec.json.decode(msgspec.json.encode(record), type=schema.Log) == record
    assert (running.running, record.running) == (True, False)
    assert 0 < running.making < running.seconds < record.seconds
    assert record.seconds == log.record().seconds
    assert record.start <= record.events[0].start
    assert record.events[-1].start + record.events[-1].seconds <= record.start + record.seconds
    assert (record.slice, record.error, record.notes) == (0.0, None, [])
    assert [function.hits for function in record.functions] == [None]


def test_a_log_that_has_ended_stays_as_it_is(session: Session) -> None:
    log = Log()
    session.open(log)
    session.close(log, "ValueError")
    log.close("KeyError")
    log.add(event_of("late", 1))
    record = log.record()
    assert (record.error, record.running, record.functions) == ("ValueError", False, [])


def test_it_is_reported_that_something_was_added(session: Session) -> None:
    threads: list[str] = []

    def hears() -> None:
        threads.append(threading.current_thread().name)
        raise RuntimeError("a fault")

    log = Log(on_change=hears)
    session.open(log)
    fun = jax.jit(lambda x: x * 2)
    fun(1.0)
    fun(jnp.ones(3))
    session.close(log)
    assert threads == ["MainThread"]
    assert len(log) == 6


INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=40)


@given(found=INTERVALS, ordered=st.booleans())
def test_time_is_the_union_of_intervals(found: list[tuple[int, int]], ordered: bool) -> None:
    intervals = [(start, start + length) for start, length in found]
    if ordered:
        intervals.sort(key=lambda interval: interval[1])
    union = over_time.UnionOfIntervals()
    for start, stop in intervals:
        union.add(start, stop)
    covered = {second for start, stop in intervals for second in range(start, stop)}
    assert union.length == len(covered)


def test_time_of_many_intervals_is_counted_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_time, "INTERVALS", 100)
    union = over_time.UnionOfIntervals()
    for number in range(10_000):
        union.add(number, number + 0.5)
    assert union.length == 5_000
    union.add(9_990, 10_000)
    assert union.length == 5_005


def test_threads_that_trace_at_the_same_time_count_once() -> None:
    log, now = Log(), time.time()
    log.add(event_of("f", 0, start=now + 1, seconds=2.0))
    log.add(event_of("g", 1, start=now + 2, seconds=3.0, thread="other"))
    log.add(Trace(kind="trace", start=now + 2.5, seconds=0.1, op=Op()))
    log.add(Trace(kind="trace", start=now + 7, seconds=0.5, op=Op()))
    log.add(event_of("before", 2, start=log.start - 5, seconds=5.25))
    assert log.making == pytest.approx(4 + 0.5 + 0.25)


@given(found=st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1e6)), max_size=50))
def test_slices_are_few_and_lose_nothing(found: list[tuple[int, float]]) -> None:
    slices = CountsOverTime()
    for number, at in found:
        slices.add(number, at, 1)
    rows = [slices.row(number) for number in range(4)]
    assert len({len(row) for row in rows}) == 1
    assert len(rows[0]) <= MOST_SLICES
    for number, row in enumerate(rows):
        assert Counter(int(at / slices.width) for n, at in found if n == number) == Counter(
            {index: times for index, times in enumerate(row) if times}
        )


def test_memory_is_bounded() -> None:
    """However many events there are: what is kept is full after the first 12,000."""
    log = Log(keep=True)

    def grow(numbers: range) -> int:
        for n in numbers:
            log.add(event_of("f", n, again=True, reason=[change("shape", "x")], start=float(n)))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    before, after = grow(range(12_000)), grow(range(12_000, 50_000))
    tracemalloc.stop()
    assert len(log) == 10_000
    assert after - before < 400_000


def test_random_threads_lose_no_event() -> None:
    log = Log()

    def adds(name: str) -> None:
        for number in range(2_000):
            log.add(event_of(name, number, again=True, reason=[change("shape", name)]))
            if number % 100 == 0:
                log.record()

    threads = [threading.Thread(target=adds, args=(f"f{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told(list(log.causes)) == {("shape", f"f{i}"): 2_000 for i in range(4)}
    assert again(log) == 8_000


def test_the_text_says_how_much_of_the_time_it_was() -> None:
    log: Any = Log()
    log.add(event_of("f", 0, start=log.start, seconds=0.25))
    log._begun -= 3.0
    log.close()
    assert str(log).startswith("1 trace, 0 retraces among them, 0 compilations: 250 ms of 3.0 s")
