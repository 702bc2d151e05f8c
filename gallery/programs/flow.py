import jax
import jax.numpy as jnp


def network(p, x):
    return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def coupling(p, x):
    a, b = jnp.split(x, 2, -1)
    scale = jnp.tanh(network(p["scale"], a))
    b = b * jnp.exp(scale) + network(p["shift"], a)
    return jnp.concatenate([b, a], -1), scale.sum(-1)


net = {"w1": jnp.ones((4, 16)), "b1": jnp.ones(16), "w2": jnp.ones((16, 4)), "b2": jnp.ones(4)}
params = [{"scale": net, "shift": net} for _ in range(4)]


def log_prob(params, x):
    total = jnp.zeros(x.shape[0])
    for p in params:
        x, logdet = coupling(p, x)
        total = total + logdet
    return jax.scipy.stats.norm.logpdf(x).sum(-1) + total


log_prob(params, jnp.ones((5, 8)))
