"""Gradient of an MLP over a plain pytree: three layers going down, their backward twins coming
back, and gradients that leave by the paths of the params they belong to."""

import jax
import jax.numpy as jnp


def program():
    params = [{"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for _ in range(3)]

    def layer(p, x):
        return jnp.tanh(x @ p["w"] + p["b"])

    def loss(params, x, y):
        for p in params:
            x = layer(p, x)
        return jnp.mean((x - y) ** 2)

    return jax.grad(loss), (params, jnp.ones((4, 8)), jnp.ones((4, 8)))
