"""Transformers as functions over pytrees, for tests that read their outlines as text."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from models import Call, dense, descend, weights


def attend(p: Any, x: Any) -> Any:
    """Causal attention with two heads."""
    batch, length, width = x.shape
    q, k, v = jnp.split(dense(p["qkv"], x), 3, axis=-1)
    q, k, v = (y.reshape(batch, length, 2, width // 2) for y in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (width // 2) ** 0.5
    mask = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return dense(p["proj"], jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape))


def norm(p: Any, x: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]


def block(p: Any, x: Any) -> Any:
    x = x + attend(p["attn"], norm(p["ln_1"], x))
    h = jax.nn.gelu(dense(p["mlp"]["up"], norm(p["ln_2"], x)))
    return x + dense(p["mlp"]["down"], h)


def cross_entropy(logits: Any, labels: Any) -> Any:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
    return -chosen.mean()


def gpt_params(layers: int, width: int = 8) -> Any:
    scale = {"g": jnp.ones(width), "b": jnp.ones(width)}

    def one() -> Any:
        attn = {"qkv": weights(width, 3 * width), "proj": weights(width, width)}
        mlp = {"up": weights(width, 4 * width), "down": weights(4 * width, width)}
        return {"ln_1": scale, "attn": attn, "ln_2": scale, "mlp": mlp}

    embedding = {"wte": jnp.ones((16, width)), "wpe": jnp.ones((8, width))}
    return embedding | {"blocks": [one() for _ in range(layers)], "ln_f": scale}


def gpt_logits(params: Any, tokens: Any, block: Any = block) -> Any:
    x = params["wte"][tokens] + params["wpe"][jnp.arange(tokens.shape[-1])]
    for p in params["blocks"]:
        x = block(p, x)
    return norm(params["ln_f"], x) @ params["wte"].T


def gpt_step() -> Call:
    """GPT-2's twelve layers as functions over a pytree, and gradient descent."""

    def loss(params: Any, tokens: Any) -> Any:
        return cross_entropy(gpt_logits(params, tokens[:, :-1]), tokens[:, 1:])

    def step(params: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, tokens)
        return descend(params, grads), value

    return step, (gpt_params(12), jnp.zeros((2, 9), int))


def small_gpt_step() -> Call:
    """Twelve small layers of attention, with tanh for softmax, to be few eqns."""

    def layer(p: Any, x: Any) -> Any:
        return x + jnp.tanh(x @ p["query"] @ x.T) @ x @ p["value"]

    def loss(params: Any, tokens: Any) -> Any:
        x = params["embed"][tokens]
        for p in params["layers"]:
            x = layer(p, x)
        return jnp.mean((x @ params["head"] - 1.0) ** 2)

    def step(params: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, tokens)
        return descend(params, grads), value

    layers = [{"query": jnp.ones((4, 4)), "value": jnp.ones((4, 4))} for _ in range(12)]
    params = {"embed": jnp.ones((8, 4)), "layers": layers, "head": jnp.ones((4, 1))}
    return step, (params, jnp.zeros(6, int))


def scan_step() -> Call:
    """A transformer whose layers are stacked and scanned over."""

    def loss(params: Any, tokens: Any) -> Any:
        x = params["embed"][tokens[:, :-1]]
        x, _ = jax.lax.scan(lambda x, p: (block(p, x), None), x, params["layers"])
        return cross_entropy(dense(params["head"], x), tokens[:, 1:])

    def step(params: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, tokens)
        return descend(params, grads), value

    layers = jax.tree.map(lambda *a: jnp.stack(a), *gpt_params(6)["blocks"])
    params = {"embed": jnp.ones((16, 8)), "layers": layers, "head": weights(8, 16)}
    return step, (params, jnp.zeros((2, 9), int))
