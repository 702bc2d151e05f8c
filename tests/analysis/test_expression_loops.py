"""Loops in expressions, read from real functions: each row of groups, and each finding."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import Array
from test_unrolled import PARAMS, X, block, loops

import jaxviz


def listed(ps: list[float], x: Array) -> Any:
    return [block(p, x) for p in ps]


def in_a_set(ps: list[float], x: Array) -> Any:
    return len({id(block(p, x)) for p in ps})


def named(ps: list[float], x: Array) -> Any:
    return {str(at): block(2.0, x) for at in range(len(ps))}


def on_lines(ps: list[float], x: Array) -> Any:
    found = [
        block(
            2.0,
            x,
        )
        for _ in ps
        if len(ps) > 1
    ]
    return jnp.stack(found)


def summed(ps: list[float], x: Array) -> Any:
    return sum(block(p, x) for p in ps)


def generated(ps: list[float], x: Array) -> Array:
    made = (block(p, x) for p in ps)
    return jnp.stack(list(made))


def reduced(ps: list[float], x: Array) -> Array:
    return functools.reduce(lambda h, p: block(p, h), ps, x)


def reduced_in_place(ps: list[float], x: Array) -> Array:
    return functools.reduce(lambda h, _: jnp.sin(h) * jnp.cos(h), ps, x)


def reduced_by_a_function(ps: list[float], x: Array) -> Array:
    def step(h: Array, p: float) -> Array:
        h = jnp.sin(h)
        h = jnp.cos(h)
        return h * p

    return functools.reduce(step, ps, x)


def recursive(ps: list[float], x: Array) -> Array:
    if not ps:
        return x
    return recursive(ps[1:], block(ps[0], x))


def recursive_after(ps: list[float], x: Array) -> Array:
    if not ps:
        return x
    return block(ps[0], recursive_after(ps[1:], x))


def recursive_with_a_loop(ps: list[float], x: Array) -> Array:
    if not ps:
        return x
    for _ in range(3):
        x = block(ps[0], x)
    return recursive_with_a_loop(ps[1:], x)


def of_one_eqn(ps: list[float], x: Array) -> Any:
    return [jnp.sin(x) for _ in ps]


def of_one_lambda(ps: list[float], x: Array) -> Any:
    return (lambda y: [jnp.sin(y) * 2.0 for _ in ps])(x)


def nested(ps: list[float], x: Array) -> Any:
    return [[block(p, x) for p in ps[:4]] for _ in range(3)]


def nested_in_a_loop(ps: list[float], x: Array) -> Any:
    found = []
    for _ in range(3):
        found.append(sum(block(p, x) for p in ps[:4]))
    return found


def two_generators(ps: list[float], x: Array) -> Any:
    return [block(p, x) for _ in range(3) for p in ps[:4]]


def chosen(ps: list[float], x: Array) -> Any:
    return [jnp.sin(x) * jnp.cos(x) if at % 2 else jnp.tanh(x) for at in range(24)]


def lambdas_by_turns(ps: list[float], x: Array) -> Any:
    layers = [lambda x: jnp.tanh(x) * 2.0, lambda x: jnp.sin(x) + 1.0]
    return functools.reduce(lambda h, at: layers[at % 2](h), range(24), x)


def reduced_tree(ps: list[float], x: Array) -> Any:
    return jax.tree.reduce(lambda h, p: block(p, h), ps, x)


def mapped(ps: list[float], x: Array) -> Any:
    return jax.tree.map(lambda p: block(p, x), ps)


@pytest.mark.parametrize(
    ("fun", "expected"),
    [
        (listed, ("for", 2, 12)),
        (in_a_set, ("for", 2, 12)),
        (named, ("for", 2, 12)),
        (on_lines, ("for", 7, 12)),
        (summed, ("for", 2, 12)),
        (generated, ("for", 2, 12)),
        (reduced, ("reduce", 2, 12)),
        (reduced_in_place, ("reduce", 2, 12)),
        (reduced_by_a_function, ("reduce", 7, 12)),
        (recursive, ("recursion", 4, 12)),
        (recursive_after, ("recursion", 4, 12)),
        (of_one_eqn, ("for", 2, 12)),
        (of_one_lambda, ("for", 2, 12)),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_row_is_the_iterations_of_an_expression(
    fun: Callable[..., Any], expected: tuple[str, int, int]
) -> None:
    assert loops(fun, PARAMS) == [expected]


@pytest.mark.parametrize(
    "fun",
    [
        *(nested, nested_in_a_loop, two_generators, chosen, lambdas_by_turns, reduced_tree),
        *(mapped, recursive_with_a_loop),
    ],
)
def test_a_row_that_may_be_of_several_loops_says_nothing(fun: Callable[..., Any]) -> None:
    found = loops(fun, PARAMS)
    assert {word for word, _, _ in found} <= {""}


def test_the_forward_pass_of_a_generator_is_a_loop() -> None:
    def loss(x: Array) -> Array:
        return jnp.sum(sum(block(2.0, x) for _ in PARAMS))

    groups = jaxviz.inspect(jax.grad(loss))(X).record.stages[0].graphs[0].groups
    assert [one.loop for one in groups if one.kind == "repeat"] == ["for", ""]


def test_the_line_of_a_loop_is_found_below_another_function() -> None:
    """The lines of each function are a part of the file."""

    def loop(x: Array) -> Any:
        return sum(block(2.0, x) for _ in range(20))

    program = jaxviz.inspect(loop)(X)
    assert len(program.record.listings) > 1
    [one] = program.findings
    assert one.at is not None
    assert "for _ in range(20)" in one.at.code
