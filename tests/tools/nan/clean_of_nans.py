"""Calls without a NaN in their results, and without an infinity that was born in them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from planted_nans import TIMES, X, scanned, straight


def attention(q):
    scores = jnp.where(jnp.tril(jnp.ones((4, 4), bool)), q @ q.T, -jnp.inf)
    return jax.nn.softmax(scores) @ q


CLEAN = {
    "straight": (straight, (jnp.ones(3),)),
    "a masked logarithm": (lambda x: jnp.where(x > 0, jnp.log(x), 0.0), (X,)),
    "attention": (attention, (jnp.ones((4, 3)),)),
    "grad of attention": (jax.grad(lambda q: attention(q).sum()), (jnp.ones((4, 3)),)),
    "max of nothing": (lambda x: jnp.max(x[:0], initial=-jnp.inf), (X,)),
    "masked max": (lambda x: jnp.max(x, where=x > 9, initial=-jnp.inf), (X,)),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, where=x > 0), (X,)),
    "integers": (lambda x: x // 2, (jnp.arange(3),)),
    "scan": (scanned, (1.0, TIMES[:20])),
    "while": (lambda x: lax.while_loop(lambda c: c < 9.0, lambda c: c + jnp.sqrt(c), x), (1.0,)),
    "nan_to_num": (lambda x: jnp.nan_to_num(jnp.log(x)), (X,)),
    "random": (lambda key: jax.random.normal(key, (100,)), (jax.random.key(0),)),
    "sort": (jnp.sort, (X,)),
    "no result": (lambda x: (), (X,)),
}
