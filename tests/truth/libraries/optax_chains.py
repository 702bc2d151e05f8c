"""Optax, as its documentation writes it: chains, schedules, and several optimizers in a program."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

from . import Call, made
from .pytree_models import dense, weights


def net(params: Any, x: Any) -> Any:
    x = jax.nn.relu(dense(params["hidden"], x))
    return dense(params["out"], x)


def loss(params: Any, x: Any, y: Any) -> Any:
    y_hat = net(params, x)
    return jnp.mean(optax.l2_loss(y_hat, y))


def mlp_params() -> Any:
    return {"hidden": weights(8, 16), "out": weights(16, 1)}


def stepped(optimizer: Any) -> Call:
    @jax.jit
    def step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        loss_value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
        return params, opt_state, loss_value

    params = mlp_params()
    return step, (params, made(optimizer.init, params), jnp.ones((4, 8)), jnp.ones((4, 1)))


def optax_adam() -> Call:
    return stepped(optax.adam(1e-3))


def optax_clipped_schedule() -> Call:
    schedule = optax.warmup_cosine_decay_schedule(
        init_value=0.0, peak_value=1.0, warmup_steps=50, decay_steps=1_000, end_value=0.0
    )
    return stepped(optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule)))


def optax_multi_transform() -> Call:
    def label_fn(params: Any) -> Any:
        return {"hidden": "adam", "out": "sgd"}

    transforms: Any = {"adam": optax.adam(1e-3), "sgd": optax.sgd(1e-2, momentum=0.9)}
    return stepped(optax.multi_transform(transforms, label_fn))


def optax_accumulation() -> Call:
    return stepped(optax.MultiSteps(optax.adam(1e-3), every_k_schedule=4))


def optax_two_optimizers() -> Call:
    """The step of a generative adversarial network: two models, each with its own optimizer."""
    g_optimizer, d_optimizer = optax.adam(1e-4), optax.adam(4e-4)

    def generator(params: Any, noise: Any) -> Any:
        return dense(params["out"], jax.nn.relu(dense(params["hidden"], noise)))

    def discriminator(params: Any, x: Any) -> Any:
        return dense(params["out"], jax.nn.leaky_relu(dense(params["hidden"], x)))

    def g_loss(g_params: Any, d_params: Any, noise: Any) -> Any:
        logits = discriminator(d_params, generator(g_params, noise))
        return optax.sigmoid_binary_cross_entropy(logits, jnp.ones_like(logits)).mean()

    def d_loss(d_params: Any, g_params: Any, real: Any, noise: Any) -> Any:
        fake, true = (
            discriminator(d_params, generator(g_params, noise)),
            discriminator(d_params, real),
        )
        loss_real = optax.sigmoid_binary_cross_entropy(true, jnp.ones_like(true)).mean()
        return loss_real + optax.sigmoid_binary_cross_entropy(fake, jnp.zeros_like(fake)).mean()

    @jax.jit
    def train_step(
        g_params: Any, d_params: Any, g_state: Any, d_state: Any, real: Any, noise: Any
    ) -> Any:
        g_grads = jax.grad(g_loss)(g_params, d_params, noise)
        g_updates, g_state = g_optimizer.update(g_grads, g_state)
        g_params = optax.apply_updates(g_params, g_updates)
        d_grads = jax.grad(d_loss)(d_params, g_params, real, noise)
        d_updates, d_state = d_optimizer.update(d_grads, d_state)
        d_params = optax.apply_updates(d_params, d_updates)
        return g_params, d_params, g_state, d_state

    g_params = {"hidden": weights(4, 16), "out": weights(16, 8)}
    d_params = mlp_params()
    states = made(g_optimizer.init, g_params), made(d_optimizer.init, d_params)
    return train_step, (g_params, d_params, *states, jnp.ones((4, 8)), jnp.ones((4, 4)))


OPTIMIZERS = {
    "adabelief": optax.adabelief, "adadelta": optax.adadelta, "adagrad": optax.adagrad,
    "adam": optax.adam, "adamax": optax.adamax, "adamw": optax.adamw, "lion": optax.lion,
    "novograd": optax.novograd, "rmsprop": optax.rmsprop, "yogi": optax.yogi,
}  # fmt: skip


def optax_ten_optimizers() -> Call:
    """One step of each of ten optimizers from the same parameters, in a Python loop."""
    optimizers = {name: make(1e-3) for name, make in OPTIMIZERS.items()}

    @jax.jit
    def compare(params: Any, states: Any, x: Any, y: Any) -> Any:
        grads = jax.grad(loss)(params, x, y)
        results = {}
        for name, optimizer in optimizers.items():
            updates, _ = optimizer.update(grads, states[name], params)
            results[name] = optax.apply_updates(params, updates)
        return results

    params = mlp_params()
    states = {name: made(optimizer.init, params) for name, optimizer in optimizers.items()}
    return compare, (params, states, jnp.ones((4, 8)), jnp.ones((4, 1)))


PROGRAMS = (
    *(optax_adam, optax_clipped_schedule, optax_multi_transform, optax_accumulation),
    *(optax_two_optimizers, optax_ten_optimizers),
)
