"""20 small programs with a gradient that is jitted, vmapped or recomputed, or has custom rules.
Each has its truth, as in `gradients.py`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from gradients import GRADIENTS, TWO, V, W, X, Y, program

__all__ = ["GRADIENTS"]


@program("forward (jit loss) · backward (jit loss)", W, X)
def of_a_jitted_function() -> Any:
    @jax.jit
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    return jax.grad(loss)


@program("forward · backward", W, X)
def jitted_as_a_whole() -> Any:
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    return jax.jit(jax.grad(loss))


@program(
    "forward (jit loss (layer, layer, loss)) · backward (jit loss (loss ⟵, layer ⟵, layer ⟵))",
    TWO,
    X,
)
def two_layers_in_a_jitted_function() -> Any:
    def layer(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w) * 2 + x.sum()

    @jax.jit
    def loss(params: Any, x: Any) -> Any:
        x = layer(params["hidden"], x)
        x = layer(params["out"], x)
        return jnp.mean(x**2)

    return jax.grad(loss)


@program("forward · backward", V, X, Y)
def vmap_of_a_gradient() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return (jnp.tanh(x @ w) - y) ** 2

    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))


@program("forward · backward", V, X, Y)
def vmap_of_a_step() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return (jnp.tanh(x @ w) - y) ** 2

    def step(w: Any, x: Any, y: Any) -> Any:
        return w - 0.1 * jax.grad(loss)(w, x, y)

    return jax.vmap(step, in_axes=(None, 0, 0))


@program("forward · backward", V, X, Y)
def gradient_of_a_vmap() -> Any:
    def score(w: Any, x: Any, y: Any) -> Any:
        return (jnp.tanh(x @ w) - y) ** 2

    return jax.grad(lambda w, x, y: jax.vmap(score, (None, 0, 0))(w, x, y).mean())


@program("forward (jit loss) · backward (jit loss)", V, X, Y)
def vmap_of_a_jitted_gradient() -> Any:
    @jax.jit
    def loss(w: Any, x: Any, y: Any) -> Any:
        return (jnp.tanh(x @ w) - y) ** 2

    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))


@program("forward · backward (remat (loss ↻, loss ⟵))", W, X)
def recomputed() -> Any:
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jnp.tanh(jnp.sin(x @ w)) ** 2)

    return jax.grad(jax.checkpoint(loss))


@program("forward · backward (remat (recompute · backward))", W, X)
def a_recomputed_lambda() -> Any:
    return jax.grad(jax.checkpoint(lambda w, x: jnp.mean(jnp.tanh(jnp.sin(x @ w)) ** 2)))


@program("remat (forward · backward)", V, X, Y)
def a_recomputed_step() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

    @jax.checkpoint
    def step(w: Any, x: Any, y: Any) -> Any:
        return w - 0.1 * jax.grad(loss)(w, x, y)

    return step


# --- custom rules ---


def attention(q: Any, k: Any, v: Any) -> Any:
    return jax.nn.softmax(q @ k.T / 2.0) @ v


def flash_fwd(q: Any, k: Any, v: Any) -> Any:
    weights = jax.nn.softmax(q @ k.T / 2.0)
    return weights @ v, (q, k, v, weights)


def flash_bwd(kept: Any, g: Any) -> Any:
    q, k, v, weights = kept
    dw = g @ v.T
    ds = weights * (dw - (dw * weights).sum(-1, keepdims=True)) / 2.0
    return ds @ k, ds.T @ q, weights.T @ g


flash = jax.custom_vjp(attention)
flash.defvjp(flash_fwd, flash_bwd)


def summed(q: Any, k: Any, v: Any) -> Any:
    return jnp.sum(flash(q, k, v) ** 2)


@program("custom_vjp_call", X, X, X)
def a_custom_vjp() -> Any:
    return flash


@program("forward (flash_fwd) · backward (flash_bwd)", X, X, X)
def of_a_custom_vjp() -> Any:
    return jax.grad(summed, argnums=(0, 1, 2))


@program("forward (jit summed (flash_fwd)) · backward (jit summed (flash_bwd))", X, X, X)
def of_a_jitted_custom_vjp() -> Any:
    return jax.grad(jax.jit(summed))


@program("forward (flash_fwd) · backward (flash_bwd)", X[None], X[None], X[None])
def of_a_vmapped_custom_vjp() -> Any:
    return jax.grad(lambda q, k, v: jax.vmap(flash)(q, k, v).sum())


@program(
    "forward (flash_fwd) · backward (remat (summed ↻ (flash_fwd ↻), summed ⟵ (flash_bwd)))", X, X, X
)
def a_recomputed_custom_vjp() -> Any:
    return jax.grad(jax.checkpoint(summed))


@program(
    "forward (qkv, flash_fwd, out, loss) · backward (loss ⟵, out ⟵, flash_bwd, qkv ⟵)",
    {"qkv": jnp.ones((4, 12)), "out": jnp.ones((4, 4))},
    X,
)
def of_attention_with_weights() -> Any:
    def block(params: Any, x: Any) -> Any:
        q, k, v = jnp.split(x @ params["qkv"], 3, axis=-1)
        return flash(q, k, v) @ params["out"]

    def loss(params: Any, x: Any) -> Any:
        return jnp.mean(block(params, x) ** 2)

    return jax.grad(loss)


@program("forward (clip_fwd) · backward (clip_bwd)", V)
def of_clipped_gradients() -> Any:
    @jax.custom_vjp
    def clipped(x: Any) -> Any:
        return x

    def clip_fwd(x: Any) -> Any:
        return x * 1.0, None

    def clip_bwd(_: None, g: Any) -> Any:
        return (jnp.clip(g, -1, 1) * 1.0,)

    clipped.defvjp(clip_fwd, clip_bwd)
    return jax.grad(lambda x: jnp.sum(jnp.sin(clipped(x)) * 2))


def softplus_rule(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return softplus(x), dx * jax.nn.sigmoid(x)


@jax.custom_jvp
def softplus(x: Any) -> Any:
    return jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.maximum(x, 0)


softplus.defjvp(softplus_rule)


@program("custom_jvp_call", Y)
def a_custom_jvp() -> Any:
    return softplus


@program("forward (softplus_rule (custom_jvp_call)) · backward (softplus_rule ⟵)", Y)
def of_a_custom_jvp() -> Any:
    return jax.grad(lambda x: jnp.sum(softplus(x) * 2))


@program(
    "forward (jit doubled (softplus_rule (custom_jvp_call)))"
    " · backward (jit doubled (softplus_rule ⟵))",
    Y,
)
def of_a_jitted_custom_jvp() -> Any:
    @jax.jit
    def doubled(x: Any) -> Any:
        return jnp.sum(softplus(x) * 2)

    return jax.grad(doubled)
