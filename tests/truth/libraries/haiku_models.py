"""Haiku, as its documentation writes it: pure functions of parameters and of state."""

from __future__ import annotations

from typing import Any, NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import optax

from . import Call, made


class TrainingState(NamedTuple):
    params: Any
    avg_params: Any
    opt_state: Any


def haiku_mnist() -> Call:
    def net_fn(images: Any) -> Any:
        x = images.astype(jnp.float32) / 255.0
        mlp = hk.Sequential([
            hk.Flatten(),
            hk.Linear(16), jax.nn.relu,
            hk.Linear(8), jax.nn.relu,
            hk.Linear(10),
        ])  # fmt: skip
        return mlp(x)

    network = hk.without_apply_rng(hk.transform(net_fn))
    optimiser = optax.adam(1e-3)

    def loss(params: Any, images: Any, labels: Any) -> Any:
        batch_size, *_ = images.shape
        logits = network.apply(params, images)
        one_hot = jax.nn.one_hot(labels, 10)
        l2_regulariser = 0.5 * sum(jnp.sum(jnp.square(p)) for p in jax.tree.leaves(params))
        log_likelihood = jnp.sum(one_hot * jax.nn.log_softmax(logits))
        return -log_likelihood / batch_size + 1e-4 * l2_regulariser

    @jax.jit
    def update(state: TrainingState, images: Any, labels: Any) -> TrainingState:
        grads = jax.grad(loss)(state.params, images, labels)
        updates, opt_state = optimiser.update(grads, state.opt_state)
        params = optax.apply_updates(state.params, updates)
        avg_params = optax.incremental_update(params, state.avg_params, step_size=0.001)
        return TrainingState(params, avg_params, opt_state)

    images = jnp.ones((4, 4, 4, 1))
    params = made(network.init, jax.random.key(0), images)
    state = TrainingState(params, params, made(optimiser.init, params))
    return update, (state, images, jnp.zeros(4, int))


class ConvNet(hk.Module):
    def __call__(self, x: Any, is_training: bool) -> Any:
        x = hk.Conv2D(4, 3, with_bias=False, name="initial_conv")(x)
        x = hk.BatchNorm(True, True, decay_rate=0.9, name="initial_batchnorm")(x, is_training)
        x = jax.nn.relu(x)
        x = jnp.mean(x, axis=(1, 2))
        return hk.Linear(10, name="logits")(x)


class TrainState(NamedTuple):
    params: Any
    state: Any
    opt_state: Any


def haiku_batch_norm() -> Call:
    forward = hk.transform_with_state(lambda images: ConvNet()(images, is_training=True))
    optimizer = optax.sgd(0.1, momentum=0.9)

    def loss_fn(params: Any, state: Any, images: Any, labels: Any) -> Any:
        logits, state = forward.apply(params, state, None, images)
        loss = optax.softmax_cross_entropy(logits, jax.nn.one_hot(labels, 10)).mean()
        return loss, state

    @jax.jit
    def train_step(train_state: TrainState, images: Any, labels: Any) -> Any:
        params, state, opt_state = train_state
        grads, new_state = jax.grad(loss_fn, has_aux=True)(params, state, images, labels)
        updates, new_opt_state = optimizer.update(grads, opt_state)
        new_params = optax.apply_updates(params, updates)
        return TrainState(new_params, new_state, new_opt_state)

    images = jnp.ones((2, 8, 8, 1))
    params, state = made(forward.init, jax.random.key(0), images)
    train_state = TrainState(params, state, made(optimizer.init, params))
    return train_step, (train_state, images, jnp.zeros(2, int))


def haiku_lstm() -> Call:
    def unroll_net(seqs: Any) -> Any:
        core = hk.LSTM(8)
        outs, state = hk.dynamic_unroll(core, seqs, core.initial_state(seqs.shape[1]))
        return hk.BatchApply(hk.Linear(1))(outs), state

    model = hk.without_apply_rng(hk.transform(unroll_net))
    opt = optax.adam(1e-3)

    @jax.jit
    def update(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        def loss(params: Any) -> Any:
            pred, _ = model.apply(params, x)
            return jnp.mean(jnp.square(pred - y))

        value, grads = jax.value_and_grad(loss)(params)
        grads, opt_state = opt.update(grads, opt_state)
        params = optax.apply_updates(params, grads)
        return value, params, opt_state

    x = jnp.ones((5, 2, 1))
    params = made(model.init, jax.random.key(0), x)
    return update, (params, made(opt.init, params), x, x)


PROGRAMS = (haiku_mnist, haiku_batch_norm, haiku_lstm)
