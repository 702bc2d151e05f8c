"""Training steps of several libraries, whose outlines are read as text."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx

Call = tuple[Any, tuple[Any, ...]]


def scopes_step() -> Call:
    """An MLP whose layers are named scopes, and plain gradient descent."""
    params = [{"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for _ in range(3)]

    def loss(params: Any, x: Any) -> Any:
        for number, layer in enumerate(params):
            with jax.named_scope(f"layer{number}"):
                with jax.named_scope("affine"):
                    x = x @ layer["w"] + layer["b"]
                x = jnp.tanh(x) * jax.nn.sigmoid(x)
        with jax.named_scope("loss"):
            return jnp.mean((x - 1.0) ** 2)

    def step(params: Any, x: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, (params, jnp.ones((4, 8)))


def plain_step() -> Call:
    """Functions over pytrees: no scopes, no modules, no optimizer's library."""

    def layer(p: Any, x: Any) -> Any:
        return jax.nn.relu(x @ p["w"] + p["b"]) * p["scale"]

    def loss(params: Any, x: Any, y: Any) -> Any:
        x = params["embed"][x]
        for p in params["layers"]:
            x = layer(p, x)
        logits = x @ params["head"]["w"] + params["head"]["b"]
        return -jnp.mean(jax.nn.log_softmax(logits)[y])

    def step(params: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
        return value, params

    def dense(n: int) -> Any:
        return {"w": jnp.ones((8, n)), "b": jnp.ones(n)}

    layers = [dense(8) | {"scale": jnp.ones(8)} for _ in range(3)]
    params = {"embed": jnp.ones((16, 8)), "layers": layers, "head": dense(16)}
    return step, (params, jnp.zeros(4, int), jnp.zeros(4, int))


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
        self.layers = nnx.List([Block(width, rngs) for _ in range(2)])
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
        logits = model.apply(params, tokens)
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


def mlp_adam() -> Call:
    """A small multi-layer perceptron under Adam."""

    def dense(p: Any, x: Any) -> Any:
        return jnp.tanh(x @ p["w"] + p["b"])

    def loss(params: Any, x: Any, y: Any) -> Any:
        for p in params["layers"]:
            x = dense(p, x)
        logits = x @ params["head"]["w"] + params["head"]["b"]
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    optimizer = optax.adam(1e-3)

    def step(params: Any, state: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    def weights(inputs: int, outputs: int) -> Any:
        return {"w": jnp.ones((inputs, outputs)), "b": jnp.ones(outputs)}

    params = {"layers": [weights(8, 8) for _ in range(3)], "head": weights(8, 4)}
    return step, (params, optimizer.init(params), jnp.ones((4, 8)), jnp.zeros(4, int))
