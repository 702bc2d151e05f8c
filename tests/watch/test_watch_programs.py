"""Programs of a log are shown without tracing again, even if JAX has forgotten them."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from watched_events import event_of

import jaxviz
from jaxviz.schema import Event, Program
from jaxviz.sentences import sentence
from jaxviz.session import Log, program_store
from jaxviz.session import log as log_module
from jaxviz.session.session import Session


def forget() -> None:
    jax.clear_caches()
    gc.collect()


def traces(log: Log) -> list[Event]:
    return [event for event in log.events if event.kind == "trace"]


def test_a_program_outlives_its_function() -> None:
    session, log = Session(), Log(keep=True)
    session.open(log)
    fun = jax.jit(lambda x: jnp.sin(x) * 2)
    fun(jnp.ones(3))
    log.settle()
    session.close(log)
    live = [session.program(event) for event in log.events]
    del fun
    forget()
    kept = [log.program(event.number) for event in log.events]
    assert kept == live
    assert kept[0] is not None
    assert "sin" in kept[0].stages[0].text
    assert session.program(log.events[0]) is None


def test_what_a_log_keeps_the_log_beside_it_keeps_too_and_nothing_of_the_user() -> None:
    session, beside = Session(), Log(keep=True)
    session.accompany(beside, lambda: None)

    def cell() -> list[weakref.ref[Any]]:
        session.open(log := Log(keep=True))
        array = jnp.arange(3.0)
        fun = jax.jit(lambda x: jnp.cos(x) + array)
        fun(array)
        log.settle()
        session.close(log)
        return [weakref.ref(array), weakref.ref(fun)]

    users = [*cell(), *cell()]
    forget()
    assert [ref() for ref in users] == [None] * 4
    kept = [beside.program(event.number) for event in traces(beside)]
    assert ["cos" in program.stages[0].text for program in kept if program] == [True, True]

    session.accompany(anew := Log(keep=True), lambda: None)
    assert [anew.program(event.number) for event in traces(beside)] == [None, None]


def test_without_keep_a_program_lives_as_long_as_jax_holds_it() -> None:
    with jaxviz.watch() as log:
        fun = jax.jit(lambda x: x * 2)
        fun(jnp.ones(3))
        log.settle()
    assert log.program(log.events[0].number) is not None
    del fun
    forget()
    assert log.program(log.events[0].number) is None
    assert log.program(-1) is None


def test_lambdas_of_a_loop_are_kept_by_a_thread() -> None:
    """Whenever something was added, as the magics do it."""
    added = threading.Event()
    session, log = Session(), Log(keep=True, on_change=added.set)

    def settles() -> None:
        while log.running:
            added.wait(1)
            added.clear()
            log.settle()

    thread = threading.Thread(target=settles)
    session.open(log)
    thread.start()
    for _ in range(8):
        jax.jit(lambda x: jnp.sin(x) * 2)(jnp.ones(8))
    session.close(log)
    added.set()
    thread.join()
    forget()
    found = [log.program(event.number) for event in traces(log)]
    assert len(found) == 8
    assert sum(program is not None for program in found) >= 3


def test_a_program_made_by_grad_is_shown() -> None:
    fun = jax.jit(lambda x: jnp.sin(x).sum())
    with jaxviz.watch() as log:
        fun(jnp.ones(3))
        jax.grad(fun)(jnp.ones(3))
        derived = [event for event in log.events if event.kind != "trace" and event.of is None]
        programs = [log.program(event.number) for event in derived]
    assert derived
    assert all(program is not None for program in programs)


def test_a_log_with_programs_holds_nothing_of_the_user_s() -> None:
    class Tree:
        pass

    static, array = Tree(), jnp.ones(1234)
    session, log = Session(), Log(keep=True)
    session.open(log)
    fun: Any = jax.jit(lambda x, tree: x * 2, static_argnums=1)
    fun(array[:5], static)
    log.settle()
    session.close(log)
    held = [weakref.ref(thing) for thing in (array, static, fun.__wrapped__)]
    del array, static, fun
    forget()
    assert [reference() for reference in held] == [None] * 3
    assert log.program(traces(log)[0].number) is not None


def test_a_thread_that_makes_programs_changes_nothing_in_this_one() -> None:
    """Neither what JAX and NumPy print, nor what is traced, nor any setting."""

    def works() -> list[Any]:
        found: list[Any] = []
        for size in range(2, 40):
            fun = jax.jit(lambda x: jax.lax.scan(lambda c, y: (c * y, jnp.sin(c)), x[0], x))
            traced = fun.trace(jnp.ones(size))
            found += [str(traced.jaxpr), str(np.arange(3.0)), str(jnp.arange(3.0))]
            found += [traced.lower().as_text(), np.get_printoptions()]
        return [*found, dict(jax.config.values)]

    alone = works()
    session, log, made = Session(), Log(keep=True), list[bool]()

    def makes() -> None:
        while log.running:
            made.extend(session.program(event) is not None for event in log.events[-3:])

    session.open(log)
    thread = threading.Thread(target=makes)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        thread.start()
        beside = works()
    finally:
        sys.setswitchinterval(before)
        session.close(log)
        thread.join()
    assert beside == alone
    assert sum(made) > 10


def test_where_numpy_prints_one_way_for_all_threads_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_module, "PRINTING_IS_PER_THREAD", False)
    session, log = Session(), Log(keep=True)
    session.open(log)
    fun = jax.jit(lambda x: x * 2)
    fun(jnp.ones(3))
    log.settle()
    session.close(log)
    assert log.program(traces(log)[0].number) is not None
    del fun
    forget()
    assert log.program(traces(log)[0].number) is None
    assert log.record().notes == [sentence("programs not retained")]


@pytest.fixture(scope="module")
def program() -> Program:
    return jaxviz.inspect(lambda x: x * 2)(1.0).record


def unheard(event: Event, packed: bytes) -> None:
    pass


def kept_of(
    events: list[Event], program: Program, calls: int = 100, every: int = 10
) -> tuple[program_store.ProgramStore, list[int]]:
    """Programs that are kept if `settle` is called after every few events, and often at the end."""
    kept = program_store.ProgramStore()
    for i, event in enumerate(events):
        kept.queue(event)
        if i % every == 0:
            kept.settle(lambda _: program, unheard, last=True)
    for _ in range(calls):
        kept.settle(lambda _: program, unheard, last=True)
    return kept, [event.number for event in events if kept.get(event.number) is not None]


def test_of_each_function_the_first_and_the_latest_are_kept(program: Program) -> None:
    events = [event_of("often", number) for number in range(500)]
    events.insert(100, event_of("rare", 1000))
    events.insert(200, event_of("twice", 1001))
    events.append(event_of("twice", 1002))
    _, numbers = kept_of(events, program)
    assert len(numbers) == program_store.MOST_PROGRAMS
    assert {0, 497, 498, 499, 1000, 1001, 1002} <= set(numbers)


def test_more_functions_than_there_is_room_for(program: Program) -> None:
    events = [event_of(f"f{number}", number) for number in range(200)]
    _, numbers = kept_of(events, program)
    assert numbers == list(range(program_store.MOST_PROGRAMS))


def test_room_is_counted_in_bytes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_store, "MOST_BYTES", 10_000)
    _, numbers = kept_of([event_of("f", number) for number in range(100)], program)
    assert 0 < len(numbers) < 20
    assert {0, 99} <= set(numbers)


def test_a_large_program_is_not_kept(program: Program) -> None:
    events = [event_of(f"f{i}", i, eqns=program_store.MOST_EQNS + i) for i in range(2)]
    assert kept_of(events, program)[1] == [0]


def test_a_call_works_for_a_little_while(program: Program) -> None:
    """And all calls together for a small share of the time."""
    made: list[int] = []
    spent = 0.0

    def slow(event: Event) -> Program:
        nonlocal spent
        start = time.thread_time()
        while time.thread_time() < start + 0.011:
            pass
        spent += time.thread_time() - start
        made.append(event.number)
        return program

    kept = program_store.ProgramStore()
    for number in range(100):
        kept.queue(event_of(f"f{number}", number))
    kept.settle(slow, unheard, last=False)
    assert 1 <= len(made) <= 3
    for _ in range(100):
        kept.settle(slow, unheard, last=False)
    assert (
        spent
        < program_store.SECONDS_AT_FIRST
        + 2 * program_store.SECONDS_A_CALL
        + program_store.SHARE_OF_TIME * 10
    )
    assert len(made) < 100


def test_what_cannot_be_made_is_not_kept() -> None:
    def broken(_: Any) -> Program:
        raise RuntimeError("a fault")

    kept = program_store.ProgramStore()
    kept.queue(event_of("f", 0))
    kept.settle(broken, unheard, last=True)
    assert kept.get(0) is None


def test_a_program_is_unchanged_by_keeping(program: Program) -> None:
    kept, _ = kept_of([event_of("f", 7)], program)
    assert kept.get(7) == program
