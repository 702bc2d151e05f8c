"""Flax NNX: Q-learning, a decoder with a cache, a UNet, and a loss that contrasts two views."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from . import Call


class QNetwork(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.hidden = nnx.Linear(4, 32, rngs=rngs)
        self.out = nnx.Linear(32, 3, rngs=rngs)

    def __call__(self, observation: Any) -> Any:
        return self.out(nnx.relu(self.hidden(observation)))


def nnx_dqn() -> Call:
    online, target = QNetwork(nnx.Rngs(0)), QNetwork(nnx.Rngs(0))
    optimizer = nnx.Optimizer(online, optax.adam(1e-3), wrt=nnx.Param)

    @nnx.jit
    def train_step(online: QNetwork, target: QNetwork, optimizer: Any, batch: Any) -> Any:
        def loss_fn(online: QNetwork) -> Any:
            q = jnp.take_along_axis(online(batch["obs"]), batch["action"][:, None], axis=1)[:, 0]
            next_q = target(batch["next_obs"]).max(axis=1)
            goal = batch["reward"] + 0.99 * (1 - batch["done"]) * next_q
            return optax.huber_loss(q, jax.lax.stop_gradient(goal)).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(online)
        optimizer.update(online, grads)
        return loss

    obs, zeros = jnp.ones((8, 4)), jnp.zeros(8)
    batch = {
        "obs": obs, "next_obs": obs, "action": jnp.zeros(8, int), "reward": zeros, "done": zeros,
    }  # fmt: skip
    return train_step, (online, target, optimizer, batch)


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.norm_1 = nnx.LayerNorm(16, rngs=rngs)
        self.attn = nnx.MultiHeadAttention(2, 16, decode=True, rngs=rngs)
        self.norm_2 = nnx.LayerNorm(16, rngs=rngs)
        self.up = nnx.Linear(16, 32, rngs=rngs)
        self.down = nnx.Linear(32, 16, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = x + self.attn(self.norm_1(x))
        return x + self.down(nnx.gelu(self.up(self.norm_2(x))))


class Decoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.embed = nnx.Embed(50, 16, rngs=rngs)
        self.blocks = getattr(nnx, "List", list)([Block(rngs) for _ in range(2)])
        self.head = nnx.Linear(16, 50, rngs=rngs)

    def __call__(self, tokens: Any) -> Any:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def nnx_cached_decode() -> Call:
    model = Decoder(nnx.Rngs(0))
    for block in model.blocks:
        block.attn.init_cache((3, 12, 16))

    @nnx.jit
    def decode_step(model: Decoder, token: Any) -> Any:
        logits = model(token)
        return jnp.argmax(logits[:, -1], axis=-1)[:, None]

    return decode_step, (model, jnp.zeros((3, 1), int))


class ConvBlock(nnx.Module):
    def __init__(self, inside: int, outside: int, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Conv(inside, outside, (3, 3), rngs=rngs)
        self.norm = nnx.GroupNorm(outside, num_groups=2, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return nnx.relu(self.norm(self.conv(x)))


class UNet(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.down_1 = ConvBlock(1, 4, rngs)
        self.down_2 = ConvBlock(4, 8, rngs)
        self.middle = ConvBlock(8, 8, rngs)
        self.up_2 = ConvBlock(16, 4, rngs)
        self.up_1 = ConvBlock(8, 4, rngs)
        self.mask = nnx.Conv(4, 1, (1, 1), rngs=rngs)

    def __call__(self, x: Any) -> Any:
        first = self.down_1(x)
        second = self.down_2(nnx.max_pool(first, (2, 2), (2, 2)))
        x = self.middle(nnx.max_pool(second, (2, 2), (2, 2)))
        x = self.up_2(jnp.concatenate([upsample(x), second], axis=-1))
        x = self.up_1(jnp.concatenate([upsample(x), first], axis=-1))
        return self.mask(x)


def upsample(x: Any) -> Any:
    batch, height, width, channels = x.shape
    return jax.image.resize(x, (batch, 2 * height, 2 * width, channels), "nearest")


def nnx_unet() -> Call:
    model = UNet(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: UNet, optimizer: Any, images: Any, masks: Any) -> Any:
        def loss_fn(model: UNet) -> Any:
            return optax.sigmoid_binary_cross_entropy(model(images), masks).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    images = jnp.ones((2, 8, 8, 1))
    return train_step, (model, optimizer, images, images)


class Tower(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.hidden = nnx.Linear(12, 32, rngs=rngs)
        self.project = nnx.Linear(32, 8, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = self.project(nnx.relu(self.hidden(x)))
        return x / jnp.linalg.norm(x, axis=-1, keepdims=True)


class TwoTowers(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.image = Tower(rngs)
        self.text = Tower(rngs)

    def __call__(self, images: Any, texts: Any) -> Any:
        return self.image(images), self.text(texts)


def nnx_contrastive() -> Call:
    model = TwoTowers(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(1e-2), wrt=nnx.Param)

    def info_nce(images: Any, texts: Any) -> Any:
        similarity = images @ texts.T / 0.07
        labels = jnp.arange(similarity.shape[0])
        rows = optax.softmax_cross_entropy_with_integer_labels(similarity, labels)
        columns = optax.softmax_cross_entropy_with_integer_labels(similarity.T, labels)
        return (rows.mean() + columns.mean()) / 2

    @nnx.jit
    def train_step(model: TwoTowers, optimizer: Any, images: Any, texts: Any) -> Any:
        def loss_fn(model: TwoTowers) -> Any:
            return info_nce(*model(images, texts))

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    return train_step, (model, optimizer, jnp.ones((8, 12)), jnp.ones((8, 12)))


PROGRAMS = (nnx_dqn, nnx_cached_decode, nnx_unet, nnx_contrastive)
