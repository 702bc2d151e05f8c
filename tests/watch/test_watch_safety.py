"""While `jaxviz.watch()` lasts, the user's calls are as without it, even if it fails."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.analysis.retraces import history
from jaxviz.capture import _events, _traces
from jaxviz.capture.events import describe, functions, nested, programs, reader
from jaxviz.session import counts
from jaxviz.session import log as log_module

pytestmark = pytest.mark.usefixtures("session")


def double() -> Callable[..., Any]:
    return jax.jit(lambda x: x * 2)


def test_an_interrupt_passes_and_is_reported() -> None:
    def raised(x):
        raise KeyboardInterrupt

    with jaxviz.watch() as log, pytest.raises(KeyboardInterrupt):
        jax.jit(raised)(1.0)
    fun = double()
    with jaxviz.watch() as after:
        fun(jnp.ones(3))
    assert [event.error for event in log.events] == ["KeyboardInterrupt"]
    assert [event.depth for event in after.events] == [0, 0, 0]


def test_nothing_of_the_user_s_is_held() -> None:
    class Tree:
        pass

    static = Tree()
    array = jnp.ones(1234)
    fun: Any = jax.jit(lambda x, tree: x * 2, static_argnums=1)
    with jaxviz.watch() as log:
        fun(array, static)
        fun(array[:5], static)
    held = [weakref.ref(thing) for thing in (array, static, fun.__wrapped__)]
    del array, static, fun
    jax.clear_caches()
    gc.collect()
    assert [reference() for reference in held] == [None] * 3
    assert len(log) == 6


def test_values_of_arrays_are_in_no_text() -> None:
    class Holder:
        def __init__(self, secret: Any) -> None:
            self.secret = secret

        def __repr__(self) -> str:
            return f"Holder({self.secret})"

    fun = jax.jit(lambda x, holder: x, static_argnums=1)
    with jaxviz.watch() as log:
        fun(1.0, Holder(jnp.array([7777.0])))
        fun(1.0, Holder(jnp.array([8888.0])))
    assert "[7777" not in str(log.records())
    assert "[8888" not in str(log.records())


HOSTILE = "<img src=x>\x1b[31m\u202e\n'\"`${}]]>" + "x" * 2000


def test_hostile_names_are_cut_and_tamed() -> None:
    def fun(tree, static):
        return tree[HOSTILE]

    fun.__name__ = fun.__qualname__ = HOSTILE
    fun = jax.jit(fun, static_argnums=1)
    with jaxviz.watch() as log:
        fun({HOSTILE: jnp.ones(3)}, HOSTILE + "1")
        fun({HOSTILE: jnp.ones(4)}, HOSTILE + "2")
    text = str(log)
    assert all(len(line) <= 210 for line in text.splitlines()), "a name has at most 200 characters"
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert all(len(change.where) <= 300 for event in log.events for change in event.reason)


def broken(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("a fault")


FAULTS = [
    *((_events, name) for name in ("call_of", "ended_trace", "lowering_of", "module_of")),
    *((_events, name) for name in ("failure_of", "failed_at", "lookups", "role_of")),
    *((_traces, name) for name in ("misses", "trace_keys", "body_of", "cached_trace_count")),
    *((_events, name) for name in ("source_of", "names_of")),
    *((reader, name) for name in ("signature_of", "site_of", "definition_of")),
    *((reader, name) for name in ("placements_of", "census", "is_jaxviz", "is_jax", "options_of")),
    *((programs, name) for name in ("traced_function", "function_named")),
    *((nested, name) for name in ("signature_of", "definition_of", "function_named")),
    *((describe, "_leaf"), (describe, "named_static"), (functions, "transforms")),
    *((history, "changes"), (history, "hint"), (counts, "_counted")),
]


def used(ran: list[str]) -> list[Any]:
    """Results and errors of a function that is called, transformed, and that fails."""

    def fun(x):
        ran.append(str(x.shape))
        if x.shape == (4,):
            raise LookupError("the user's own")
        return (x * 2).sum()

    fun = jax.jit(fun)
    results: list[Any] = [float(fun(jnp.ones(3))), jax.grad(fun)(jnp.ones(5)).tolist()]
    with pytest.raises(LookupError, match="own"):
        fun(jnp.ones(4))
    results += [float(fun(jnp.ones(3))), float(fun(1.5))]
    cached = fun._cache_size()  # pyright: ignore[reportAttributeAccessIssue]
    return [*results, cached, len(ran), dict(jax.config.values)]


DESCRIBING = [
    *((reader, name) for name in ("signature_of", "site_of", "definition_of")),
    *((describe, name) for name in ("_leaf", "named_static", "_config")),
    (history, "changes"),
]


@pytest.mark.parametrize(("module", "name"), DESCRIBING)
def test_what_cannot_be_described_is_counted(
    module: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fun = double()
    monkeypatch.setattr(module, name, broken)
    with jaxviz.watch() as log:
        fun([jnp.ones(3)])
        fun([jnp.ones(4)])
    assert [event.kind for event in log.events] == ["trace", "lower", "compile"] * 2
    assert log.events[3].again
    assert {change.kind for change in log.events[3].reason} <= {"unknown", "shape"}


@pytest.mark.parametrize(("module", "name"), FAULTS)
def test_a_fault_of_ours_changes_nothing(
    module: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = used([])
    monkeypatch.setattr(module, name, broken)
    with jaxviz.watch():
        watched = used([])
    assert watched == alone


def test_a_repr_that_fails_costs_its_text_alone() -> None:
    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError

    fun = jax.jit(lambda x, rude: x, static_argnums=1)
    with jaxviz.watch() as log:
        fun(1.0, Rude())
        fun(1.0, Rude())
    assert [change.kind for change in log.events[3].reason] == ["static"]


def test_what_a_repr_computes_is_no_event() -> None:
    """Describing an argument may itself call JAX."""

    class Busy:
        def __repr__(self) -> str:
            return str(jax.jit(lambda x: x + 1)(jnp.ones(3)).shape)

    fun = jax.jit(lambda x, busy: x, static_argnums=1)
    with jaxviz.watch() as log:
        fun(1.0, Busy())
    assert [event.kind for event in log.events] == ["trace", "lower", "compile"]


def test_stages_that_jaxviz_makes_are_no_events() -> None:
    def fun(x):
        return x * 2

    with jaxviz.watch() as log:
        program = jaxviz.inspect(fun)(jnp.ones(3))
        assert program.stage("hlo").error is None
    assert log.events == ()


def test_a_flood_is_counted_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "EVENTS_STORED", 100)
    fun = jax.jit(lambda x, n: x, static_argnums=1)
    tracemalloc.start()
    with jaxviz.watch() as log:
        for n in range(400):
            fun.trace(1.0, n)
        gc.collect()
        before = tracemalloc.take_snapshot()
        for n in range(400, 800):
            fun.trace(1.0, n)
        gc.collect()
        after = tracemalloc.take_snapshot()
        tracemalloc.stop()
    (function,) = log.functions
    assert (function.traces, function.retraces) == (800, 799)
    assert (len(log), log.omitted) == (100, 700)
    assert len(str(log).splitlines()) <= 40
    ours = tracemalloc.Filter(True, f"{Path(jaxviz.__file__).parent}/*")
    grown = after.filter_traces([ours]).compare_to(before.filter_traces([ours]), "filename")
    assert sum(entry.size_diff for entry in grown) < 1_600_000
