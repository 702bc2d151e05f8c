"""Plain JAX: parameters in dicts and lists, layers as functions, gradient descent by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp

from . import Call


def weights(inputs: int, outputs: int) -> Any:
    return {"w": jnp.ones((inputs, outputs)), "b": jnp.ones(outputs)}


def dense(p: Any, x: Any) -> Any:
    return x @ p["w"] + p["b"]


def sgd(params: Any, grads: Any) -> Any:
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def predict(params: Any, image: Any) -> Any:
    """The network of JAX's tutorial 'Training a simple neural network'."""
    activations = image
    for w, b in params[:-1]:
        outputs = jnp.dot(w, activations) + b
        activations = jax.nn.relu(outputs)
    final_w, final_b = params[-1]
    logits = jnp.dot(final_w, activations) + final_b
    return logits - logsumexp(logits)


batched_predict = jax.vmap(predict, in_axes=(None, 0))


def tutorial_loss(params: Any, images: Any, targets: Any) -> Any:
    preds = batched_predict(params, images)
    return -jnp.mean(preds * targets)


def jax_tutorial() -> Call:
    @jax.jit
    def update(params: Any, x: Any, y: Any) -> Any:
        grads = jax.grad(tutorial_loss)(params, x, y)
        return [
            (w - 0.01 * dw, b - 0.01 * db) for (w, b), (dw, db) in zip(params, grads, strict=True)
        ]

    sizes = [12, 8, 8, 4]
    params = [(jnp.ones((n, m)), jnp.ones(n)) for m, n in pairwise(sizes)]
    return update, (params, jnp.ones((3, 12)), jnp.ones((3, 4)))


def dict_of_layers() -> Call:
    def forward(params: Any, x: Any) -> Any:
        for i in range(12):
            x = jax.nn.relu(dense(params[f"layer_{i}"], x))
        return dense(params["out"], x)

    def loss_fn(params: Any, x: Any, y: Any) -> Any:
        return jnp.mean((forward(params, x) - y) ** 2)

    @jax.jit
    def train_step(params: Any, x: Any, y: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        return sgd(params, grads), loss

    params = {f"layer_{i}": weights(8, 8) for i in range(12)} | {"out": weights(8, 1)}
    return train_step, (params, jnp.ones((4, 8)), jnp.ones((4, 1)))


def layer_norm(p: Any, x: Any) -> Any:
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return p["g"] * (x - mean) / jnp.sqrt(var + 1e-5) + p["b"]


def attention(p: Any, x: Any) -> Any:
    q, k, v = jnp.split(dense(p["qkv"], x), 3, axis=-1)
    scores = jax.nn.softmax(q @ k.swapaxes(-1, -2) / jnp.sqrt(q.shape[-1]))
    return dense(p["proj"], scores @ v)


def block(p: Any, x: Any) -> Any:
    x = x + attention(p["attn"], layer_norm(p["ln_1"], x))
    h = jax.nn.gelu(dense(p["mlp"]["up"], layer_norm(p["ln_2"], x)))
    return x + dense(p["mlp"]["down"], h)


def transformer_params() -> Any:
    scale = {"g": jnp.ones(8), "b": jnp.ones(8)}

    def one() -> Any:
        mlp = {"up": weights(8, 16), "down": weights(16, 8)}
        attn = {"qkv": weights(8, 24), "proj": weights(8, 8)}
        return {"ln_1": scale, "attn": attn, "ln_2": scale, "mlp": mlp}

    blocks = [one() for _ in range(3)]
    return {"wte": jnp.ones((16, 8)), "blocks": blocks, "ln_f": scale, "head": weights(8, 16)}


def cross_entropy(logits: Any, labels: Any) -> Any:
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, labels[..., None], -1).mean()


def nested_lists() -> Call:
    def loss_fn(params: Any, tokens: Any) -> Any:
        x = params["wte"][tokens[:, :-1]]
        for p in params["blocks"]:
            x = block(p, x)
        logits = dense(params["head"], layer_norm(params["ln_f"], x))
        return cross_entropy(logits, tokens[:, 1:])

    def train_step(params: Any, tokens: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        return sgd(params, grads), loss

    return train_step, (transformer_params(), jnp.zeros((2, 5), int))


def jitted_layers() -> Call:
    @jax.jit
    def layer(p: Any, x: Any) -> Any:
        return x + jnp.tanh(dense(p, x)) * jax.nn.sigmoid(x)

    @jax.jit
    def mean_squared_error(prediction: Any, y: Any) -> Any:
        return jnp.mean((prediction - y) ** 2)

    def loss_fn(params: Any, x: Any, y: Any) -> Any:
        for p in params["layers"]:
            x = layer(p, x)
        return mean_squared_error(dense(params["out"], x), y)

    @jax.jit
    def train_step(params: Any, x: Any, y: Any) -> Any:
        loss, grads = jax.jit(jax.value_and_grad(loss_fn))(params, x, y)
        return jax.jit(sgd)(params, grads), loss

    params = {"layers": [weights(8, 8) for _ in range(3)], "out": weights(8, 1)}
    return train_step, (params, jnp.ones((4, 8)), jnp.ones((4, 1)))


def remat_layers() -> Call:
    @jax.checkpoint
    def layer(p: Any, x: Any) -> Any:
        return x + jnp.tanh(dense(p["up"], x)) @ p["down"]["w"] + p["down"]["b"]

    def loss_fn(params: Any, x: Any, y: Any) -> Any:
        x = dense(params["embed"], x)
        for p in params["layers"]:
            x = layer(p, x)
        return jnp.mean((dense(params["out"], x) - y) ** 2)

    @jax.jit
    def train_step(params: Any, x: Any, y: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        return sgd(params, grads), loss

    layers = [{"up": weights(8, 16), "down": weights(16, 8)} for _ in range(3)]
    params = {"embed": weights(4, 8), "layers": layers, "out": weights(8, 1)}
    return train_step, (params, jnp.ones((4, 4)), jnp.ones((4, 1)))


PROGRAMS = (jax_tutorial, dict_of_layers, nested_lists, jitted_layers, remat_layers)
