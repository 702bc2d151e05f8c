"""Calls, loops and branches."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from programs.call import CALLS, Call, called_with, shaped


@jax.jit
def double(x):
    return x + x


@called_with(shaped(3))
def nested_jit(x):
    return jax.jit(lambda y: double(y) * 2)(x)


@called_with(shaped(3))
def shared_jit(x):
    return double(x) - double(x * 3)


@called_with(shaped(5))
def scan_sum(xs):
    def step(total, x):
        return total + x, total

    return lax.scan(step, 0.0, xs)


CALLS["vmap_scan"] = Call(jax.vmap(scan_sum), (shaped(2, 5),))


@called_with(shaped(5, 3), shaped(3))
def scan_with_cond(xs, bias):
    def step(carry, x):
        carry = lax.cond(carry.sum() > 0, lambda c: c + x, lambda c: c * bias, carry)
        return carry, carry.max()

    return lax.scan(step, jnp.zeros(3), xs)


@called_with(shaped(), shaped(3))
def while_newton(start, coefficients):
    def going(state):
        step, x = state
        return (step < 10) & (jnp.abs(x) > 1e-3)

    def newton(state):
        step, x = state
        return step + 1, x - jnp.polyval(coefficients, x) * 0.1

    return lax.while_loop(going, newton, (0, start))


@called_with(shaped(3), 4)
def fori(x, n):
    return lax.fori_loop(0, n, lambda i, c: c * i + x, x)


@called_with(True, shaped(3))
def cond_two(flag, x):
    return lax.cond(flag, jnp.sin, jnp.cos, x)


@called_with(1, shaped(3))
def switch_three(index, x):
    return lax.switch(index, [lambda y: y, lambda y: y * 2, jnp.exp], x)


@called_with(shaped(4, 3))
def reduce_with_body(x):
    return lax.reduce(x, 0.0, lambda a, b: a * b + a, (0,))


def layer(w, x):
    return jnp.tanh(x @ w) * 2 + x.sum()


def chosen(weights, x):
    x = layer(weights["first"], x)
    x = lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x)
    return jnp.mean(layer(weights["last"], x) ** 2)


@called_with({"first": shaped(4, 4), "last": shaped(4, 4)}, shaped(2, 4))
def grad_of_cond(weights, x):
    return jax.grad(chosen)(weights, x)
