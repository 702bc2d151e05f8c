"""Cases in which JAX traces, lowers or compiles again: the events and the reasons are right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from watched_events import kinds, reason

import jaxviz

TRACED = ["trace", "lower", "compile"]


class Case(NamedTuple):
    """The call after `first`, and its expected report."""

    first: Callable[[], Any]
    second: Callable[[], Any]
    kinds: list[str]
    reason: list[tuple[str, str, str, str]]


@dataclass(frozen=True)
class Config:
    width: int


class Same:
    """Prints the same each time, and equals itself alone."""

    def __repr__(self) -> str:
        return "Same()"


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __repr__(self) -> str:
        return f"Model({self.scale})"

    @partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return x * self.scale


def traced(
    fun: Callable[..., Any],
    first: tuple[Any, ...],
    second: tuple[Any, ...],
    reason: tuple[str, str, str, str],
) -> Case:
    """The second call traces again."""
    return Case(lambda: fun(*first), lambda: fun(*second), TRACED, [reason])


def cached(fun: Callable[..., Any], first: Any, second: Any) -> Case:
    """The second call is answered by JAX's cache."""
    return Case(lambda: fun(first), lambda: fun(second), [], [])


def double() -> Callable[..., Any]:
    return jax.jit(lambda x, y=None: jax.tree.map(lambda leaf: leaf * 2, (x, y)))


def power() -> Callable[..., Any]:
    return jax.jit(lambda x, n: x if n is None else x * 2, static_argnames="n")


def under(context: Callable[[], Any], fun: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    def call() -> None:
        with context():
            fun(*args)

    return call


def x64() -> Case:
    fun = double()
    enabled = getattr(jax, "enable_x64", None)
    if not callable(enabled):
        from jax.experimental import enable_x64 as enabled  # pyright: ignore[reportAttributeAccessIssue]
    again = under(lambda: enabled(True), fun, jnp.ones(3))
    return Case(
        lambda: fun(jnp.ones(3)), again, TRACED, [("config", "jax_enable_x64", "False", "True")]
    )


def precision() -> Case:
    fun = double()
    again = under(lambda: jax.default_matmul_precision("float32"), fun, jnp.ones(3))
    return Case(
        lambda: fun(jnp.ones(3)),
        again,
        TRACED,
        [("config", "jax_default_matmul_precision", "None", "float32")],
    )


def made_in_a_loop() -> Case:
    def call() -> None:
        jax.jit(lambda x: x + 1)(jnp.ones(3))

    return Case(call, call, TRACED, [("function", "", "", "")])


def partial_in_a_loop() -> Case:
    def add(n, x):
        return x + n

    def call() -> None:
        jax.jit(partial(add, 2))(jnp.ones(3))

    return Case(call, call, TRACED, [("function", "", "", "")])


def cleared() -> Case:
    fun = double()

    def second() -> None:
        jax.clear_caches()
        fun(jnp.ones(3))

    return Case(lambda: fun(jnp.ones(3)), second, TRACED, [("cleared", "", "", "")])


def committed() -> Case:
    fun, device = double(), jax.devices()[0]
    return Case(
        lambda: fun(jnp.ones(3)),
        lambda: fun(jax.device_put(jnp.ones(3), device)),
        ["lower", "compile"],
        [("committed", "x", "uncommitted", "committed to cpu:0")],
    )


def donated() -> Case:
    def add(x):
        return x + 1

    return Case(
        lambda: jax.jit(add)(jnp.ones(3)),
        lambda: jax.jit(add, donate_argnums=0)(jnp.ones(3)),
        ["lower", "compile"],
        [("options", "donated_invars", "none", "0")],
    )


def keyword() -> Case:
    fun = double()
    first, second = (lambda: fun(jnp.ones(3), jnp.ones(3))), lambda: fun(jnp.ones(3), y=jnp.ones(3))
    return Case(first, second, TRACED, [("style", "y", "by position", "by keyword")])


def self_made_anew() -> Case:
    return Case(
        lambda: Model(2.0).apply(jnp.ones(3)),
        lambda: Model(3.0).apply(jnp.ones(3)),
        TRACED,
        [("static", "self.scale", "2.0", "3.0")],
    )


pytestmark = pytest.mark.usefixtures("session")


ones = jnp.ones
CASES: dict[str, Callable[[], Case]] = {
    "shape": lambda: traced(
        double(), (ones((8, 32)),), (ones((8, 64)),), ("shape", "x", "f32[8,32]", "f32[8,64]")
    ),
    "beside what has no leaves": lambda: traced(
        double(), (ones(3), ()), (ones(4), ()), ("shape", "x", "f32[3]", "f32[4]")
    ),
    "leaves where there were none": lambda: traced(
        double(), (ones(3), ()), (ones(3), (ones(3),)), ("pytree", "y[0]", "absent", "f32[3]")
    ),
    "last batch": lambda: traced(
        double(), (ones((8, 32)),), (ones((5, 32)),), ("shape", "x", "f32[8,32]", "f32[5,32]")
    ),
    "dtype": lambda: traced(
        double(), (ones(3),), (ones(3, "int32"),), ("dtype", "x", "f32[3]", "i32[3]")
    ),
    "a leaf of a pytree": lambda: traced(
        double(),
        ({"w": [ones(3)]},),
        ({"w": [ones(4)]},),
        ("shape", "x['w'][0]", "f32[3]", "f32[4]"),
    ),
    "Python scalar to array": lambda: traced(
        double(), (1.0,), (jnp.float32(1),), ("weak type", "x", "~f32[] (float)", "f32[]")
    ),
    "array to Python scalar": lambda: traced(
        double(), (jnp.float32(1),), (1.0,), ("weak type", "x", "f32[]", "~f32[] (float)")
    ),
    "static value": lambda: traced(power(), (ones(3), 2), (ones(3), 3), ("static", "n", "2", "3")),
    "static True and 1": lambda: traced(
        power(), (ones(3), True), (ones(3), "a"), ("static", "n", "True", "'a'")
    ),
    "static dataclass": lambda: traced(
        power(), (ones(3), Config(2)), (ones(3), Config(3)), ("static", "n.width", "2", "3")
    ),
    "fresh static object": lambda: traced(
        power(),
        (ones(3), Same()),
        (ones(3), Same()),
        ("static", "n", "Same", "another Same, not equal to it"),
    ),
    "static self": self_made_anew,
    "keyword": keyword,
    "lambda in a loop": made_in_a_loop,
    "partial in a loop": partial_in_a_loop,
    "pytree": lambda: traced(
        double(),
        ({"a": ones(3)},),
        ({"a": ones(3), "b": ones(2)},),
        ("pytree", "x['b']", "absent", "f32[2]"),
    ),
    "list to tuple": lambda: traced(
        double(), ([ones(3)],), ((ones(3),),), ("pytree", "x", "list of 1", "tuple of 1")
    ),
    "None to array": lambda: traced(
        double(), (ones(3), None), (ones(3), ones(2)), ("none", "y", "None", "f32[2]")
    ),
    "array to None": lambda: traced(
        double(),
        ({"a": ones(3), "b": ones(2)},),
        ({"a": ones(3), "b": None},),
        ("none", "x['b']", "f32[2]", "None"),
    ),
    "x64": x64,
    "matmul precision": precision,
    "cleared caches": cleared,
    "committed": committed,
    "donated": donated,
    "NumPy in place of an array": lambda: cached(double(), ones(3), np.ones(3, "float32")),
    "another Python float": lambda: cached(double(), 1.0, 2.0),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    case = CASES[name]()
    with jaxviz.watch() as log:
        case.first()
        before = len(log.events)
        case.second()
    first, second = list(log.events[:before]), list(log.events[before:])
    assert kinds(first) == TRACED
    assert reason(first[0]) == [("first", "", "", "")]
    assert not any(event.again for event in first)
    assert kinds(second) == case.kinds
    if not second:
        return
    assert reason(second[0]) == case.reason
    assert second[0].again
    assert second[0].hint.text or second[0].reason[0].kind in ("shape", "function")
    (function,) = log.functions
    traced = case.kinds == TRACED
    assert (function.retraces, function.relowerings, function.recompiles) == (
        (1, 0, 0) if traced else (0, 1, 1)
    )
    assert {event.of for event in second[1:]} == {second[0].number if traced else first[0].number}
