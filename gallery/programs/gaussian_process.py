import jax
import jax.numpy as jnp


def kernel(p, a, b):
    return p["scale"] * jnp.exp(-0.5 * jnp.sum(((a - b) / p["length"]) ** 2))


def negative_likelihood(p, x, y):
    one = jax.vmap(lambda a: jax.vmap(lambda b: kernel(p, a, b))(x))
    gram = one(x) + p["noise"] * jnp.eye(x.shape[0])
    lower = jnp.linalg.cholesky(gram)
    white = jax.scipy.linalg.solve_triangular(lower, y, lower=True)
    return 0.5 * white @ white + jnp.log(jnp.diag(lower)).sum()


params = {"scale": 1.0, "length": jnp.ones(2), "noise": 0.1}

jax.value_and_grad(negative_likelihood)(params, jnp.ones((10, 2)), jnp.ones(10))
