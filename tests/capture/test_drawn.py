"""Random numbers and times of a trace: they are found without a change of any state."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxviz
from jaxviz.capture.reads.users_functions import users_functions
from jaxviz.capture.shown.objects import MISSING
from jaxviz.capture.tracing.drawn import draws_of

RNG = np.random.default_rng(0)


def noisy(x):
    if x.ndim > 3:
        x = x + RNG.uniform()
    return x + RNG.normal() + np.random.uniform() + random.random()


def states() -> tuple[Any, ...]:
    return (
        random.getstate(),
        np.random.get_state(legacy=False)["state"]["pos"],
        RNG.bit_generator.state["state"]["state"],
    )


def test_no_state_is_changed_beyond_the_function() -> None:
    def seeded() -> None:
        global RNG
        RNG = np.random.default_rng(0)
        np.random.seed(0)
        random.seed(0)

    seeded()
    noisy(jnp.ones(3))
    alone = states()
    seeded()
    jaxviz.inspect(noisy)(jnp.ones(3))
    assert states() == alone


def test_lines_that_may_have_drawn_are_named() -> None:
    program = jaxviz.inspect(noisy)(jnp.ones(3))
    first = noisy.__code__.co_firstlineno
    whats = {one.names[0]: one.what.text for one in program.findings}
    assert whats["RNG.uniform"].endswith(f"another of the lines {first + 2}, {first + 3})")
    assert whats["random.random"].startswith("`random.random` drew random numbers")
    assert len(whats) == 3


def test_a_cached_trace_keeps_what_was_seen(tmp_path: Path) -> None:
    @jax.jit
    def f(x):
        return x * random.random() + time.time()

    kinds = ["frozen-random", "frozen-time"]
    first = jaxviz.inspect(f)(jnp.ones(3))
    assert [one.kind for one in first.findings] == kinds
    again = jaxviz.inspect(f)(jnp.ones(3))
    assert [one.kind for one in again.findings] == kinds
    again.save(tmp_path / "f.json")
    assert [one.kind for one in jaxviz.load(tmp_path / "f.json").findings] == kinds


def test_a_program_that_returns_the_time_can_be_saved(tmp_path: Path) -> None:
    def f(x):
        return x, time.time()

    jaxviz.inspect(f)(jnp.ones(3)).save(tmp_path / "f.json")
    [one] = jaxviz.load(tmp_path / "f.json").findings
    assert one.what.text.startswith("a result is the time at which `f` was traced (`time.time`)")


def test_a_trace_that_was_not_seen_has_none() -> None:
    @jax.jit
    def f(x):
        return x * random.random()

    f(jnp.ones(3))
    assert jaxviz.inspect(f)(jnp.ones(3)).findings == []


class Hostile(type):
    def __getattr__(cls, name: str) -> Any:
        raise AssertionError(name)


class Owner(metaclass=Hostile):
    calls: list[str] = []  # noqa: RUF012

    @property
    def rng(self) -> Any:
        self.calls.append("property")
        return np.random.default_rng(0)

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        self.calls.append("==")
        return True

    __hash__ = None  # type: ignore[assignment]

    def draw(self, x: Any) -> Any:
        return x * self.rng.normal() + self.missing


class Counted(random.Random):
    calls: list[str] = []  # noqa: RUF012

    def getstate(self) -> Any:
        self.calls.append("getstate")
        return super().getstate()


OWNER, COUNTED = Owner(), Counted()


def reads_hostile(x):
    if x.ndim > 3:
        return OWNER.draw(x) + COUNTED.random() + OWNER.rng.normal() + random.random()
    return x * 2


def test_no_code_of_the_user_runs() -> None:
    Owner.calls.clear()  # pytest asks for names, too
    assert jaxviz.inspect(reads_hostile)(jnp.ones(3)).findings == []
    for one in users_functions(reads_hostile):
        list(draws_of(one))
    assert Owner.calls == Counted.calls == []


WEIGHT = jnp.ones((2, 3))


def test_no_property_of_an_array_is_computed() -> None:
    def f(x):
        return x * WEIGHT.T

    [function] = users_functions(f)
    assert function.value(("WEIGHT", "T"), f.__code__) is MISSING
