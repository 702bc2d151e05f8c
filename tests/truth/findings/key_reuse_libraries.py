"""Random keys that are used twice through libraries.

A sampler of JAX may use its key several times: that is its own matter."""

from __future__ import annotations

from typing import Any

import equinox
import haiku
import jax
import jax.numpy as jnp
from flax import linen
from jax import lax, random

from . import array, case

KEY = random.key(0)
X = array("float32", 4, 8)
DROPOUT = equinox.nn.Dropout(0.5)


class Layers(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.Dropout(0.5, deterministic=False)(jnp.tanh(x))
        return linen.Dropout(0.5, deterministic=False)(jnp.sin(x))


def _apply(key, x) -> Any:
    return Layers().apply({}, x, rngs={"dropout": key})


def linen_called_twice(key, x):
    one = _apply(key, x)
    two = _apply(key, x)  # finds: key-reuse
    return one - two


def linen_in_scan(key, xs):
    def step(total, x):
        return total + _apply(key, x), x  # finds: key-reuse

    return lax.scan(step, xs[0], xs)


def equinox_dropouts(key, x):
    x = DROPOUT(x, key=key)
    return DROPOUT(jnp.tanh(x), key=key)  # finds: key-reuse


def equinox_layers(key, x):
    one = equinox.nn.Linear(8, 8, key=key)
    two = equinox.nn.Linear(8, 8, key=key)  # finds: key-reuse
    return jax.vmap(two)(jax.vmap(one)(x))


def haiku_dropouts(key, x):
    x = haiku.dropout(key, 0.5, x)
    return haiku.dropout(key, 0.5, x)  # finds: key-reuse


# Near misses


def linen_called_once(key, x):
    return _apply(key, x)


def linen_with_other_keys(key, x):
    one, two = random.split(key)
    return _apply(one, x) - _apply(two, x)


def equinox_split(key, x):
    one, two = random.split(key)
    return DROPOUT(jnp.tanh(DROPOUT(x, key=one)), key=two)


def haiku_sequence(key, x):
    keys = haiku.PRNGSequence(key)
    return haiku.dropout(next(keys), 0.5, haiku.dropout(next(keys), 0.5, x))


def haiku_called_once(key, x):
    return haiku.transform(lambda x: haiku.dropout(haiku.next_rng_key(), 0.5, x)).apply({}, key, x)


SAMPLERS = {
    "beta": lambda key: random.beta(key, 2.0, 3.0),
    "binomial": lambda key: random.binomial(key, 3.0, 0.2),
    "categorical": lambda key: random.categorical(key, jnp.ones(3)),
    "choice": lambda key: random.choice(key, 10, (3,), replace=False),
    "dirichlet": lambda key: random.dirichlet(key, jnp.ones(3)),
    "gamma": lambda key: random.gamma(key, 2.0),
    "multivariate_normal": lambda key: random.multivariate_normal(key, jnp.ones(3), jnp.eye(3)),
    "orthogonal": lambda key: random.orthogonal(key, 3),
    "permutation": lambda key: random.permutation(key, 100),
    "poisson": lambda key: random.poisson(key, 3.0),
    "randint": lambda key: random.randint(key, (3,), 0, 10),
    "t": lambda key: random.t(key, 3.0),
    "truncated_normal": lambda key: random.truncated_normal(key, -1.0, 1.0),
}

WITH_KEY = [
    linen_called_twice, linen_in_scan, equinox_dropouts, equinox_layers, haiku_dropouts,
    linen_called_once, linen_with_other_keys, equinox_split, haiku_sequence, haiku_called_once,
]  # fmt: skip
CASES = [
    *(case(fun, KEY, X) for fun in WITH_KEY),
    *(case(fun, KEY)._replace(name=name) for name, fun in SAMPLERS.items()),
]
