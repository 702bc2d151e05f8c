"""Derivatives, JAX's own and those that the user gives."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from programs.call import CALLS, Call, called_with, shaped


@called_with(shaped(3))
def relu(x):
    return jax.nn.relu(x)


@called_with(shaped(3))
def relu_slope(x):
    return jax.grad(lambda y: jax.nn.relu(y).sum())(x)


@jax.custom_vjp
def clipped(x):
    return x * 2


def clipped_forward(x):
    return clipped(x), x


def clipped_backward(x, slope):
    return (jnp.clip(slope, -1, 1) * x,)


clipped.defvjp(clipped_forward, clipped_backward)


@called_with(shaped(3))
def custom_vjp(x):
    return clipped(x).sum()


@called_with(shaped(3))
def custom_vjp_slope(x):
    return jax.grad(custom_vjp)(x)


@called_with(shaped(3))
def remat_slope(x):
    return jax.grad(lambda y: jax.checkpoint(lambda z: jnp.sin(jnp.sin(z)))(y).sum())(x)


def loss(params, batch):
    x, y = batch
    for w in params["layers"]:
        x = jax.nn.relu(x @ w)
    return jnp.mean((x - y) ** 2)


def train_step(params, batch, rate=0.1):
    value, slopes = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - rate * g, params, slopes), value


called_with({"layers": [shaped(4, 4), shaped(4, 4)]}, (shaped(2, 4), shaped(2, 4)))(train_step)


CALLS["grad_loss"] = Call(
    jax.grad(loss), ({"layers": [shaped(4, 4)]}, (shaped(2, 4), shaped(2, 4)))
)


@jax.jit
def energy(x):
    return jnp.sum(jnp.tanh(x) ** 2)


@called_with(shaped(3))
def grad_of_jit(x):
    return jax.grad(energy)(x)
