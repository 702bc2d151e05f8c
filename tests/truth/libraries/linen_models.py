"""Flax linen, as its documentation writes it: modules of scopes, and a `TrainState`."""

from __future__ import annotations

from functools import partial
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

from . import Call, made


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        x = nn.relu(nn.Conv(features=4, kernel_size=(3, 3))(x))
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = nn.relu(nn.Conv(features=8, kernel_size=(3, 3))(x))
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(features=16)(x))
        return nn.Dense(features=10)(x)


def linen_mnist() -> Call:
    @jax.jit
    def train_step(state: Any, batch: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            logits = state.apply_fn({"params": params}, batch["image"])
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

        grads = jax.grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads)

    cnn = CNN()
    params = made(cnn.init, jax.random.key(0), jnp.ones((1, 8, 8, 1)))["params"]
    tx = optax.sgd(0.01, 0.9)
    state = train_state.TrainState.create(apply_fn=cnn.apply, params=params, tx=tx)
    batch = {"image": jnp.ones((2, 8, 8, 1)), "label": jnp.zeros(2, jnp.int32)}
    return train_step, (state, batch)


class NormMLP(nn.Module):
    @nn.compact
    def __call__(self, x: Any, train: bool) -> Any:
        x = nn.Dense(16)(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.relu(x)
        return nn.Dense(4)(x)


class NormState(train_state.TrainState):
    batch_stats: Any


def linen_batch_norm() -> Call:
    @jax.jit
    def train_step(state: Any, x: Any, y: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            variables = {"params": params, "batch_stats": state.batch_stats}
            y_pred, updates = state.apply_fn(variables, x, train=True, mutable=["batch_stats"])
            return optax.l2_loss(y_pred, y).mean(), updates

        (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
        state = state.apply_gradients(grads=grads)
        state = state.replace(batch_stats=updates["batch_stats"])
        return state, loss

    model = NormMLP()
    init = partial(model.init, train=False)
    variables = made(init, jax.random.key(0), jnp.ones((1, 8)))
    state = NormState.create(
        apply_fn=model.apply, params=variables["params"], tx=optax.adam(1e-3),
        batch_stats=variables["batch_stats"],
    )  # fmt: skip
    return train_step, (state, jnp.ones((4, 8)), jnp.ones((4, 4)))


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x: Any, _: Any) -> Any:
        y = nn.LayerNorm()(x)
        y = nn.Dense(16)(y)
        return x + nn.Dense(8)(nn.gelu(y)), None


class Stack(nn.Module):
    @nn.compact
    def __call__(self, tokens: Any) -> Any:
        x = nn.Embed(16, 8, name="embed")(tokens)
        layers = nn.scan(
            nn.remat(Layer, prevent_cse=False), variable_axes={"params": 0},
            split_rngs={"params": True}, length=4,
        )  # fmt: skip
        x, _ = layers(name="layers")(x, None)
        return nn.Dense(16, name="head")(x)


def linen_scan_remat() -> Call:
    model, tokens = Stack(), jnp.zeros((2, 4), jnp.int32)
    params = made(model.init, jax.random.key(0), tokens)
    optimizer = optax.adam(1e-3)

    @jax.jit
    def train_step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            logits: Any = model.apply(params, x)
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = optimizer.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return train_step, (params, made(optimizer.init, params), tokens, tokens)


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        x = nn.relu(nn.Dense(16, name="fc1")(x))
        return nn.Dense(2, name="fc2_mean")(x), nn.Dense(2, name="fc2_logvar")(x)


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, z: Any) -> Any:
        z = nn.relu(nn.Dense(16, name="fc1")(z))
        return nn.Dense(8, name="fc2")(z)


class VAE(nn.Module):
    def setup(self) -> None:
        self.encoder = Encoder()
        self.decoder = Decoder()

    def __call__(self, x: Any, z_rng: Any) -> Any:
        mean, logvar = self.encoder(x)
        z = reparameterize(z_rng, mean, logvar)
        return self.decoder(z), mean, logvar


def reparameterize(rng: Any, mean: Any, logvar: Any) -> Any:
    std = jnp.exp(0.5 * logvar)
    return mean + jax.random.normal(rng, logvar.shape) * std


@jax.vmap
def kl_divergence(mean: Any, logvar: Any) -> Any:
    return -0.5 * jnp.sum(1 + logvar - jnp.square(mean) - jnp.exp(logvar))


@jax.vmap
def binary_cross_entropy_with_logits(logits: Any, labels: Any) -> Any:
    logits = nn.log_sigmoid(logits)
    return -jnp.sum(labels * logits + (1.0 - labels) * jnp.log(-jnp.expm1(logits)))


def linen_vae() -> Call:
    @jax.jit
    def train_step(state: Any, batch: Any, z_rng: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            recon_x, mean, logvar = VAE().apply({"params": params}, batch, z_rng)  # pyright: ignore
            bce_loss = binary_cross_entropy_with_logits(recon_x, batch).mean()
            return bce_loss + kl_divergence(mean, logvar).mean()

        grads = jax.grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads)

    key, batch = jax.random.key(0), jnp.ones((4, 8))
    params = made(VAE().init, key, batch, key)["params"]
    tx = optax.adam(1e-3)
    state = train_state.TrainState.create(apply_fn=VAE().apply, params=params, tx=tx)
    return train_step, (state, batch, key)


PROGRAMS = (linen_mnist, linen_batch_norm, linen_scan_remat, linen_vae)
