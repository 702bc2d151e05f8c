"""Two models, each written in plain JAX, Flax NNX, Flax linen, Equinox and Haiku: a perceptron of
two layers, and a transformer's skeleton of an embedding, three blocks, a norm and a head."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from truth.libraries import Call, made, zeros
from truth.libraries.nnx_models import LIST
from truth.libraries.nnx_models import module as nnx_module
from truth.libraries.pytree_models import dense, layer_norm, weights

X, Y = jnp.ones((4, 8)), jnp.zeros(4, jnp.int32)
TOKENS = jnp.zeros((4, 6), jnp.int32)
entropy = optax.softmax_cross_entropy_with_integer_labels


def stepped(apply: Callable[..., Any], params: Any, x: Any, y: Any) -> Call:
    """The step of a model that is a function of its parameters."""
    optimizer = optax.adam(1e-3)

    @jax.jit
    def train_step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            return entropy(apply(params, x), y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return train_step, (params, made(optimizer.init, params), x, y)


def plain_mlp() -> Call:
    def net(params: Any, x: Any) -> Any:
        return dense(params["out"], jax.nn.relu(dense(params["hidden"], x)))

    return stepped(net, {"hidden": weights(8, 16), "out": weights(16, 4)}, X, Y)


def plain_transformer() -> Call:
    def block(p: Any, x: Any) -> Any:
        h = jax.nn.relu(dense(p["up"], layer_norm(p["norm"], x)))
        return x + dense(p["down"], h)

    def net(params: Any, tokens: Any) -> Any:
        x = params["embed"][tokens]
        for p in params["blocks"]:
            x = block(p, x)
        return dense(params["head"], layer_norm(params["norm"], x))

    norm = {"g": jnp.ones(8), "b": jnp.ones(8)}
    one = {"norm": norm, "up": weights(8, 16), "down": weights(16, 8)}
    params = {"embed": jnp.ones((16, 8)), "norm": norm, "head": weights(8, 16)}
    return stepped(net, params | {"blocks": [one] * 3}, TOKENS, TOKENS)


class NnxMLP(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.hidden = nnx.Linear(8, 16, rngs=rngs)
        self.out = nnx.Linear(16, 4, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.out(nnx.relu(self.hidden(x)))


class NnxBlock(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.norm = nnx.LayerNorm(8, rngs=rngs)
        self.up = nnx.Linear(8, 16, rngs=rngs)
        self.down = nnx.Linear(16, 8, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return x + self.down(nnx.relu(self.up(self.norm(x))))


class NnxTransformer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.embed = nnx.Embed(16, 8, rngs=rngs)
        self.blocks = LIST([NnxBlock(rngs) for _ in range(3)])
        self.norm = nnx.LayerNorm(8, rngs=rngs)
        self.head = nnx.Linear(8, 16, rngs=rngs)

    def __call__(self, tokens: Any) -> Any:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def nnx_stepped(make: Any, x: Any, y: Any) -> Call:
    @nnx.jit
    def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        def loss_fn(model: Any) -> Any:
            return entropy(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = nnx_module(lambda: make(nnx.Rngs(0)))
    optimizer = nnx_module(lambda: nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param))
    return train_step, (model, optimizer, x, y)


class LinenMLP(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        return nn.Dense(4, name="out")(nn.relu(nn.Dense(16, name="hidden")(x)))


class LinenBlock(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        h = nn.relu(nn.Dense(16, name="up")(nn.LayerNorm(name="norm")(x)))
        return x + nn.Dense(8, name="down")(h)


class LinenTransformer(nn.Module):
    @nn.compact
    def __call__(self, tokens: Any) -> Any:
        x = nn.Embed(16, 8, name="embed")(tokens)
        for index in range(3):
            x = LinenBlock(name=f"blocks_{index}")(x)
        return nn.Dense(16, name="head")(nn.LayerNorm(name="norm")(x))


def linen_stepped(model: Any, x: Any, y: Any) -> Call:
    return stepped(model.apply, made(model.init, jax.random.key(0), x), x, y)


class EquinoxMLP(eqx.Module):
    hidden: eqx.nn.Linear
    out: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.hidden = eqx.nn.Linear(8, 16, key=key)
        self.out = eqx.nn.Linear(16, 4, key=key)

    def __call__(self, x: Any) -> Any:
        return self.out(jax.nn.relu(self.hidden(x)))


class EquinoxBlock(eqx.Module):
    norm: eqx.nn.LayerNorm
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.norm = eqx.nn.LayerNorm(8)
        self.up = eqx.nn.Linear(8, 16, key=key)
        self.down = eqx.nn.Linear(16, 8, key=key)

    def __call__(self, x: Any) -> Any:
        return x + self.down(jax.nn.relu(self.up(self.norm(x))))


class EquinoxTransformer(eqx.Module):
    embed: eqx.nn.Embedding
    blocks: list[EquinoxBlock]
    norm: eqx.nn.LayerNorm
    head: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.embed = eqx.nn.Embedding(16, 8, key=key)
        self.blocks = [EquinoxBlock(key) for _ in range(3)]
        self.norm = eqx.nn.LayerNorm(8)
        self.head = eqx.nn.Linear(8, 16, key=key)

    def __call__(self, tokens: Any) -> Any:
        x = jax.vmap(self.embed)(tokens)
        for block in self.blocks:
            x = jax.vmap(block)(x)
        return jax.vmap(self.head)(jax.vmap(self.norm)(x))


def equinox_stepped(make: Any, x: Any, y: Any) -> Call:
    optimizer = optax.adam(1e-3)

    @eqx.filter_jit
    def train_step(model: Any, opt_state: Any, x: Any, y: Any) -> Any:
        @eqx.filter_value_and_grad
        def loss_fn(model: Any) -> Any:
            return entropy(jax.vmap(model)(x), y).mean()

        loss, grads = loss_fn(model)
        updates, opt_state = optimizer.update(grads, opt_state, model)
        return eqx.apply_updates(model, updates), opt_state, loss

    model = zeros(eqx.filter_eval_shape(make, jax.random.key(0)))
    opt_state = zeros(eqx.filter_eval_shape(optimizer.init, eqx.filter(model, eqx.is_array)))
    return train_step, (model, opt_state, x, y)


def haiku_mlp(x: Any) -> Any:
    return hk.Linear(4, name="out")(jax.nn.relu(hk.Linear(16, name="hidden")(x)))


class HaikuBlock(hk.Module):
    def __call__(self, x: Any) -> Any:
        h = hk.LayerNorm(-1, True, True, name="norm")(x)
        return x + hk.Linear(8, name="down")(jax.nn.relu(hk.Linear(16, name="up")(h)))


def haiku_transformer(tokens: Any) -> Any:
    x = hk.Embed(16, 8, name="embed")(tokens)
    for index in range(3):
        x = HaikuBlock(name=f"blocks_{index}")(x)
    return hk.Linear(16, name="head")(hk.LayerNorm(-1, True, True, name="norm")(x))


def haiku_stepped(net: Any, x: Any, y: Any) -> Call:
    model = hk.without_apply_rng(hk.transform(net))
    return stepped(model.apply, made(model.init, jax.random.key(0), x), x, y)


STYLES: dict[str, dict[str, Callable[[], Call]]] = {
    "mlp": {
        "plain JAX": plain_mlp,
        "Flax NNX": partial(nnx_stepped, NnxMLP, X, Y),
        "Flax linen": partial(linen_stepped, LinenMLP(), X, Y),
        "Equinox": partial(equinox_stepped, EquinoxMLP, X, Y),
        "Haiku": partial(haiku_stepped, haiku_mlp, X, Y),
    },
    "transformer": {
        "plain JAX": plain_transformer,
        "Flax NNX": partial(nnx_stepped, NnxTransformer, TOKENS, TOKENS),
        "Flax linen": partial(linen_stepped, LinenTransformer(), TOKENS, TOKENS),
        "Equinox": partial(equinox_stepped, EquinoxTransformer, TOKENS, TOKENS),
        "Haiku": partial(haiku_stepped, haiku_transformer, TOKENS, TOKENS),
    },
}
"""Each model by style: a training step with Adam, and the arguments of a call of it."""
