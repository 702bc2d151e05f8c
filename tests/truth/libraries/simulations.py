"""Programs that train nothing: physics that differentiates inside, and no gradient at all."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from . import Call
from .pytree_models import attention, dense, layer_norm, transformer_params


def molecular_dynamics() -> Call:
    """A step of velocity Verlet: the force is minus the gradient of a Lennard-Jones energy."""

    def energy(positions: Any) -> Any:
        delta = positions[:, None] - positions[None]
        squared = jnp.sum(delta**2, -1) + jnp.eye(len(positions))
        sixth = 1 / squared**3
        return 2.0 * jnp.sum(jnp.triu(sixth**2 - sixth, 1))

    def force(positions: Any) -> Any:
        return -jax.grad(energy)(positions)

    @jax.jit
    def verlet(positions: Any, velocities: Any, masses: Any) -> Any:
        half = velocities + 0.5 * 1e-3 * force(positions) / masses[:, None]
        positions = positions + 1e-3 * half
        velocities = half + 0.5 * 1e-3 * force(positions) / masses[:, None]
        return positions, velocities

    return verlet, (jnp.ones((8, 3)), jnp.ones((8, 3)), jnp.ones(8))


def environment_step() -> Call:
    """An environment whose dynamics are of a Lagrangian: it differentiates, but trains nothing."""

    def lagrangian(q: Any, q_t: Any, lengths: Any) -> Any:
        kinetic = 0.5 * jnp.sum((lengths * q_t) ** 2)
        return kinetic - jnp.sum(9.81 * lengths * (1 - jnp.cos(q)))

    def acceleration(q: Any, q_t: Any, torque: Any, lengths: Any) -> Any:
        mass = jax.hessian(lagrangian, 1)(q, q_t, lengths)
        mixed = jax.jacobian(jax.grad(lagrangian, 1), 0)(q, q_t, lengths)
        right = jax.grad(lagrangian, 0)(q, q_t, lengths) - mixed @ q_t + torque
        return jnp.linalg.solve(mass, right)

    def observe(q: Any, q_t: Any) -> Any:
        return jnp.concatenate([jnp.cos(q), jnp.sin(q), q_t / 8.0])

    def reward(q: Any, q_t: Any, action: Any) -> Any:
        angle = jnp.mod(q + jnp.pi, 2 * jnp.pi) - jnp.pi
        return -jnp.sum(angle**2 + 0.1 * q_t**2 + 0.001 * action**2)

    @jax.jit
    def step(state: Any, action: Any, lengths: Any) -> Any:
        q, q_t = state
        torque = jnp.clip(action, -2.0, 2.0)
        q_tt = acceleration(q, q_t, torque, lengths)
        q_t = jnp.clip(q_t + 0.05 * q_tt, -8.0, 8.0)
        q = q + 0.05 * q_t
        return (q, q_t), observe(q, q_t), reward(q, q_t, action)

    return step, ((jnp.ones(2), jnp.ones(2)), jnp.ones(2), jnp.ones(2))


def kmeans() -> Call:
    """No gradient: assign each point to a centroid, and move the centroids, twenty times."""

    def assign(points: Any, centroids: Any) -> Any:
        distances = jnp.sum((points[:, None] - centroids[None]) ** 2, axis=-1)
        return jnp.argmin(distances, axis=-1)

    def move(points: Any, assignment: Any) -> Any:
        one_hot = jax.nn.one_hot(assignment, 4)
        totals = one_hot.T @ points
        return totals / jnp.maximum(one_hot.sum(0)[:, None], 1.0)

    @jax.jit
    def cluster(points: Any, centroids: Any) -> Any:
        def iteration(centroids: Any, _: Any) -> Any:
            return move(points, assign(points, centroids)), None

        centroids, _ = jax.lax.scan(iteration, centroids, length=20)
        return centroids, assign(points, centroids)

    return cluster, (jnp.ones((32, 2)), jnp.ones((4, 2)))


def generate() -> Call:
    """No gradient: a transformer's inference over a prompt, and a token drawn from its logits."""

    def feed_forward(p: Any, x: Any) -> Any:
        return dense(p["down"], jax.nn.gelu(dense(p["up"], x)))

    def sample(key: Any, logits: Any, temperature: Any) -> Any:
        values, indices = jax.lax.top_k(logits / temperature, 5)
        return jnp.take_along_axis(indices, jax.random.categorical(key, values)[:, None], 1)

    def next_token(params: Any, tokens: Any, key: Any, temperature: Any) -> Any:
        x = params["wte"][tokens]
        for p in params["blocks"]:
            x = x + attention(p["attn"], layer_norm(p["ln_1"], x))
            x = x + feed_forward(p["mlp"], layer_norm(p["ln_2"], x))
        logits = dense(params["head"], layer_norm(params["ln_f"], x))
        return sample(key, logits[:, -1], temperature)

    args = transformer_params(), jnp.zeros((2, 6), int), jax.random.key(0), 0.8
    return next_token, args


def spectrum() -> Call:
    """No gradient: a log-mel spectrogram of a sound."""

    def frames(sound: Any) -> Any:
        starts = 16 * jnp.arange(15)
        return sound[starts[:, None] + jnp.arange(32)]

    def window(length: int) -> Any:
        return 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(length) / length)

    def normalize(spectrogram: Any) -> Any:
        mean, std = spectrogram.mean(0, keepdims=True), spectrogram.std(0, keepdims=True)
        return (spectrogram - mean) / (std + 1e-6)

    @jax.jit
    def log_mel(sound: Any, filters: Any) -> Any:
        power = jnp.abs(jnp.fft.rfft(frames(sound) * window(32))) ** 2
        return normalize(jnp.log(power @ filters + 1e-6))

    return log_mel, (jnp.ones(256), jnp.ones((17, 8)))


PROGRAMS = (molecular_dynamics, environment_step, kmeans, generate, spectrum)
