import jax
import jax.numpy as jnp


def next_token(key, logits, temperature):
    logits = logits / temperature
    values, _ = jax.lax.top_k(logits, 50)
    logits = jnp.where(logits < values[..., -1:], -jnp.inf, logits)
    ordered = jnp.sort(logits, descending=True)
    mass = jnp.cumsum(jax.nn.softmax(ordered), -1)
    cutoff = jnp.sum(mass < 0.9, -1, keepdims=True)
    logits = jnp.where(logits < jnp.take_along_axis(ordered, cutoff, -1), -jnp.inf, logits)
    key, use = jax.random.split(key)
    return key, jax.random.categorical(use, logits)


next_token(jax.random.key(0), jnp.ones((2, 1000)), 0.8)
