"""Loops and branches outside of jit, `pmap`, and jits that a traced function makes.

Each trace of their bodies is an event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from msgspec.structs import astuple

import jaxviz
from jaxviz.capture._traces import NESTED_UNANNOUNCED
from jaxviz.session import Log

ones = jnp.ones
FIRST, ANEW = [("first", "")], [("function", "")]


pytestmark = pytest.mark.usefixtures("session")


def told(log: Log) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (event.name.rpartition("<locals>.")[2], [(c.kind, c.where) for c in event.reason])
        for event in log.events
        if event.kind == "trace"
    ]


def made(ran: list[str], name: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    def body(*args):
        ran.append(name)
        return fun(*args)

    return body


def scan(ran: list[str]) -> Any:
    return lax.scan(made(ran, "scan", lambda carry, x: (carry + x, None)), jnp.zeros(()), ones(4))


def fori(ran: list[str]) -> Any:
    return lax.fori_loop(0, 3, made(ran, "fori_loop", lambda i, x: x * 2), ones(3))


def bounded(ran: list[str]) -> Any:
    stop = jnp.int32(3)
    return lax.fori_loop(0, stop, made(ran, "fori_loop", lambda i, x: x * 2), ones(3))


def mapped(ran: list[str]) -> Any:
    return lax.map(made(ran, "map", lambda x: x + 1), ones(3))


def loop(ran: list[str]) -> Any:
    check = made(ran, "while_loop", lambda x: x[0] > 0)
    return lax.while_loop(check, made(ran, "while_loop", lambda x: x - 1), ones(3))


def branches(ran: list[str]) -> Any:
    one, other = made(ran, "cond", jnp.sin), made(ran, "cond", jnp.cos)
    return lax.cond(jnp.bool_(True), one, other, ones(3))


def switch(ran: list[str]) -> Any:
    return lax.switch(
        jnp.int32(1), [made(ran, "switch", jnp.sin)] * 1 + [made(ran, "switch", jnp.cos)], ones(3)
    )


@pytest.mark.parametrize("call", [scan, fori, bounded, mapped, loop, branches, switch])
def test_a_body_made_again_is_retraced(call: Callable[[list[str]], Any]) -> None:
    ran: list[str] = []
    with jaxviz.watch() as log:
        for _ in range(3):
            call(ran)
    assert len(told(log)) == len(ran)
    assert Counter(name for name, _ in told(log)) == {
        f"body ({name})": times for name, times in Counter(ran).items()
    }
    changes = [change for _, reason in told(log) for change in reason]
    assert {kind for kind, _ in changes} == {"first", "function"}
    assert all(event.site is not None for event in log.events)
    (compiled, *_) = [function.compiles for function in log.functions]
    assert compiled == 3


def test_a_body_that_is_kept_is_traced_once_a_type() -> None:
    ran: list[str] = []
    body = made(ran, "scan", lambda carry, x: (carry + x.sum(), None))
    with jaxviz.watch() as log:
        for size in (3, 3, 4):
            lax.scan(body, jnp.zeros(()), ones((2, size)))
    assert len(ran) == 2
    assert [reason[0][0] for _, reason in told(log)] == ["first", "shape"]


def test_what_a_scan_within_a_jit_traces_is_part_of_the_jit() -> None:
    @jax.jit
    def step(x):
        return lax.scan(lambda carry, _: (carry * 2, None), x, length=3)[0]

    with jaxviz.watch() as log:
        step(ones(3))
        step(ones(4))
    assert told(log) == [("step", FIRST), ("step", [("shape", "x")])]


@pytest.mark.skipif(not NESTED_UNANNOUNCED, reason="an older pmap is its own kind of program")
def test_pmap_is_of_the_user_s_function() -> None:
    ran: list[int] = []

    def double(batch):
        ran.append(1)
        return batch * 2

    mapped = jax.pmap(double)
    with jaxviz.watch() as log:
        for size in (3, 3, 4):
            mapped(ones((1, size)))
    assert len(ran) == 2
    assert told(log) == [("double", FIRST), ("double", [("shape", "batch")])]


def test_a_jit_that_a_traced_body_makes_is_a_new_function_each_time() -> None:
    ran: list[str] = []

    @jax.jit
    def outer(x):
        ran.append("outer")

        @jax.jit
        def inner(y):
            ran.append("inner")
            return y * 2

        return inner(x)

    with jaxviz.watch() as log:
        outer(ones(3))
        outer(ones(4))
    assert Counter(name for name, _ in told(log)) == Counter(ran)
    assert told(log)[2] == ("inner", [("function", ""), ("shape", "y")])


@pytest.mark.parametrize("transform", [jax.grad, jax.checkpoint])
def test_a_jit_that_a_traced_body_makes_and_transforms_is_reported_once(transform: Any) -> None:
    ran: list[str] = []

    @jax.jit
    def outer(x):
        @jax.jit
        def inner(y):
            ran.append("inner")
            return jnp.sin(y).sum()

        return transform(inner)(x)

    with jaxviz.watch() as log:
        outer(ones(3))
        outer(ones(4))
    assert [name for name, _ in told(log) if name == "inner"] == ran


def test_a_nested_static_argument_is_the_reason() -> None:
    @partial(jax.jit, static_argnames="k")
    def inner(x, k):
        return x * k

    @jax.jit
    def outer(x):
        return inner(x, k=2) + inner(x, k=3)

    with jaxviz.watch() as log:
        outer(ones(3))
        inner(ones(3), k=4)
    reasons = [reason for name, reason in told(log) if name == "inner"]
    assert reasons == [FIRST, [("static", "k")], [("static", "k")]]


def test_an_argument_that_is_static_now_is_the_reason() -> None:
    def power(x, n):
        return x**n

    with jaxviz.watch() as log:
        jax.jit(power)(ones(3), 2)
        jax.jit(power, static_argnums=1)(ones(3), 2)
    (_, change) = [c for event in log.events for c in event.reason]
    assert astuple(change) == ("static", "n", "~i32[] (int)", "2 (static)")
    (hint,) = [event.hint.text for event in log.events if event.again]
    assert hint.startswith("call jit once")


class Model:
    def __init__(self) -> None:
        self.ran = 0

    def call(self, x, n=2, train=False):
        self.ran += 1
        return x * 2


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({}, {"static_argnames": "n"}, ("none", "n")),
        ({"static_argnames": "n"}, {}, ("n", "none")),
        ({}, {"static_argnums": 1}, ("none", "n")),
        ({}, {"static_argnames": ("n", "train")}, ("none", "n, train")),
        ({"static_argnames": "n"}, {"static_argnames": "train"}, ("n", "train")),
        ({"static_argnums": (1, 2)}, {"static_argnums": 1}, ("n, train", "n")),
    ],
)
def test_static_argnames_of_a_method_are_the_reason(
    before: dict[str, Any], after: dict[str, Any], change: tuple[str, str]
) -> None:
    """The argument is not passed. JAX 0.12 has the program."""
    model = Model()
    with jaxviz.watch() as log:
        jitted = [jax.jit(model.call, **options) for options in (before, after)]
        for fun in jitted:
            fun(ones(3))
    again = [event for event in log.events if event.kind == "trace" and event.again]
    assert len(again) == model.ran - 1
    for event in again:
        assert [astuple(one) for one in event.reason] == [("options", "static_argnames", *change)]
        assert event.hint.text.startswith("call jit once")


def test_static_argnames_are_no_reason_beside_another_one() -> None:
    model = Model()
    with jaxviz.watch() as log:
        first, second = jax.jit(model.call), jax.jit(model.call, static_argnames="n")
        first(ones(3))
        second(ones(5))
    reasons = [reason for name, reason in told(log) if name.endswith("call")]
    assert reasons == [FIRST, [("shape", "x")]]


@pytest.mark.parametrize("transform", [jax.grad, jax.vmap])
def test_what_is_traced_again_after_caches_were_cleared_says_so(transform: Any) -> None:
    @jax.jit
    def loss(x):
        return (x * x).sum()

    arg = ones(3) if transform is jax.grad else ones((2, 3))
    with jaxviz.watch() as log:
        transform(loss)(arg)
        jax.clear_caches()
        transform(loss)(arg)
    assert [reason for name, reason in told(log) if name == "loss"] == [FIRST, [("cleared", "")]]
