"""Python loops that JAX unrolled, read from the lines of real functions."""

from __future__ import annotations

import inspect as source
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import Array

import jaxviz

PARAMS = [1.0] * 12
X = jnp.ones(3)


def block(p: float, x: Array) -> Array:
    h = jnp.sin(x)
    h = jnp.tanh(h)
    return h * p


def called(ps: list[float], x: Array) -> Array:
    for p in ps:  # each
        x = block(p, x)
    return x


def written(ps: list[float], x: Array) -> Array:
    x = x + 1
    for _ in ps:
        if len(ps) > 1:
            x = jnp.sin(x)
        x = x * 2.0
        x = jnp.cos(x)
    return x


def counted(ps: list[float], x: Array) -> Array:
    left = len(ps)
    while left:
        left -= 1
        x = block(2.0, x)
    return x


def thrice_a_turn(ps: list[float], x: Array) -> Array:
    for p in ps[:4]:
        x = block(p, block(p, block(p, x)))
    return x


def comprehended(ps: list[float], x: Array) -> Array:
    for _ in ps:
        x = sum([block(p, x) for p in ps], x)
    return x


def by_function(ps: list[float], x: Array) -> Array:
    for _ in ps[:1]:
        for y in map(lambda p: block(p, x), ps):  # noqa: C417
            x = y
    return x


def in_brackets(ps: list[float], x: Array) -> Array:
    for _ in ps[:1]:
        x = sum(
            [
                block(p, x) for p in ps],
            x)  # fmt: skip
    return x


def after(ps: list[float], x: Array) -> Array:
    for _ in ps:
        pass
    else:
        x = block(ps[3], block(ps[2], block(ps[1], block(ps[0], x))))
        x = block(ps[7], block(ps[6], block(ps[5], block(ps[4], x))))
        x = block(ps[11], block(ps[10], block(ps[9], block(ps[8], x))))
    return x


def begun_otherwise(ps: list[float], x: Array) -> Array:
    for index, p in enumerate(ps):
        x = jnp.sin(x if index else jnp.abs(x))
        x = jnp.cos(x) if index else x
        x = jnp.tanh(x)
        x = x * p
    return x


def by_turn(p: float, x: Array, at: int) -> Array:
    h = jnp.tanh(x)
    if at % 2:
        h = jnp.sin(h)
    return h * p


def alternating(ps: list[float], x: Array) -> Array:
    for at, p in enumerate(ps):
        x = by_turn(p, x, at)
    return x


def alternating_in_a_line(ps: list[float], x: Array) -> Array:
    for at, p in enumerate(ps):
        x = jnp.sin(x) if at % 2 else jnp.cos(x) * p
    return x


def alternating_in_branches(ps: list[float], x: Array) -> Array:
    for at, p in enumerate(ps):
        if at % 2:
            x = jnp.sin(x)
        else:
            x = jnp.cos(x)
            x = x * p
    return x


def alternating_functions(ps: list[float], x: Array) -> Array:
    layers = [lambda x: jnp.tanh(x) * 2.0, lambda x: jnp.sin(x) + 1.0]
    for at in range(2 * len(ps)):
        x = layers[at % 2](x)
    return x


def skipping(ps: list[float], x: Array) -> Array:
    for at, p in enumerate(ps * 2):
        if at % 2:
            continue
        x = block(p, x)
    return x


def on_one_line(ps: list[float], x: Array) -> Array:
    for _ in range(60): x = jnp.sin(x)  # noqa: E701  # fmt: skip
    return x


def product_on_one_line(ps: list[float], x: Array) -> Array:
    for p in ps: x = jnp.sin(x) * p  # noqa: E701  # fmt: skip
    return x


def two_on_one_line(ps: list[float], x: Array) -> Array:
    for p in ps: x = jnp.sin(x) * p; x = jnp.cos(x)  # noqa: E701, E702  # fmt: skip
    return x


def while_on_one_line(ps: list[float], x: Array) -> Array:
    while ps: x = jnp.sin(x) * ps[0]; ps = ps[1:]  # noqa: E701, E702  # fmt: skip
    return x


def of_one_eqn(ps: list[float], x: Array) -> Array:
    for _ in ps:
        x = x * 2.0
    return x


def in_a_called_function(ps: list[float], x: Array) -> Array:
    return on_one_line(ps, x @ x) + 1.0


def chosen_on_one_line(ps: list[float], x: Array) -> Array:
    for at in range(60): x = jnp.sin(x) * 2.0 if at < 40 else x  # noqa: E701  # fmt: skip
    return x


def nested(ps: list[float], x: Array) -> Array:
    for _ in range(3):
        for p in ps[:4]:
            x = block(p, x)
    return x


def nested_on_one_line(ps: list[float], x: Array) -> Array:
    for _ in range(3):
        for p in ps[:4]: x = jnp.sin(x) * p  # noqa: E701  # fmt: skip
    return x


def inner(ps: list[float], x: Array) -> Array:
    for p in ps[:4]:
        x = block(p, x)
    return x


def nested_in_functions(ps: list[float], x: Array) -> Array:
    for _ in range(3):
        x = inner(ps, x)
    return x


def power(ps: list[float], x: Array) -> Array:
    """Each turn multiplies thrice."""
    y = jnp.outer(x, x)
    for _ in ps:
        y = jnp.linalg.multi_dot([y] * 4)
    return y


def functions_in_turn(ps: list[float], x: Array) -> Array:
    for f in (jnp.sin, jnp.cos) * 20:
        x = f(x)
    return x


def loops(fun: Callable[..., Any], ps: list[float]) -> list[tuple[str, int, int]]:
    """Word, line (the function's own is 1) and turns of each row of the program."""
    stage = jaxviz.inspect(fun)(ps, X).record.stages[0]
    first = source.getsourcelines(fun)[1]
    return [
        (
            one.loop,
            one.loop_line - first + 1 if one.loop else 0,
            sum(inner.parent == at for inner in graph.groups),
        )
        for graph in stage.graphs
        for at, one in enumerate(graph.groups)
        if one.kind == "repeat"
    ]


@pytest.mark.parametrize(
    ("fun", "expected"),
    [
        (called, ("for", 2, 12)),
        (written, ("for", 3, 12)),
        (counted, ("while", 3, 12)),
        (on_one_line, ("for", 2, 60)),
        (product_on_one_line, ("for", 2, 12)),
        (two_on_one_line, ("for", 2, 12)),
        (while_on_one_line, ("while", 2, 12)),
        (of_one_eqn, ("for", 2, 12)),
    ],
)
def test_a_row_is_the_turns_of_the_loop_around_the_calls(
    fun: Callable[..., Any], expected: tuple[str, int, int]
) -> None:
    assert loops(fun, PARAMS) == [expected]


@pytest.mark.parametrize("fun", [nested, nested_on_one_line, nested_in_functions])
def test_turns_of_two_loops_are_said_of_neither(fun: Callable[..., Any]) -> None:
    assert loops(fun, PARAMS) in ([("", 0, 12)], [])


@pytest.mark.parametrize("fun", [chosen_on_one_line, power, functions_in_turn])
def test_turns_that_the_line_does_not_count_are_no_loop_s(fun: Callable[..., Any]) -> None:
    assert {word for word, _, _ in loops(fun, PARAMS)} <= {""}


def test_a_loop_around_a_call_makes_no_turns_in_its_body() -> None:
    jitted = jax.jit(called)

    def again(ps: list[float], x: Array) -> Array:
        for _ in range(3):
            x = jitted(ps, x)
        return x

    graphs = jaxviz.inspect(again)(PARAMS, X).record.stages[0].graphs
    rows = [one for graph in graphs for one in graph.groups if one.kind == "repeat"]
    assert [one.loop for one in rows] == ["for"]


@pytest.mark.parametrize(
    "fun",
    [
        alternating,
        alternating_in_a_line,
        alternating_in_branches,
        alternating_functions,
        skipping,
    ],
)
def test_a_row_of_fewer_than_the_loop_s_turns_says_nothing(fun: Callable[..., Any]) -> None:
    found = loops(fun, PARAMS * 2)
    assert found
    assert {word for word, _, _ in found} == {""}


@pytest.mark.parametrize("fun", [thrice_a_turn, comprehended, by_function, in_brackets, after])
def test_a_row_of_what_may_be_called_often_says_nothing(fun: Callable[..., Any]) -> None:
    found = loops(fun, PARAMS)
    assert found
    assert {word for word, _, _ in found} == {""}


def test_a_row_that_is_not_all_turns_says_nothing() -> None:
    assert loops(begun_otherwise, PARAMS) == [("", 0, 11)]


def test_what_runs_backward_says_nothing() -> None:
    def loss(ps: list[float], x: Array) -> Array:
        return written(ps, x).sum()

    stage = jaxviz.inspect(jax.grad(loss, argnums=1))(PARAMS, X).record.stages[0]
    rows = [one for graph in stage.graphs for one in graph.groups if one.kind == "repeat"]
    backward = [one for one in rows if one.name.endswith("⟵")]
    assert backward
    assert {(one.loop, one.loop_line) for one in backward} == {("", 0)}
