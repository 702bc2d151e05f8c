"""Equinox: a variational autoencoder, a recurrent network, denoising, and a selective scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from . import Call
from .equinox_models import module


class Encoder(eqx.Module):
    hidden: eqx.nn.Linear
    mean: eqx.nn.Linear
    log_var: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        keys = jax.random.split(key, 3)
        self.hidden = eqx.nn.Linear(12, 16, key=keys[0])
        self.mean = eqx.nn.Linear(16, 2, key=keys[1])
        self.log_var = eqx.nn.Linear(16, 2, key=keys[2])

    def __call__(self, x: Any) -> Any:
        x = jax.nn.relu(self.hidden(x))
        return self.mean(x), self.log_var(x)


class VAE(eqx.Module):
    encoder: Encoder
    decoder: eqx.nn.MLP

    def __init__(self, key: Any) -> None:
        self.encoder = Encoder(key)
        self.decoder = eqx.nn.MLP(2, 12, 16, depth=1, key=key)

    def __call__(self, x: Any, key: Any) -> Any:
        mean, log_var = self.encoder(x)
        code = mean + jnp.exp(0.5 * log_var) * jax.random.normal(key, mean.shape)
        return self.decoder(code), mean, log_var


def equinox_vae() -> Call:
    optim = optax.adam(1e-3)

    @eqx.filter_value_and_grad
    def negative_elbo(model: VAE, x: Any, key: Any) -> Any:
        decoded, mean, log_var = jax.vmap(model)(x, jax.random.split(key, x.shape[0]))
        reconstruction = jnp.sum((decoded - x) ** 2, axis=-1)
        divergence = -0.5 * jnp.sum(1 + log_var - mean**2 - jnp.exp(log_var), axis=-1)
        return jnp.mean(reconstruction + divergence)

    @eqx.filter_jit
    def make_step(model: VAE, opt_state: Any, x: Any, key: Any) -> Any:
        loss, grads = negative_elbo(model, x, key)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, loss

    model = module(VAE, jax.random.key(0))
    opt_state = module(optim.init, eqx.filter(model, eqx.is_inexact_array))
    return make_step, (model, opt_state, jnp.ones((8, 12)), jax.random.key(0))


class Tagger(eqx.Module):
    embed: eqx.nn.Embedding
    lstm: eqx.nn.LSTMCell
    tags: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.embed = eqx.nn.Embedding(40, 8, key=key)
        self.lstm = eqx.nn.LSTMCell(8, 16, key=key)
        self.tags = eqx.nn.Linear(16, 5, key=key)

    def __call__(self, tokens: Any) -> Any:
        def read(carry: Any, x: Any) -> Any:
            hidden, cell = self.lstm(x, carry)
            return (hidden, cell), hidden

        start = jnp.zeros(16), jnp.zeros(16)
        _, hidden = jax.lax.scan(read, start, jax.vmap(self.embed)(tokens))
        return jax.vmap(self.tags)(hidden)


def equinox_lstm() -> Call:
    """The loss is jitted, and differentiated outside."""

    @eqx.filter_jit
    def loss(model: Tagger, tokens: Any, labels: Any) -> Any:
        logits = jax.vmap(model)(tokens)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    tokens = jnp.zeros((3, 7), int)
    return eqx.filter_value_and_grad(loss), (module(Tagger, jax.random.key(0)), tokens, tokens)


class Score(eqx.Module):
    time: eqx.nn.Linear
    layers: list[eqx.nn.Linear]
    out: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.time = eqx.nn.Linear(1, 16, key=key)
        self.layers = [eqx.nn.Linear(16, 16, key=key) for _ in range(3)]
        self.out = eqx.nn.Linear(16, 16, key=key)

    def __call__(self, t: Any, x: Any) -> Any:
        x = x + self.time(t[None])
        for layer in self.layers:
            x = x + jax.nn.silu(layer(x))
        return self.out(x)


def equinox_diffusion() -> Call:
    optim = optax.adabelief(1e-3)

    def batch_loss(model: Callable[..., Any], data: Any, key: Any) -> Any:
        time_key, noise_key = jax.random.split(key)
        t = jax.random.uniform(time_key, (data.shape[0],))
        noise = jax.random.normal(noise_key, data.shape)
        alpha = jnp.exp(-0.5 * t)[:, None]
        noised = alpha * data + jnp.sqrt(1 - alpha**2) * noise
        return jnp.mean((jax.vmap(model)(t, noised) - noise) ** 2)

    @eqx.filter_jit
    def make_step(model: Score, opt_state: Any, data: Any, key: Any) -> Any:
        loss, grads = eqx.filter_value_and_grad(batch_loss)(model, data, key)
        updates, opt_state = optim.update(grads, opt_state)
        return loss, eqx.apply_updates(model, updates), opt_state

    model = module(Score, jax.random.key(0))
    opt_state = module(optim.init, eqx.filter(model, eqx.is_inexact_array))
    return make_step, (model, opt_state, jnp.ones((8, 16)), jax.random.key(0))


class SelectiveScan(eqx.Module):
    in_proj: eqx.nn.Linear
    x_proj: eqx.nn.Linear
    dt_proj: eqx.nn.Linear
    out_proj: eqx.nn.Linear
    A_log: Any
    D: Any

    def __init__(self, key: Any) -> None:
        self.in_proj = eqx.nn.Linear(8, 32, key=key)
        self.x_proj = eqx.nn.Linear(16, 9, key=key)
        self.dt_proj = eqx.nn.Linear(1, 16, key=key)
        self.out_proj = eqx.nn.Linear(16, 8, key=key)
        self.A_log = jnp.zeros((16, 4))
        self.D = jnp.ones(16)

    def __call__(self, x: Any) -> Any:
        x, gate = jnp.split(jax.vmap(self.in_proj)(x), 2, axis=-1)
        dt, b, c = jnp.split(jax.vmap(self.x_proj)(x), (1, 5), axis=-1)
        dt = jax.nn.softplus(jax.vmap(self.dt_proj)(dt))
        y = self.scan(x, dt, b, c) + x * self.D
        return jax.vmap(self.out_proj)(y * jax.nn.silu(gate))

    def scan(self, x: Any, dt: Any, b: Any, c: Any) -> Any:
        decay = jnp.exp(dt[..., None] * -jnp.exp(self.A_log))
        new = (dt * x)[..., None] * b[:, None]
        _, states = jax.lax.associative_scan(
            lambda one, two: (one[0] * two[0], two[0] * one[1] + two[1]), (decay, new)
        )
        return jnp.einsum("tds,ts->td", states, c)


def equinox_mamba() -> Call:
    @eqx.filter_jit
    def forward(model: SelectiveScan, x: Any) -> Any:
        return jax.vmap(model)(x)

    return forward, (module(SelectiveScan, jax.random.key(0)), jnp.ones((2, 16, 8)))


PROGRAMS = (equinox_vae, equinox_lstm, equinox_diffusion, equinox_mamba)
