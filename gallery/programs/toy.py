import jax.numpy as jnp


def f(x, y):
    return jnp.sum(jnp.sin(x) * y + x**2)


f(jnp.ones(3), jnp.ones(3))
