"""Flax NNX, as its documentation writes it: models and optimizers that change in place."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from . import Call, made, zeros

LIST = getattr(nnx, "List", list)  # flax 0.11 took plain lists


class CNN(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.conv1 = nnx.Conv(1, 4, kernel_size=(3, 3), rngs=rngs)
        self.batch_norm1 = nnx.BatchNorm(4, rngs=rngs)
        self.conv2 = nnx.Conv(4, 8, kernel_size=(3, 3), rngs=rngs)
        self.batch_norm2 = nnx.BatchNorm(8, rngs=rngs)
        self.avg_pool = partial(nnx.avg_pool, window_shape=(2, 2), strides=(2, 2))
        self.linear1 = nnx.Linear(32, 16, rngs=rngs)
        self.linear2 = nnx.Linear(16, 10, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = self.avg_pool(nnx.relu(self.batch_norm1(self.conv1(x))))
        x = self.avg_pool(nnx.relu(self.batch_norm2(self.conv2(x))))
        x = x.reshape(x.shape[0], -1)
        return self.linear2(nnx.relu(self.linear1(x)))


def module(init: Any) -> Any:
    """The modules of `init()`, with zeros in their variables. Compiles nothing."""
    graphdef, state = nnx.split(nnx.eval_shape(init))
    return nnx.merge(graphdef, zeros(state))


def loss_fn(model: Any, batch: Any) -> Any:
    logits = model(batch["image"])
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
    return loss, logits


def images() -> Any:
    return {"image": jnp.ones((2, 8, 8, 1)), "label": jnp.zeros(2, jnp.int32)}


def nnx_mnist() -> Call:
    @nnx.jit
    def train_step(model: Any, optimizer: Any, metrics: Any, batch: Any) -> None:
        grad_fn = nnx.value_and_grad(loss_fn, has_aux=True)
        (loss, logits), grads = grad_fn(model, batch)
        metrics.update(loss=loss, logits=logits, labels=batch["label"])
        optimizer.update(model, grads)

    model = module(lambda: CNN(rngs=nnx.Rngs(0)))
    optimizer = module(lambda: nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param))
    average = nnx.metrics.Average("loss")
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=average)
    return train_step, (model, optimizer, metrics, images())


def nnx_mnist_eval() -> Call:
    @nnx.jit
    def eval_step(model: Any, metrics: Any, batch: Any) -> None:
        loss, logits = loss_fn(model, batch)
        metrics.update(loss=loss, logits=logits, labels=batch["label"])

    model = module(lambda: CNN(rngs=nnx.Rngs(0)))
    model.eval()
    average = nnx.metrics.Average("loss")
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=average)
    return eval_step, (model, metrics, images())


class Block(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs) -> None:
        self.ln1 = nnx.LayerNorm(width, rngs=rngs)
        self.attn = nnx.MultiHeadAttention(2, width, decode=False, rngs=rngs)
        self.ln2 = nnx.LayerNorm(width, rngs=rngs)
        self.linear1 = nnx.Linear(width, 2 * width, rngs=rngs)
        self.linear2 = nnx.Linear(2 * width, width, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = x + self.attn(self.ln1(x))
        return x + self.linear2(nnx.relu(self.linear1(self.ln2(x))))


class MiniGPT(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.embed = nnx.Embed(16, 8, rngs=rngs)
        self.layers = LIST([Block(8, rngs=rngs) for _ in range(2)])
        self.norm = nnx.LayerNorm(8, rngs=rngs)
        self.head = nnx.Linear(8, 16, rngs=rngs)

    def __call__(self, tokens: Any) -> Any:
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def nnx_train_step() -> Call:
    @nnx.jit
    def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        def loss_fn(model: Any) -> Any:
            logits = model(x)
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = module(lambda: MiniGPT(rngs=nnx.Rngs(0)))
    optimizer = module(lambda: nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param))
    tokens = jnp.zeros((2, 4), jnp.int32)
    return train_step, (model, optimizer, tokens, tokens)


class MLP(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.linear1 = nnx.Linear(8, 16, rngs=rngs)
        self.bn = nnx.BatchNorm(16, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.linear2 = nnx.Linear(16, 4, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = nnx.relu(self.dropout(self.bn(self.linear1(x))))
        return self.linear2(x)


def nnx_dropout() -> Call:
    @nnx.jit
    def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        def loss_fn(model: Any) -> Any:
            y_pred = model(x)
            return ((y_pred - y) ** 2).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = module(lambda: MLP(rngs=nnx.Rngs(0)))
    optimizer = module(lambda: nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param))
    return train_step, (model, optimizer, jnp.ones((4, 8)), jnp.ones((4, 4)))


class ScanMLP(nnx.Module):
    def __init__(self, width: int, n_layers: int, *, rngs: nnx.Rngs) -> None:
        @nnx.split_rngs(splits=n_layers)
        @nnx.vmap(in_axes=(0,), out_axes=0)
        def create_layer(rngs: Any) -> Any:
            return nnx.Linear(width, width, rngs=rngs)

        self.layers = create_layer(rngs)
        self.out = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
        def forward(layer: Any, x: Any) -> Any:
            return nnx.relu(layer(x))

        return self.out(forward(self.layers, x))


def nnx_scan() -> Call:
    @nnx.jit
    def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        def loss_fn(model: Any) -> Any:
            return jnp.mean((model(x) - y) ** 2)

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = module(lambda: ScanMLP(8, 5, rngs=nnx.Rngs(0)))
    optimizer = module(lambda: nnx.Optimizer(model, optax.sgd(1e-2, momentum=0.9), wrt=nnx.Param))
    return train_step, (model, optimizer, jnp.ones((4, 8)), jnp.ones((4, 1)))


def nnx_split_merge() -> Call:
    model = module(lambda: MLP(rngs=nnx.Rngs(0)))
    graphdef, params, state = nnx.split(model, nnx.Param, ...)
    optimizer = optax.adam(1e-3)

    @jax.jit
    def train_step(params: Any, state: Any, opt_state: Any, x: Any, y: Any) -> Any:
        def loss_fn(params: Any) -> Any:
            model = nnx.merge(graphdef, params, state, copy=True)
            loss = ((model(x) - y) ** 2).mean()
            return loss, nnx.state(model, nnx.Not(nnx.Param))

        (loss, new_state), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), new_state, opt_state, loss

    batch = jnp.ones((4, 8)), jnp.ones((4, 4))
    return train_step, (params, state, made(optimizer.init, params), *batch)


PROGRAMS = (*(nnx_mnist, nnx_mnist_eval, nnx_train_step, nnx_dropout, nnx_scan, nnx_split_merge),)
