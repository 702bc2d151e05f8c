"""Training steps written with several libraries, for tests that read their outlines as text."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from models import Call, dense, weights
from transformers import cross_entropy, gpt_logits, gpt_params


class Block(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs) -> None:
        self.ln1 = nnx.LayerNorm(width, rngs=rngs)
        self.attn = nnx.MultiHeadAttention(2, width, decode=False, rngs=rngs)
        self.ln2 = nnx.LayerNorm(width, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = x + self.attn(self.ln1(x))
        return x + self.down(nnx.gelu(self.up(self.ln2(x))))


class Transformer(nnx.Module):
    def __init__(self, words: int, width: int, rngs: nnx.Rngs) -> None:
        self.embed = nnx.Embed(words, width, rngs=rngs)
        self.layers = getattr(nnx, "List", list)([Block(width, rngs) for _ in range(2)])
        self.norm = nnx.LayerNorm(width, rngs=rngs)
        self.head = nnx.Linear(width, words, rngs=rngs)

    def __call__(self, tokens: Any) -> Any:
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def nnx_step() -> Call:
    """A transformer of Flax NNX under Adam."""
    graphdef, params = nnx.split(Transformer(16, 8, nnx.Rngs(0)))
    optimizer = optax.adam(1e-3)

    def loss(params: Any, tokens: Any) -> Any:
        logits = nnx.merge(graphdef, params)(tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    def step(params: Any, state: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, tokens)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return step, (params, optimizer.init(params), jnp.zeros((2, 5), jnp.int32))


class LinenBlock(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        y = nn.LayerNorm()(x)
        return x + nn.Dense(8)(nn.gelu(nn.Dense(16)(y)))


class LinenModel(nn.Module):
    @nn.compact
    def __call__(self, tokens: Any) -> Any:
        x = nn.Embed(16, 8)(tokens)
        for _ in range(2):
            x = LinenBlock()(x)
        return nn.Dense(16)(x)


def linen_step() -> Call:
    """A Flax linen model: its modules are name scopes."""
    model = LinenModel()
    tokens = jnp.zeros((2, 4), jnp.int32)
    params = model.init(jax.random.key(0), tokens)

    def loss(params: Any, tokens: Any) -> Any:
        logits: Any = model.apply(params, tokens)
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens).mean()

    return jax.value_and_grad(loss), (params, tokens)


class Residual(eqx.Module):
    up: eqx.nn.Linear
    down: eqx.nn.Linear
    norm: eqx.nn.LayerNorm

    def __init__(self, key: Any) -> None:
        self.up = eqx.nn.Linear(8, 16, key=key)
        self.down = eqx.nn.Linear(16, 8, key=key)
        self.norm = eqx.nn.LayerNorm(8)

    def __call__(self, x: Any) -> Any:
        return x + self.down(jax.nn.gelu(self.up(self.norm(x))))


class EquinoxModel(eqx.Module):
    blocks: list[Residual]
    head: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.blocks = [Residual(key) for _ in range(3)]
        self.head = eqx.nn.Linear(8, 2, key=key)

    def __call__(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def equinox_step() -> Call:
    """An Equinox model, mapped over a batch."""
    model, static = eqx.partition(EquinoxModel(jax.random.key(0)), eqx.is_array)

    def loss(model: Any, x: Any) -> Any:
        out = jax.vmap(eqx.combine(model, static))(x)
        return jnp.mean(out**2)

    return jax.value_and_grad(loss), (model, jnp.ones((4, 8)))


def haiku_step() -> Call:
    """A convolutional network of Haiku under momentum."""

    def network(x: Any) -> Any:
        for channels in (4, 8):
            x = hk.Conv2D(channels, 3, stride=2)(x)
            x = jax.nn.relu(hk.LayerNorm(-1, True, True)(x))
        return hk.nets.MLP([16, 10])(x.reshape(x.shape[0], -1))

    model = hk.without_apply_rng(hk.transform(network))
    image = jnp.ones((2, 8, 8, 1))
    params = model.init(jax.random.key(0), image)
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss(params: Any, image: Any, label: Any) -> Any:
        return cross_entropy(model.apply(params, image), label)

    def step(params: Any, state: Any, image: Any, label: Any) -> Any:
        grads = jax.grad(loss)(params, image, label)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state

    return step, (params, optimizer.init(params), image, jnp.zeros(2, int))


def adam_step(params: Any, loss: Any, *batch: Any, optimizer: Any = None) -> Call:
    """One step of Optax on `loss(params, *batch)`."""
    optimizer = optimizer or optax.adam(1e-3)

    def step(params: Any, state: Any, *batch: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return step, (params, optimizer.init(params), *batch)


def mlp_adam() -> Call:
    """A small multi-layer perceptron under Adam."""

    def loss(params: Any, x: Any, y: Any) -> Any:
        for p in params["layers"]:
            x = jnp.tanh(dense(p, x))
        logits = dense(params["head"], x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    params = {"layers": [weights(8, 8) for _ in range(3)], "head": weights(8, 4)}
    return adam_step(params, loss, jnp.ones((4, 8)), jnp.zeros(4, int))


def adamw_step() -> Call:
    """Two layers of a transformer under AdamW, with clipping and a schedule."""
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 1000)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))

    def loss(params: Any, tokens: Any) -> Any:
        return cross_entropy(gpt_logits(params, tokens[:, :-1]), tokens[:, 1:])

    return adam_step(gpt_params(2), loss, jnp.zeros((2, 9), int), optimizer=optimizer)
