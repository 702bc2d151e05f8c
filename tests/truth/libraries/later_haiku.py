"""Haiku: soft actor-critic, and an encoder with a decoder."""

from __future__ import annotations

from typing import Any, NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import optax

from . import Call, made


class Agent(NamedTuple):
    critic: Any
    target: Any
    actor: Any
    critic_state: Any
    actor_state: Any


def haiku_sac() -> Call:
    @hk.without_apply_rng
    @hk.transform
    def critic(observation: Any, action: Any) -> Any:
        both = jnp.concatenate([observation, action], axis=-1)
        return hk.nets.MLP([32, 1], name="q1")(both)[..., 0]

    @hk.transform
    def actor(observation: Any) -> Any:
        mean, log_std = jnp.split(hk.nets.MLP([32, 4], name="policy")(observation), 2, axis=-1)
        noise = jax.random.normal(hk.next_rng_key(), mean.shape)
        action = jnp.tanh(mean + jnp.exp(log_std) * noise)
        log_prob = (-0.5 * noise**2 - log_std - jnp.log(1 - action**2 + 1e-6)).sum(-1)
        return action, log_prob

    optimizer = optax.sgd(1e-2)

    @jax.jit
    def update(agent: Agent, batch: Any, key: Any) -> Any:
        key_next, key_now = jax.random.split(key)
        action, log_prob = actor.apply(agent.actor, key_next, batch["next_obs"])
        next_q = critic.apply(agent.target, batch["next_obs"], action) - 0.2 * log_prob
        target_q = batch["reward"] + 0.99 * next_q

        def critic_loss(params: Any) -> Any:
            return jnp.mean((critic.apply(params, batch["obs"], batch["action"]) - target_q) ** 2)

        grads = jax.grad(critic_loss)(agent.critic)
        updates, critic_state = optimizer.update(grads, agent.critic_state)
        critic_params = optax.apply_updates(agent.critic, updates)

        def actor_loss(params: Any) -> Any:
            action, log_prob = actor.apply(params, key_now, batch["obs"])
            return jnp.mean(0.2 * log_prob - critic.apply(critic_params, batch["obs"], action))

        grads = jax.grad(actor_loss)(agent.actor)
        updates, actor_state = optimizer.update(grads, agent.actor_state)
        actor_params = optax.apply_updates(agent.actor, updates)
        target = optax.incremental_update(critic_params, agent.target, 0.005)
        return Agent(critic_params, target, actor_params, critic_state, actor_state)

    obs, action = jnp.ones((8, 3)), jnp.ones((8, 2))
    critic_params = made(critic.init, jax.random.key(0), obs, action)
    actor_params = made(actor.init, jax.random.key(0), obs)
    batch = {"obs": obs, "action": action, "reward": jnp.ones(8), "next_obs": obs}
    states = made(optimizer.init, critic_params), made(optimizer.init, actor_params)
    agent = Agent(critic_params, critic_params, actor_params, *states)
    return update, (agent, batch, jax.random.key(0))


SCALED = hk.initializers.VarianceScaling()


class Layer(hk.Module):
    def __init__(self, cross: bool, name: str) -> None:
        super().__init__(name=name)
        self.cross = cross

    def __call__(self, x: Any, memory: Any = None) -> Any:
        attend = hk.MultiHeadAttention(2, 8, w_init=SCALED, name="self_attention")
        y = hk.RMSNorm(-1, name="norm_1")(x)
        x = x + attend(y, y, y)
        if self.cross:
            attend = hk.MultiHeadAttention(2, 8, w_init=SCALED, name="cross_attention")
            x = x + attend(hk.RMSNorm(-1, name="norm_2")(x), memory, memory)
        y = hk.RMSNorm(-1, name="norm_3")(x)
        return x + hk.Linear(16, name="wo")(jax.nn.relu(hk.Linear(32, name="wi")(y)))


class Stack(hk.Module):
    def __call__(self, x: Any, memory: Any = None) -> Any:
        for number in range(2):
            x = Layer(memory is not None, name=f"layer{number}")(x, memory)
        return hk.RMSNorm(-1, name="norm")(x)


def haiku_t5() -> Call:
    @hk.without_apply_rng
    @hk.transform
    def t5(inputs: Any, targets: Any) -> Any:
        embed = hk.Embed(50, 16, name="shared_embed")
        memory = Stack(name="encoder")(embed(inputs))
        decoded = Stack(name="decoder")(embed(targets), memory)
        return hk.Linear(50, name="logits")(decoded)

    optimizer = optax.adafactor(1e-3)

    def loss(params: Any, inputs: Any, targets: Any) -> Any:
        logits = t5.apply(params, inputs, targets[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, targets[:, 1:]).mean()

    @jax.jit
    def train_step(params: Any, opt_state: Any, inputs: Any, targets: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, inputs, targets)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, value

    inputs, targets = jnp.zeros((2, 6), int), jnp.zeros((2, 5), int)
    params = made(t5.init, jax.random.key(0), inputs, targets[:, :-1])
    return train_step, (params, made(optimizer.init, params), inputs, targets)


PROGRAMS = (haiku_sac, haiku_t5)
