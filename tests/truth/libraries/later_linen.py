"""Flax linen: agents, decoders with a cache, stacks of layers that are scanned and recomputed."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

from . import Call, made


class ActorCritic(nn.Module):
    @nn.compact
    def __call__(self, observation: Any) -> Any:
        x = nn.tanh(nn.Dense(32, name="torso_0")(observation))
        x = nn.tanh(nn.Dense(32, name="torso_1")(x))
        return nn.Dense(4, name="policy")(x), nn.Dense(1, name="value")(x)[..., 0]


def linen_ppo() -> Call:
    network = ActorCritic()

    def advantages_of(rewards: Any, values: Any, last_value: Any) -> Any:
        def backwards(carry: Any, step: Any) -> Any:
            advantage, next_value = carry
            reward, value = step
            delta = reward + 0.99 * next_value - value
            advantage = delta + 0.99 * 0.95 * advantage
            return (advantage, value), advantage

        start = jnp.zeros_like(last_value), last_value
        _, advantages = jax.lax.scan(backwards, start, (rewards, values), reverse=True)
        return advantages

    @jax.jit
    def update(
        state: Any, observations: Any, actions: Any, old_log_probs: Any, rewards: Any
    ) -> Any:
        _, values = state.apply_fn({"params": state.params}, observations)
        advantages = advantages_of(rewards, values, values[-1])
        targets = advantages + values

        def loss_fn(params: Any) -> Any:
            logits, value = state.apply_fn({"params": params}, observations)
            log_probs = jax.nn.log_softmax(logits)
            taken = jnp.take_along_axis(log_probs, actions[..., None], axis=-1)[..., 0]
            ratio = jnp.exp(taken - old_log_probs)
            clipped = jnp.clip(ratio, 0.8, 1.2)
            actor_loss = -jnp.minimum(ratio * advantages, clipped * advantages).mean()
            value_loss = jnp.square(value - targets).mean()
            entropy = -(jnp.exp(log_probs) * log_probs).sum(-1).mean()
            return actor_loss + 0.5 * value_loss - 0.01 * entropy

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads), loss

    observations = jnp.ones((16, 4, 8))
    params = made(network.init, jax.random.key(0), observations)["params"]
    tx = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4))
    state = train_state.TrainState.create(apply_fn=network.apply, params=params, tx=tx)
    zeros = jnp.zeros((16, 4))
    return update, (state, observations, zeros.astype(jnp.int32), zeros, zeros)


class Block(nn.Module):
    decode: bool = False

    @nn.compact
    def __call__(self, x: Any) -> Any:
        y = nn.LayerNorm(name="norm_1")(x)
        y = nn.MultiHeadDotProductAttention(num_heads=2, decode=self.decode, name="attn")(y)
        x = x + y
        y = nn.LayerNorm(name="norm_2")(x)
        y = nn.Dense(32, name="up")(y)
        return x + nn.Dense(16, name="down")(nn.gelu(y))


class Decoder(nn.Module):
    decode: bool = False

    @nn.compact
    def __call__(self, tokens: Any) -> Any:
        x = nn.Embed(50, 16, name="embed")(tokens)
        for number in range(2):
            x = Block(self.decode, name=f"block_{number}")(x)
        return nn.Dense(50, name="head")(nn.LayerNorm(name="norm")(x))


def linen_cached_decode() -> Call:
    model = Decoder(decode=True)

    @jax.jit
    def decode_step(params: Any, cache: Any, token: Any, key: Any) -> Any:
        variables = {"params": params, "cache": cache}
        logits, updated = model.apply(variables, token, mutable=["cache"])
        next_token = jax.random.categorical(key, logits[:, -1] / 0.8)
        return next_token[:, None], updated["cache"]

    variables = made(model.init, jax.random.key(0), jnp.zeros((3, 12), int))
    token = jnp.zeros((3, 1), int)
    return decode_step, (variables["params"], variables["cache"], token, jax.random.key(0))


class DecoderLayer(nn.Module):
    @nn.compact
    def __call__(self, x: Any, positions: Any) -> Any:
        y = nn.RMSNorm(name="pre_self_attention_norm")(x)
        y = nn.MultiHeadDotProductAttention(num_heads=2, name="self_attention")(
            y, mask=nn.make_causal_mask(positions)
        )
        x = x + y
        y = nn.RMSNorm(name="post_self_attention_norm")(x)
        gate = nn.Dense(32, use_bias=False, name="wi_0")(y)
        up = nn.Dense(32, use_bias=False, name="wi_1")(y)
        return x + nn.Dense(16, use_bias=False, name="wo")(nn.silu(gate) * up), None


class Transformer(nn.Module):
    @nn.compact
    def __call__(self, tokens: Any) -> Any:
        x = nn.Embed(50, 16, name="token_embedder")(tokens)
        layer = nn.remat(DecoderLayer, prevent_cse=False)
        stack = nn.scan(
            layer, variable_axes={"params": 0}, split_rngs={"params": True},
            in_axes=nn.broadcast, length=4,  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
        x, _ = stack(name="layers")(x, tokens)
        x = nn.RMSNorm(name="decoder_norm")(x)
        return nn.Dense(50, use_bias=False, name="logits_dense")(x)


def linen_maxtext() -> Call:
    model = Transformer()
    tx = optax.adamw(1e-3)

    def loss_fn(params: Any, tokens: Any) -> Any:
        logits: Any = model.apply({"params": params}, tokens[:, :-1])
        xent = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
        return xent.mean()

    @jax.jit
    def train_step(params: Any, opt_state: Any, tokens: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    tokens = jnp.zeros((2, 9), int)
    params = made(model.init, jax.random.key(0), tokens[:, :-1])["params"]
    return train_step, (params, made(tx.init, params), tokens)


class Retention(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        query, key, value = (nn.Dense(16, name=name)(x) for name in ("query", "key", "value"))
        length = x.shape[1]
        distance = jnp.arange(length)[:, None] - jnp.arange(length)
        decay = jnp.where(distance >= 0, 0.9**distance, 0.0)
        scores = jnp.einsum("btd,bsd->bts", query, key) * decay
        retained = jnp.einsum("bts,bsd->btd", scores, value)
        normed = nn.GroupNorm(num_groups=2, name="group_norm")(retained)
        return nn.Dense(16, name="out")(nn.silu(nn.Dense(16, name="gate")(x)) * normed)


class RetNet(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        x = nn.Dense(16, name="embed")(x)
        for number in range(3):
            x = x + Retention(name=f"retention_{number}")(nn.LayerNorm(name=f"norm_{number}")(x))
        return nn.Dense(5, name="head")(x)


def linen_retnet() -> Call:
    model = RetNet()

    @jax.jit
    def loss(params: Any, x: Any, y: Any) -> Any:
        logits: Any = model.apply({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    x = jnp.ones((2, 7, 8))
    params = made(model.init, jax.random.key(0), x)["params"]
    return jax.value_and_grad(loss), (params, x, jnp.zeros((2, 7), int))


class Generator(nn.Module):
    @nn.compact
    def __call__(self, noise: Any) -> Any:
        x = nn.relu(nn.Dense(32, name="expand")(noise))
        return nn.tanh(nn.Dense(16, name="to_sample")(x))


class Discriminator(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        x = nn.leaky_relu(nn.Dense(32, name="features")(x))
        return nn.Dense(1, name="score")(x)[:, 0]


def linen_gan() -> Call:
    """Each network has its own state; the discriminator is trained first."""

    @jax.jit
    def train_step(generator: Any, discriminator: Any, real: Any, key: Any) -> Any:
        noise = jax.random.normal(key, (8, 6))

        def discriminator_loss(params: Any) -> Any:
            fake = generator.apply_fn({"params": generator.params}, noise)
            on_real = discriminator.apply_fn({"params": params}, real)
            on_fake = discriminator.apply_fn({"params": params}, fake)
            return (jax.nn.softplus(-on_real) + jax.nn.softplus(on_fake)).mean()

        grads = jax.grad(discriminator_loss)(discriminator.params)
        discriminator = discriminator.apply_gradients(grads=grads)

        def generator_loss(params: Any) -> Any:
            fake = generator.apply_fn({"params": params}, noise)
            on_fake = discriminator.apply_fn({"params": discriminator.params}, fake)
            return jax.nn.softplus(-on_fake).mean()

        grads = jax.grad(generator_loss)(generator.params)
        return generator.apply_gradients(grads=grads), discriminator

    def state(model: Any, x: Any) -> Any:
        params = made(model.init, jax.random.key(0), x)["params"]
        return train_state.TrainState.create(
            apply_fn=model.apply, params=params, tx=optax.sgd(1e-2)
        )

    real = jnp.ones((8, 16))
    states = state(Generator(), jnp.ones((8, 6))), state(Discriminator(), real)
    return train_step, (*states, real, jax.random.key(0))


PROGRAMS = (*(linen_ppo, linen_cached_decode, linen_maxtext, linen_retnet, linen_gan),)
