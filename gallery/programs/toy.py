"""Five eqns. All of it fits the first view at full size, and reads like the source line by line."""

import jax.numpy as jnp


def program():
    def f(x, y):
        return jnp.sum(jnp.sin(x) * y + x**2)

    return f, (jnp.ones(3), jnp.ones(3))
