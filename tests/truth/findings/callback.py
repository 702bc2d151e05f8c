"""Calls of Python in a loop, for which the device waits at each turn."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback

from . import array, case

X = array("float32", 8)
F = jax.ShapeDtypeStruct((), "float32")


def host(x):
    return np.float32(0)


def printed(x):
    def step(h, _):
        jax.debug.print("{h}", h=h)  # finds: callback
        return h * 2, None

    return lax.scan(step, x, length=100)[0]


def pure(x):
    def step(_, h):
        return h + jax.pure_callback(host, F, h[0])  # finds: callback

    return lax.fori_loop(0, 1000, step, x)


def in_a_while(x):
    def body(h):
        y = io_callback(host, F, h[0])  # finds: callback
        return h + 1 + y

    return lax.while_loop(lambda h: h[0] < 10, body, x)


def logged(h):
    jax.debug.callback(print, h)  # finds: callback
    return jnp.sin(h)


def in_a_function_of_a_loop(x):
    return lax.scan(lambda h, _: (logged(h), None), x, length=64)[0]


def in_a_nested_loop(x):
    def inner(h, _):
        jax.debug.print("{}", h)  # finds: callback
        return h + 1, None

    def outer(h, _):
        return lax.scan(inner, h, length=4)[0], None

    return lax.scan(outer, x, length=10)[0]


# Near misses


def once(x):
    jax.debug.print("{x}", x=x)
    return lax.scan(lambda h, _: (h * 2, None), x, length=100)[0]


def after_the_loop(x):
    h = lax.fori_loop(0, 100, lambda _, h: h * 2, x)
    return h + jax.pure_callback(host, F, h[0])


def now_and_then(x):
    def step(h, i):
        lax.cond(i % 100 == 0, lambda: jax.debug.print("{}", i), lambda: None)
        return h * 2, None

    return lax.scan(step, x, jnp.arange(1000))[0]


def few_turns(x):
    def step(h, _):
        jax.debug.print("{h}", h=h)
        return h * 2, None

    return lax.scan(step, x, length=3)[0]


def no_callback(x):
    return lax.scan(lambda h, _: (jnp.tanh(h), None), x, length=100)[0]


def ignored(x):
    def step(h, _):
        jax.debug.print("{h}", h=h)  # jaxviz: ignore callback
        return h * 2, None

    return lax.scan(step, x, length=100)[0]


CASES = [
    case(printed, X),
    case(pure, X),
    case(in_a_while, X),
    case(in_a_function_of_a_loop, X, of=(logged,)),
    case(in_a_nested_loop, X),
    case(once, X),
    case(after_the_loop, X),
    case(now_and_then, X),
    case(few_turns, X),
    case(no_callback, X),
    case(ignored, X),
]
