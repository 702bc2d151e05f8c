import jax
import jax.numpy as jnp


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1) * 2


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.where(jnp.abs(x) < 1, g, 0.1 * g),))


@jax.custom_jvp
def softplus(x):
    return jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.maximum(x, 0)


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return softplus(x), jax.nn.sigmoid(x) * dx


def loss(w, x):
    return jnp.sum(softplus(clipped(x @ w)) + clipped(w).sum())


def f(w, x):
    return loss(w, x), jax.grad(loss)(w, x), jax.jvp(softplus, (x,), (x,))


f(jnp.ones((4, 4)), jnp.ones((2, 4)))
