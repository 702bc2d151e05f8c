from itertools import pairwise

import jax
import jax.numpy as jnp


def mlp(layers, x):
    for p in layers[:-1]:
        x = jax.nn.relu(x @ p["w"] + p["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def encoder(params, x):
    return jnp.split(mlp(params["encoder"], x), 2, -1)


def decoder(params, z):
    return mlp(params["decoder"], z)


def dense(*sizes):
    return [{"w": jnp.ones(s), "b": jnp.ones(s[1])} for s in pairwise(sizes)]


params = {"encoder": dense(64, 32, 16), "decoder": dense(8, 32, 64)}


def loss(params, key, x):
    mean, logvar = encoder(params, x)
    z = mean + jnp.exp(logvar / 2) * jax.random.normal(key, mean.shape)
    logits = decoder(params, z)
    nll = jnp.sum(jnp.logaddexp(0, logits) - x * logits, -1)
    kl = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), -1)
    return jnp.mean(nll + kl)


jax.value_and_grad(loss)(params, jax.random.key(0), jnp.ones((8, 64)))
