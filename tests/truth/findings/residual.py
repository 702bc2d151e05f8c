"""Loops whose turns keep far more for the backward pass than there are arguments.

Each program that has it can be made with `jax.checkpoint` around its turns (`around`), and has to
need that much less memory then.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from . import array, case


def dense(x, p):
    return x + jax.nn.gelu(x @ p["up"]) @ p["down"], None


def loss_of_layers(turn, params, x):
    return jnp.mean(lax.scan(turn, x, params)[0] ** 2)  # finds: residual


def layers(params, x, around=lambda turn: turn):
    return jax.grad(partial(loss_of_layers, around(dense)))(params, x)


def attend(x, p):
    scores = jnp.einsum("bqd,bkd->bqk", x @ p["q"], x @ p["k"]) / 8
    return x + jax.nn.softmax(scores) @ (x @ p["v"]), None


def attention(params, x, around=lambda turn: turn):
    def loss(params):
        y, _ = lax.scan(around(attend), x, params)  # finds: residual
        return jnp.mean(y**2)

    return jax.value_and_grad(loss)(params)


def recurrent(p, xs, around=lambda turn: turn):
    def cell(h, x):
        gate = jax.nn.sigmoid(x @ p["gate"] + h)
        new = jnp.tanh(x @ p["new"] + jnp.sin(h))
        return gate * h + (1 - gate) * new, None

    def loss(p, xs):
        first = jnp.zeros((512, 512))
        return jnp.sum(lax.scan(around(cell), first, xs)[0])  # finds: residual

    return jax.grad(loss, argnums=1)(p, xs)


def integrated(y, around=lambda turn: turn):
    def turn(_, y):
        slope = jnp.sin(y) * jnp.cos(2 * y) + jnp.tanh(3 * y)
        return y + 0.01 * slope

    def loss(y):
        end = lax.fori_loop(0, 100, around(turn), y)  # finds: residual
        return jnp.sum(end)

    return jax.grad(loss)(y)


def mapped(w, xs, around=lambda turn: turn):
    def one(w, x):
        return jnp.mean(jnp.sin(jnp.tanh(x @ w)) ** 2)

    def loss(w):
        return jnp.sum(lax.map(around(partial(one, w)), xs))  # finds: residual

    return jax.grad(loss)(w)


# Near misses


def again(params, x):
    return jax.grad(partial(quiet_loss, jax.checkpoint(dense)))(params, x)


def quiet_loss(turn, params, x):
    return jnp.mean(lax.scan(turn, x, params)[0] ** 2)


def few(params, x):
    return jax.grad(partial(quiet_loss, dense))(params, x)


def large_arguments(params, x):
    return jax.grad(partial(quiet_loss, dense))(params, x)


def forward_alone(params, x):
    return quiet_loss(dense, params, x)


def carried_alone(ws, x):
    def loss(ws):
        return jnp.mean(lax.scan(lambda x, w: (x @ w, None), x, ws)[0] ** 2)

    return jax.grad(loss)(ws)


def returned(params, x):
    def turn(x, p):
        h = x @ p["up"]
        return x + h @ p["down"], h

    def loss(params):
        y, hidden = lax.scan(turn, x, params)
        return jnp.mean(y**2), hidden

    return jax.grad(loss, has_aux=True)(params)


def gradient_in_each_turn(w, xs):
    def turn(total, x):
        return total + jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w), None

    return lax.scan(turn, jnp.zeros_like(w), xs)[0]


def with_a_policy(params, x):
    turn = jax.checkpoint(dense, policy=jax.checkpoint_policies.dots_saveable)
    return jax.grad(partial(quiet_loss, turn))(params, x)


def in_python(params, x):
    def loss(params):
        y = x
        for p in params:
            y = dense(y, p)[0]
        return jnp.mean(y**2)

    return jax.grad(loss)(params)


def silenced(params, x):
    def loss(params):
        return jnp.mean(lax.scan(dense, x, params)[0] ** 2)  # jaxviz: ignore residual

    return jax.grad(loss)(params)


def stacked(count, width=256, wide=1024):
    return {
        "up": array("float32", count, width, wide),
        "down": array("float32", count, wide, width),
    }


X = array("float32", 8192, 256)
HEADS = {name: array("float32", 12, 64, 64) for name in "qkv"}
CELL = {name: array("float32", 512, 512) for name in ("gate", "new")}
ONE = {"up": array("float32", 256, 1024), "down": array("float32", 1024, 256)}
FOUND = [
    case(layers, stacked(8), X, of=(loss_of_layers,)),
    case(attention, HEADS, array("float32", 4, 1024, 64)),
    case(recurrent, CELL, array("bfloat16", 128, 512, 512)),
    case(integrated, array("float32", 1024, 1024)),
    case(mapped, array("float32", 64, 1024), array("float32", 64, 4096, 64)),
]
CASES = [
    *FOUND,
    case(again, stacked(8), X),
    case(few, stacked(8, 64, 64), array("float32", 128, 64)),
    case(large_arguments, stacked(8, 1024, 4096), array("float32", 1024, 1024)),
    case(forward_alone, stacked(8), X),
    case(carried_alone, array("float32", 64, 256, 256), X),
    case(returned, stacked(8), X),
    case(gradient_in_each_turn, array("float32", 64, 1024), array("float32", 64, 4096, 64)),
    case(with_a_policy, stacked(8), X),
    case(in_python, [ONE] * 8, X),
    case(silenced, stacked(8), X),
]
