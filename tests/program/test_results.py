"""The results and the work of programs, in the words of `print(program)`: written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx
from jax import lax

import jaxviz

V, W = jnp.ones(100), jnp.ones((8, 16))
PARAMS = {"b": jnp.zeros(2), "w": jnp.ones((4, 2))}
BATCH = (jnp.ones((8, 4)), jnp.ones((8, 2)))
ADAM = optax.adam(1e-3)


def loss(params: Any, batch: Any) -> Any:
    x, y = batch
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def sgd(params: Any, batch: Any) -> Any:
    value, grads = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value


def layered(params: Any, rate: Any) -> Any:
    grads = jax.grad(lambda params: sum(jnp.sum(layer["w"] ** 2) for layer in params))(params)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)


def adam(params: Any, state: Any, batch: Any) -> Any:
    grads = jax.grad(loss)(params, batch)
    updates, state = ADAM.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def apply(params: Any, grads: Any) -> Any:
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def difference(new: Any, old: Any) -> Any:
    return jax.tree.map(lambda a, b: a - b, new, old)


def clip(grads: Any) -> Any:
    return jax.tree.map(lambda g: jnp.where(jnp.isnan(g), 0, g), grads)


def gradient(params: Any, batch: Any) -> Any:
    return jax.grad(loss)(params, batch)


def decode(cache: Any, token: Any) -> Any:
    cache = cache.at[0].set(token)
    return cache, cache.sum()


def running(total: Any, xs: Any) -> Any:
    return lax.scan(lambda total, x: (total + x, total), total, xs)


def both(x: Any, y: Any) -> Any:
    total = x + y
    return total, {"product": x * y, "given": x}


@nnx.jit
def nnx_step(model: Any, x: Any) -> Any:
    value, grads = nnx.value_and_grad(lambda model: (model(x) ** 2).mean())(model)
    optimizer = nnx.state(model, nnx.Param)
    nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, optimizer, grads))
    return value


@eqx.filter_jit
def eqx_step(model: Any, x: Any) -> Any:
    value, grads = eqx.filter_value_and_grad(lambda model: (jax.vmap(model)(x) ** 2).mean())(model)
    return eqx.apply_updates(model, jax.tree.map(lambda g: -0.1 * g, grads)), value


@pytest.mark.parametrize(
    ("fun", "args", "results"),
    [
        (sgd, (PARAMS, BATCH), ["params['b'] (new)", "params['w'] (new)", "value"]),
        (jax.jit(sgd), (PARAMS, BATCH), ["params['b'] (new)", "params['w'] (new)", "value"]),
        (
            adam,
            (PARAMS, ADAM.init(PARAMS), BATCH),
            ["params['b'] (new)", "params['w'] (new)", "state (new)"],
        ),
        (layered, ([{"w": V}, {"w": V}], 0.1), ["params[0]['w'] (new)", "params[1]['w'] (new)"]),
        (apply, (PARAMS, PARAMS), ["params['b'] (new)", "params['w'] (new)"]),
        (difference, (PARAMS, PARAMS), ["result['b']", "result['w']"]),
        (clip, (PARAMS,), ["result['b']", "result['w']"]),
        (gradient, (PARAMS, BATCH), ["result['b']", "result['w']"]),
        (decode, (V, V[0]), ["cache (new)", "result[1]"]),
        (running, (V[0], V), ["result[0]", "result[1]"]),
        (both, (V, V), ["total", "given", "product"]),
        (
            nnx_step,
            (nnx.Linear(16, 2, rngs=nnx.Rngs(0)), W),
            ["model.bias (new)", "model.kernel (new)", "value"],
        ),
        (
            eqx_step,
            (eqx.nn.Linear(16, 2, key=jax.random.key(0)), W),
            ["model.weight (new)", "model.bias (new)", "value"],
        ),
    ],
)
def test_results_have_the_names_of_what_they_are(
    fun: Callable[..., Any], args: tuple[Any, ...], results: list[str]
) -> None:
    text = str(jaxviz.inspect(fun)(*args))
    lines = [line.partition("→ ")[2] for line in text.splitlines() if line.startswith("  → ")]
    assert [line.partition("  ")[0] for line in lines] == results


@pytest.mark.parametrize(
    ("fun", "work"),
    [
        (jnp.sin, "100 sin · 800 bytes read and written"),
        (lambda x: jnp.sin(jnp.sin(x)), "200 sin · 1.6 KiB read and written"),
        (lambda x: jnp.exp(jnp.sin(x)), "200 transcendentals · 1.6 KiB read and written"),
        (lambda x: jnp.sin(x) + 1, "100 flops · 1.6 KiB read and written"),
        (lambda x: x.reshape(4, 25).T, "800 bytes read and written"),
        (lambda x: x, "0 bytes read and written"),
    ],
)
def test_what_is_counted_is_said(fun: Callable[..., Any], work: str) -> None:
    assert str(jaxviz.inspect(fun)(V)).splitlines()[-1] == work
