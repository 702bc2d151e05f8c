import jax
import jax.numpy as jnp


def ridge(x, y, penalty):
    gram = x.T @ x + penalty * jnp.eye(x.shape[1])
    right = x.T @ y
    by_cholesky = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(gram), right)
    by_solve = jnp.linalg.solve(gram, right)
    u, s, vt = jnp.linalg.svd(x, full_matrices=False)
    by_svd = vt.T @ ((s / (s**2 + penalty))[:, None] * (u.T @ y))
    spread = jnp.max(jnp.stack([by_cholesky - by_solve, by_solve - by_svd]))
    return by_solve, spread, jnp.linalg.slogdet(gram)


ridge(jnp.ones((20, 5)), jnp.ones((20, 2)), 0.1)
