import jax
import jax.numpy as jnp

params = [{"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for _ in range(3)]


def layer(p, x):
    return jnp.tanh(x @ p["w"] + p["b"])


def loss(params, x, y):
    for p in params:
        x = layer(p, x)
    return jnp.mean((x - y) ** 2)


jax.grad(loss)(params, jnp.ones((4, 8)), jnp.ones((4, 8)))
