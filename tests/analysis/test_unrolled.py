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


def block(p: float | Array, x: Array) -> Array:
    h = jnp.sin(x)
    h = jnp.tanh(h)
    return h * p


def called(ps: list[float] | Array, x: Array) -> Array:
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


def in_a_line(ps: Array, x: Array) -> Array:
    for p in ps:
        x = jnp.sin(x * p)
    return x


def rows_one_by_one(ps: Array, x: Array) -> Array:
    for at in range(len(ps)):
        for p in (ps[at],):
            x = block(p, x)
    return x


def rows_of_one(ps: Array, x: Array) -> Array:
    for at in range(len(ps)):
        for p in ps[at : at + 1]:
            x = block(p, x)
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


def loops(fun: Callable[..., Any], ps: list[float] | Array) -> list[tuple[str, int, int]]:
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
    [(called, ("for", 2, 12)), (written, ("for", 3, 12)), (counted, ("while", 3, 12))],
)
def test_a_row_is_the_iterations_of_the_loop_around_the_calls(
    fun: Callable[..., Any], expected: tuple[str, int, int]
) -> None:
    assert loops(fun, PARAMS) == [expected]


@pytest.mark.parametrize(
    "fun",
    [alternating, alternating_in_a_line, alternating_in_branches, alternating_functions, skipping],
)
def test_a_row_of_fewer_than_the_loop_s_iterations_says_nothing(fun: Callable[..., Any]) -> None:
    found = loops(fun, PARAMS * 2)
    assert found
    assert {word for word, _, _ in found} == {""}


@pytest.mark.parametrize("fun", [called, in_a_line])
def test_rows_of_an_array_are_taken_by_the_loop(fun: Callable[..., Any]) -> None:
    assert loops(fun, jnp.ones(12)) == [("for", 2, 12)]


@pytest.mark.parametrize("fun", [rows_one_by_one, rows_of_one])
def test_rows_that_an_outer_loop_takes_say_nothing(fun: Callable[..., Any]) -> None:
    found = loops(fun, jnp.ones(12))
    assert found
    assert {word for word, _, _ in found} == {""}


@pytest.mark.parametrize("fun", [thrice_a_turn, by_function, in_brackets, after])
def test_a_row_of_what_may_be_called_often_says_nothing(fun: Callable[..., Any]) -> None:
    found = loops(fun, PARAMS)
    assert found
    assert {word for word, _, _ in found} == {""}


def test_a_row_that_is_not_all_iterations_says_nothing() -> None:
    assert loops(begun_otherwise, PARAMS) == [("", 0, 11)]


def test_what_runs_backward_says_nothing() -> None:
    def loss(ps: list[float], x: Array) -> Array:
        return written(ps, x).sum()

    stage = jaxviz.inspect(jax.grad(loss, argnums=1))(PARAMS, X).record.stages[0]
    rows = [one for graph in stage.graphs for one in graph.groups if one.kind == "repeat"]
    backward = [one for one in rows if one.name.endswith("⟵")]
    assert backward
    assert {(one.loop, one.loop_line) for one in backward} == {("", 0)}
