"""The calls in the table of a function's programs: each a hit or a miss, as JAX's caches had it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counted_calls import TOLD
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jaxviz
from jaxviz.schema import CacheTable, Words

pytestmark = pytest.mark.usefixtures("session")


@jax.jit
def double(x: Any) -> Any:
    return x * 2


@partial(jax.jit, static_argnames="mode")
def step(x: Any, mode: Any = 0) -> Any:
    return x * 2


def cells(table: CacheTable) -> list[list[Words]]:
    return [row.cells for row in table.rows]


@dataclass
class Calls:
    """Calls of one function that note how often its body ran, and which call made each program."""

    made: dict[Any, int] = field(default_factory=dict)
    expected: list[tuple[int, bool]] = field(default_factory=list)
    traced: int = 0

    def __post_init__(self) -> None:
        def fun(x: Any, mode: Any) -> Any:
            self.traced += 1
            return jax.tree.map(lambda leaf: leaf * 2, x)

        self.jitted = jax.jit(fun, static_argnames="mode")

    def run(self, kind: str, size: int, mode: Any) -> None:
        arguments: dict[str, Any] = {
            "array": jnp.ones(size),
            "other array": jnp.zeros(size) + 1,
            "integers": jnp.ones(size, int),
            "pair": (jnp.ones(size), 1.0),
            "number": float(size),
        }
        before, key = self.traced, (kind.removeprefix("other "), kind != "number" and size, mode)
        self.jitted(arguments[kind], mode)
        hit = self.traced == before
        assert hit == (key in self.made)
        self.expected.append((self.made.setdefault(key, len(self.made)), hit))


KINDS = st.sampled_from(["array", "other array", "integers", "pair", "number"])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.tuples(KINDS, st.sampled_from([2, 3]), st.sampled_from("ab"))))
def test_each_call_is_a_hit_or_a_miss_of_the_program_that_it_found(calls: list[Any]) -> None:
    functions = Calls()
    with jaxviz.watch(hits=True) as log:
        functions.run("array", 5, "a")
        for call in calls:
            functions.run(*call)
    table = log.cache("fun").table
    told = [(call.row, call.end == "hit") for call in table.calls for _ in range(call.times)]
    assert told == functions.expected
    assert table.hits == sum(hit for _, hit in functions.expected)


def test_calls_have_their_lines() -> None:
    with jaxviz.watch(hits=True) as log:
        step(jnp.ones(20))
        for _ in range(3):
            step(jnp.ones(20))
    calls = log.cache("step").table.calls
    assert [(call.end, call.times) for call in calls] == [("miss", 1), ("hit", 3)]
    lines = [call.site.line for call in calls if call.site]
    assert lines[1] - lines[0] == 2
    assert "hit   3 times" in str(log.cache("step"))


def test_a_call_of_a_program_that_is_older_than_the_log_is_a_hit() -> None:
    step(jnp.ones(21))
    with jaxviz.watch(hits=True) as log:
        step(jnp.ones(21))
        step(jnp.ones(22))
    table = log.cache("step").table
    assert [(call.row, call.end) for call in table.calls] == [(0, "hit"), (1, "miss")]
    assert table.rows[0].number is None
    assert cells(table) == [["[21]"], ["[22]"]]


@pytest.mark.skipif(not TOLD, reason="JAX tells of such calls from 0.7 on")
def test_a_hit_says_which_type_an_array_was_taken_as() -> None:
    with jaxviz.watch(hits=True) as log:
        double(jnp.ones(23))
        double(np.ones(23))
    calls = log.cache("double").table.calls
    assert [(call.end, call.narrowed) for call in calls] == [
        ("miss", ""),
        ("hit", "x: float64 taken as float32"),
    ]


def test_calls_beyond_those_that_are_described_are_counted() -> None:
    x = jnp.ones(25)
    with jaxviz.watch(hits=True) as log:
        for _ in range(3_001):
            double(x)
    table = log.cache("double").table
    assert table.hits == 3_000
    told = sum(call.times for call in table.calls if call.end == "hit")
    assert 0 < told < 1_000
    assert f"Cached calls that are not listed: {3_000 - told:,}." in str(log.cache("double"))


def test_calls_are_not_reported_as_hits_or_misses_where_they_were_not_counted() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(24))
        double(jnp.ones(24))
    text = str(log.cache("double"))
    assert log.cache("double").table.hits is None
    assert "watch(hits=True) counts them" in text
    assert "miss" not in text


def test_a_fault_while_calls_are_described_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a fault")

    fun = jax.jit(lambda x: x + 1)
    with jaxviz.watch(hits=True) as log:
        fun(1.0)
        monkeypatch.setattr("jaxviz.capture.events.hits.signature_of", broken)
        assert [fun(1.0).tolist() for _ in range(3)] == [2.0] * 3
    table = log.cache("<lambda>").table
    assert table.hits == 3
    assert [call.end for call in table.calls] == ["miss"]


def test_what_a_user_s_class_calls_while_it_is_described_is_not_counted() -> None:
    inner = jax.jit(lambda x: x + 1)
    inner(1.0)

    class Mode:
        def __hash__(self) -> int:
            inner(1.0)
            return 1

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Mode)

    step(1.0, mode=Mode())
    calls = []
    with jaxviz.watch(hits=True) as log:
        step(1.0, mode=Mode())
        calls = [sum(one.hits or []) for one in log.functions if one.name == "step"]
    assert calls == [1]


def test_what_is_compiled_again_for_another_place_is_neither_a_hit_nor_a_miss() -> None:
    x = jnp.ones(26)
    with jaxviz.watch(hits=True) as log:
        double(x)
        double(jax.device_put(x, jax.devices()[0]))
        double(x)
    calls = log.cache("double").table.calls
    assert [(call.row, call.end) for call in calls] == [
        (0, "miss"),
        (0, "compiled again"),
        (0, "hit"),
    ]


def test_what_jaxviz_traced_to_show_it_is_no_miss_of_the_call() -> None:
    x = jnp.ones(27)
    jaxviz.inspect(double)(x)
    with jaxviz.watch(hits=True) as log:
        double(x)
        double(x)
    calls = log.cache("double").table.calls
    assert [(call.row, call.end) for call in calls] == [(0, "traced earlier"), (0, "hit")]
