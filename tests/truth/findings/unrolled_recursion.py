"""Recursion that a function makes of itself: each call is an iteration."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from . import array, case

X = array("float32", 8, 16)
W = array("float32", 16, 16)
WS = [W] * 24


def iterated(x, w, n):
    if n == 0:
        return x
    x = jnp.tanh(x @ w) + x
    return iterated(x, w, n - 1)  # finds: unrolled


def power(x, w):
    return iterated(x, w, 20)


def after_the_call(x, w, n):
    if n == 0:
        return x
    h = after_the_call(x, w, n - 1)  # finds: unrolled
    return jnp.tanh(h @ w) + jnp.sin(h)


def accumulated(x, w):
    return after_the_call(x, w, 20)


def of_layers(x, ws):
    if not ws:
        return x
    return of_layers(jnp.tanh(x @ ws[0]) + jnp.sin(x), ws[1:])


def halves(x):
    if x.shape[0] == 1:
        return x
    half = x.shape[0] // 2
    return halves(jnp.sin(x[:half]) * jnp.cos(x[half:]) + jnp.tanh(x[:half]))


def by_turns(x, w, n):
    if n == 0:
        return x
    x = jnp.tanh(x @ w) if n % 2 else jnp.sin(x) * x + 1
    return by_turns(x, w, n - 1)


def alternating(x, w):
    return by_turns(x, w, 24)


def few(x, w):
    return iterated(x, w, 4)


def within_a_scan(x, w):
    return jax.lax.fori_loop(0, 3, lambda _, x: jnp.tanh(x @ w), x)


CASES = [
    case(power, X, W, of=(iterated,)),
    case(accumulated, X, W, of=(after_the_call,)),
    case(of_layers, X, WS),
    case(halves, array("float32", 1024, 4)),
    case(alternating, X, W),
    case(few, X, W),
    case(within_a_scan, X, W),
]
