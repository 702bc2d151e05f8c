"""Calls of jitted functions with effects that JAX's caches answered, if the user asks for them.

A call counts if it was neither traced, lowered nor compiled. JAX up to 0.6 does not tell of such
calls, and a sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counted_calls import TOLD, broken, counted, hits, hooks_in_place, run_while_read
from jax import experimental
from jax._src import util
from jax.experimental import io_callback

from jaxviz.capture import _hooks
from jaxviz.capture.events import hits as module
from jaxviz.schema import Sentence
from jaxviz.sentences import sentence
from jaxviz.session import Log


def printing(x):
    jax.debug.print("{}", x)
    return x * 2


def calling(x):
    jax.debug.callback(lambda _: None, x)
    return x * 2


def asking(x):
    return io_callback(lambda a: a, x, x)


def asking_in_order(x):
    return io_callback(lambda a: a, x, x, ordered=True)


def nesting(x):
    return jax.lax.cond(x[0] > 0, jax.jit(calling), lambda x: x, x)


def derived(x):
    return jax.grad(lambda x: calling(x).sum())(x)


EFFECTFUL = [printing, calling, asking, asking_in_order, nesting, derived]


def fresh(fun: Callable[..., Any]) -> Any:
    """Jitted, and known to none of JAX's caches."""

    def again(*args):
        return fun(*args)

    return jax.jit(again)


def again(log: Log) -> tuple[int, list[Sentence]]:
    """The hits of what was jitted `fresh`, and the notes."""
    return hits(log)["again"], said(log)


def said(log: Log) -> list[Sentence]:
    return log.record().notes


def expected(times: int) -> tuple[int, list[Sentence]]:
    return (times, []) if TOLD else (0, [sentence("effects")])


@pytest.mark.parametrize("fun", EFFECTFUL)
def test_each_call_but_the_first_is_a_hit(fun: Callable[..., Any]) -> None:
    jitted, x, before = fresh(fun), jnp.ones(3), hooks_in_place()
    with counted() as log:
        for _ in range(5):
            jitted(x)
        at_once = again(log)
    assert hooks_in_place() == before
    jitted(x)
    assert again(log) == at_once == expected(4)
    (function,) = [f for f in log.functions if f.name.endswith("again")]
    assert (function.traces, function.lowerings, function.compiles) == (1, 1, 1)


def test_effects_on_references() -> None:
    new_ref = getattr(jax, "new_ref", None) or getattr(experimental, "mutable_array")  # noqa: B009
    kept, x = new_ref(jnp.zeros(3)), jnp.ones(3)

    def adding(ref, x):
        ref[...] = ref[...] + x

    jitted = fresh(adding)
    with counted() as log:
        for _ in range(5):
            jitted(kept, x)
    assert again(log) == expected(4)
    assert kept[...].tolist() == [5.0] * 3


def test_what_is_traced_lowered_or_compiled_again_is_no_hit() -> None:
    jitted = fresh(printing)
    with counted() as log:
        for size in (2, 3, 4):
            jitted(jnp.ones(size))
        jitted(jax.device_put(jnp.ones(3), jax.devices()[0]))  # lowered again: it is committed
        jax.clear_caches()
        jitted(jnp.ones(3))
        assert sum(hits(log).values()) == 0
        jitted(jnp.ones(3))
    assert sum(hits(log).values()) == TOLD


def test_a_call_after_lower_compiles_and_is_no_hit() -> None:
    jitted, x = fresh(printing), jnp.ones(3)
    with counted() as log:
        compiled = jitted.lower(x).compile()
        compiled(x)
        compiled(x)
        assert sum(hits(log).values()) == 0
        jitted.lower(jnp.ones(4))
        jitted(jnp.ones(4))
        assert sum(hits(log).values()) == 0


def test_a_call_within_a_trace_or_a_transformation_is_no_hit() -> None:
    jitted, x = fresh(calling), jnp.ones(3)
    jitted(x)
    with counted() as log:
        for _ in range(3):
            jax.make_jaxpr(jitted)(x)
            jax.vmap(jitted)(x)
            jax.grad(lambda x: jitted(x).sum())(x)
    assert sum(hits(log).values()) == 0


def test_a_call_that_fails_is_known_from_the_second_on() -> None:
    def fail(_: Any) -> Any:
        raise ValueError("the user's own")

    jitted = fresh(lambda x: io_callback(fail, x, x, ordered=True))
    with counted() as log:
        for _ in range(3):
            with pytest.raises(Exception, match="the user's own"):
                jax.block_until_ready(jitted(jnp.ones(3)))
    assert sum(hits(log).values()) == (2 if TOLD else 0)


def test_a_lowering_that_fails_is_no_hit() -> None:
    from jax.extend.core import Primitive

    unknown = Primitive("unknown_to_every_platform")
    unknown.def_abstract_eval(lambda x: x)
    jitted = fresh(unknown.bind)
    with counted() as log:
        for _ in range(3):
            with pytest.raises(NotImplementedError):
                jitted(jnp.ones(3))
    assert sum(hits(log).values()) == 0


@pytest.mark.skipif(not TOLD, reason="up to 0.6 JAX does not tell of such calls")
def test_a_jit_called_in_a_callback_is_counted_as_its_own() -> None:
    inner, x = fresh(printing), jnp.ones(3)
    inner(x)

    def lower(_: Any) -> None:
        jax.jit(lambda x: x + 1).lower(jnp.ones(7))

    def outer(x):
        jax.debug.callback(lower, x)
        return x * 3

    jitted = jax.jit(outer)
    with counted() as log:
        for _ in range(4):
            jitted(x)
            jax.effects_barrier()
            inner(x)
    found = hits(log)
    assert (found["outer"], found["again"]) == (3, 4)


def test_threads_count_each_call() -> None:
    jitted, x = fresh(calling), jnp.ones(3)
    jitted(x)

    def work() -> None:
        for _ in range(200):
            jitted(x)

    with counted() as log:
        run_while_read(log, work, threads=3)
    assert sum(hits(log).values()) == (600 if TOLD else 0)


@pytest.mark.skipif(not TOLD, reason="up to 0.6 JAX does not tell of such calls")
def test_hits_of_what_was_traced_before_are_of_the_time_at_which_they_came() -> None:
    jitted, x = fresh(calling), jnp.ones(3)
    jitted(x)
    with counted() as log:
        for _ in range(5):
            jitted(x)
        log.record()
        log._begun -= 100.0  # as if all that follows came 100 seconds later
        jitted(x)
        record = log.record()
    (function,) = record.functions
    assert function.hits is not None
    assert sum(function.hits) == 6
    assert function.hits[int(100 / record.slice) :] == [1]


@pytest.mark.skipif(not TOLD, reason="up to 0.6 JAX has no such place")
def test_who_listened_before_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(util, "test_event_listener", lambda name, *_: told.append(name))
    jitted, x = fresh(printing), jnp.ones(3)
    before = hooks_in_place()
    with counted() as log:
        jitted(x)
        jitted(x)
    assert hooks_in_place() == before
    assert told.count(_hooks.SLOW) == 2
    assert sum(hits(log).values()) == 1


@pytest.mark.skipif(not TOLD, reason="up to 0.6 JAX has no such place")
def test_who_listens_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "test_event_listener", None)
    with counted() as log:
        util.test_event_listener = broken_listener = lambda *_: None
    assert util.test_event_listener is broken_listener
    assert said(log) == [sentence("hits lost")]


def test_without_a_place_for_it_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_hooks, "event_hook", lambda: None)
    jitted, x = fresh(printing), jnp.ones(3)
    with counted() as log:
        jitted(x)
        jitted(x)
    assert again(log) == (0, [sentence("effects")])
    assert " ".join(str(log).split()).endswith(str(sentence("effects")))
    with counted() as log:
        jax.jit(lambda x: x * 2)(x)
    assert said(log) == []


@pytest.mark.parametrize("name", ["function_of", "perf_counter", "CallCount", "_hooks"])
def test_a_fault_of_ours_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    jitted, x = fresh(calling), jnp.arange(3.0)
    owner, attribute = (_hooks, "slow_call") if name == "_hooks" else (module, name)
    with counted():
        monkeypatch.setattr(owner, attribute, broken)
        found = [jitted(x).tolist() for _ in range(3)]
        monkeypatch.undo()
    assert found == [[0.0, 2.0, 4.0]] * 3


def test_a_user_s_traceback_is_as_without() -> None:
    """An exception of a call passes through no frame of jaxviz."""

    def fail(x):
        jax.debug.print("{}", x)
        raise LookupError("the user's own")

    with counted(), pytest.raises(LookupError) as found:
        jax.jit(fail)(1.0)
    assert not [entry for entry in found.traceback if "jaxviz/capture" in str(entry.path)]


def test_a_call_without_effects_that_only_the_other_caches_knew_is_a_hit() -> None:
    """The C++ cache tells a NumPy array from one of JAX; what is run is the same."""
    jitted, x = fresh(lambda x: x * 2), jnp.ones(3)
    with counted() as log:
        jitted(x)
        jitted(np.ones(3, np.float32))
        jitted(np.ones(3, np.float32))
        jitted(x)
    assert hits(log) == {"again": 3 if TOLD else 2}
