"""Loops on one line, turns of an eqn or two, and loops in loops, read from real functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import Array
from test_unrolled import PARAMS, X, block, called, loops

import jaxviz


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


@pytest.mark.parametrize(
    ("fun", "expected"),
    [
        (on_one_line, ("for", 2, 60)),
        (product_on_one_line, ("for", 2, 12)),
        (two_on_one_line, ("for", 2, 12)),
        (while_on_one_line, ("while", 2, 12)),
        (of_one_eqn, ("for", 2, 12)),
    ],
)
def test_a_row_is_the_iterations_of_its_loop(
    fun: Callable[..., Any], expected: tuple[str, int, int]
) -> None:
    assert loops(fun, PARAMS) == [expected]


@pytest.mark.parametrize("fun", [nested, nested_on_one_line, nested_in_functions])
def test_iterations_of_two_loops_are_reported_of_neither(fun: Callable[..., Any]) -> None:
    assert loops(fun, PARAMS) in ([("", 0, 12)], [])


@pytest.mark.parametrize("fun", [chosen_on_one_line, power, functions_in_turn])
def test_iterations_that_the_line_does_not_count_belong_to_no_loop(fun: Callable[..., Any]) -> None:
    assert {word for word, _, _ in loops(fun, PARAMS)} <= {""}


def test_a_loop_around_a_call_makes_no_iterations_in_its_body() -> None:
    jitted = jax.jit(called)

    def again(ps: list[float], x: Array) -> Array:
        for _ in range(3):
            x = jitted(ps, x)
        return x

    graphs = jaxviz.inspect(again)(PARAMS, X).record.stages[0].graphs
    rows = [one for graph in graphs for one in graph.groups if one.kind == "repeat"]
    assert [one.loop for one in rows] == ["for"]
