"""Equinox, as its documentation writes it: models that are pytrees, and filtered transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from . import Call, zeros


def module(init: Any, *args: Any) -> Any:
    """The modules of `init(*args)`, with zeros in them. Compiles nothing."""
    return zeros(eqx.filter_eval_shape(init, *args))


class CNN(eqx.Module):
    layers: list[Any]

    def __init__(self, key: Any) -> None:
        key1, key2, key3, key4 = jax.random.split(key, 4)
        self.layers = [
            eqx.nn.Conv2d(1, 3, kernel_size=3, key=key1),
            eqx.nn.MaxPool2d(kernel_size=2),
            jax.nn.relu,
            jnp.ravel,
            eqx.nn.Linear(192, 16, key=key2),
            jax.nn.sigmoid,
            eqx.nn.Linear(16, 8, key=key3),
            jax.nn.relu,
            eqx.nn.Linear(8, 10, key=key4),
            jax.nn.log_softmax,
        ]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


def cross_entropy(y: Any, pred_y: Any) -> Any:
    pred_y = jnp.take_along_axis(pred_y, jnp.expand_dims(y, 1), axis=1)
    return -jnp.mean(pred_y)


def loss(model: Any, x: Any, y: Any) -> Any:
    pred_y = jax.vmap(model)(x)
    return cross_entropy(y, pred_y)


def equinox_mnist() -> Call:
    optim = optax.adamw(3e-4)

    @eqx.filter_jit
    def make_step(model: Any, opt_state: Any, x: Any, y: Any) -> Any:
        loss_value, grads = eqx.filter_value_and_grad(loss)(model, x, y)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_array))
        model = eqx.apply_updates(model, updates)
        return model, opt_state, loss_value

    model = module(CNN, jax.random.key(0))
    opt_state = module(optim.init, eqx.filter(model, eqx.is_array))
    return make_step, (model, opt_state, jnp.ones((2, 1, 11, 11)), jnp.zeros(2, int))


class RNN(eqx.Module):
    hidden_size: int
    cell: eqx.Module
    linear: eqx.nn.Linear
    bias: jax.Array

    def __init__(self, in_size: int, out_size: int, hidden_size: int, *, key: Any) -> None:
        ckey, lkey = jax.random.split(key)
        self.hidden_size = hidden_size
        self.cell = eqx.nn.GRUCell(in_size, hidden_size, key=ckey)
        self.linear = eqx.nn.Linear(hidden_size, out_size, use_bias=False, key=lkey)
        self.bias = jnp.zeros(out_size)

    def __call__(self, input: Any) -> Any:
        def f(carry: Any, inp: Any) -> Any:
            return self.cell(inp, carry), None  # pyright: ignore

        hidden = jnp.zeros((self.hidden_size,))
        out, _ = jax.lax.scan(f, hidden, input)
        return jax.nn.sigmoid(self.linear(out) + self.bias)


def equinox_rnn() -> Call:
    optim = optax.adam(3e-3)

    @eqx.filter_value_and_grad
    def compute_loss(model: Any, x: Any, y: Any) -> Any:
        pred_y = jax.vmap(model)(x)
        return -jnp.mean(y * jnp.log(pred_y) + (1 - y) * jnp.log(1 - pred_y))

    @eqx.filter_jit
    def make_step(model: Any, x: Any, y: Any, opt_state: Any) -> Any:
        loss, grads = compute_loss(model, x, y)
        updates, opt_state = optim.update(grads, opt_state)
        model = eqx.apply_updates(model, updates)
        return loss, model, opt_state

    model = module(lambda key: RNN(2, 1, 8, key=key), jax.random.key(0))
    opt_state = module(optim.init, eqx.filter(model, eqx.is_inexact_array))
    return make_step, (model, jnp.ones((4, 16, 2)), jnp.ones((4, 1)), opt_state)


class Block(eqx.Module):
    up: eqx.nn.Linear
    down: eqx.nn.Linear
    norm: eqx.nn.LayerNorm

    def __init__(self, key: Any) -> None:
        self.up = eqx.nn.Linear(8, 16, key=key)
        self.down = eqx.nn.Linear(16, 8, key=key)
        self.norm = eqx.nn.LayerNorm(8)

    def __call__(self, x: Any) -> Any:
        return x + self.down(jax.nn.gelu(self.up(self.norm(x))))


class Stacked(eqx.Module):
    embed: eqx.nn.Linear
    blocks: Any
    head: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        self.embed = eqx.nn.Linear(4, 8, key=key)
        self.blocks = eqx.filter_vmap(Block)(jax.random.split(key, 3))
        self.head = eqx.nn.Linear(8, 2, key=key)

    def __call__(self, x: Any) -> Any:
        dynamic, static = eqx.partition(self.blocks, eqx.is_array)

        def f(x: Any, dynamic_block: Any) -> Any:
            return eqx.combine(dynamic_block, static)(x), None

        x, _ = jax.lax.scan(f, self.embed(x), dynamic)
        return self.head(x)


def equinox_scan_over_layers() -> Call:
    @eqx.filter_jit
    @eqx.filter_value_and_grad
    def loss(model: Any, x: Any, y: Any) -> Any:
        return jnp.mean((jax.vmap(model)(x) - y) ** 2)

    return loss, (module(Stacked, jax.random.key(0)), jnp.ones((4, 4)), jnp.ones((4, 2)))


class Norm(eqx.Module):
    linear1: eqx.nn.Linear
    norm1: eqx.nn.BatchNorm
    linear2: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        key1, key2 = jax.random.split(key)
        self.linear1 = eqx.nn.Linear(3, 8, key=key1)
        self.norm1 = eqx.nn.BatchNorm(8, axis_name="batch", mode="batch")
        self.linear2 = eqx.nn.Linear(8, 3, key=key2)

    def __call__(self, x: Any, state: Any) -> Any:
        x = self.linear1(x)
        x, state = self.norm1(x, state)
        return self.linear2(jax.nn.relu(x)), state


def equinox_stateful() -> Call:
    optim = optax.adam(1e-3)

    def compute_loss(model: Any, state: Any, xs: Any, ys: Any) -> Any:
        batched = jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
        pred_ys, state = batched(xs, state)
        return jnp.mean((pred_ys - ys) ** 2), state

    @eqx.filter_jit
    def make_step(model: Any, state: Any, opt_state: Any, xs: Any, ys: Any) -> Any:
        grads, state = eqx.filter_grad(compute_loss, has_aux=True)(model, state, xs, ys)
        updates, opt_state = optim.update(grads, opt_state)
        model = eqx.apply_updates(model, updates)
        return model, state, opt_state

    model, state = module(eqx.nn.make_with_state(Norm), jax.random.key(0))
    opt_state = module(optim.init, eqx.filter(model, eqx.is_inexact_array))
    return make_step, (model, state, opt_state, jnp.ones((4, 3)), jnp.ones((4, 3)))


def equinox_ensemble() -> Call:
    @eqx.filter_vmap
    def make_ensemble(key: Any) -> Any:
        return eqx.nn.MLP(4, 2, 8, depth=2, key=key)

    @eqx.filter_vmap(in_axes=(eqx.if_array(0), None))
    def evaluate_ensemble(model: Callable[[Any], Any], x: Any) -> Any:
        return model(x)

    ensemble = module(lambda key: make_ensemble(jax.random.split(key, 3)), jax.random.key(0))
    return evaluate_ensemble, (ensemble, jnp.ones(4))


PROGRAMS = (
    *(equinox_mnist, equinox_rnn, equinox_scan_over_layers, equinox_stateful, equinox_ensemble),
)
