"""Pairs of calls to compare: each differs in one change that a person makes between two traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from programs import shaped

from jaxviz import inspect, schema

Traced = tuple[Callable[..., Any], tuple[Any, ...]]


def layer(w: Any, x: Any) -> Any:
    return jax.nn.relu(x @ w)


def loss(params: Any, x: Any, y: Any) -> Any:
    for w in params:
        x = layer(w, x)
    return jnp.mean((x - y) ** 2)


def step(params: Any, x: Any, y: Any) -> Any:
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return [w - 0.1 * g for w, g in zip(params, grads, strict=True)], value


def upcast_step(params: Any, x: Any, y: Any) -> Any:
    """A stray cast, as one looks for it."""

    def loss(params: Any, x: Any, y: Any) -> Any:
        x = layer(params[0], x)
        x = layer(params[1], x.astype(jnp.float32)).astype(jnp.bfloat16)
        return jnp.mean((x - y) ** 2)

    value, grads = jax.value_and_grad(loss)(params, x, y)
    return [w - 0.1 * g for w, g in zip(params, grads, strict=True)], value


def of_step(function: Callable[..., Any], rows: int, dtype: str = "float32") -> Traced:
    params = [shaped(4, 4, dtype=dtype), shaped(4, 4, dtype=dtype)]
    return function, (params, shaped(rows, 4, dtype=dtype), shaped(rows, 4, dtype=dtype))


def mode(train: bool) -> Traced:
    def model(key: Any, w: Any, x: Any) -> Any:
        x = jnp.tanh(x @ w)
        if train:
            x = jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0.0)
        return x.sum()

    return model, (jax.eval_shape(lambda: jax.random.key(0)), shaped(4, 4), shaped(2, 4))


def branch(scale: bool) -> Traced:
    def negative(x: Any) -> Any:
        return -x * 2.0 if scale else -x

    def choose(x: Any) -> Any:
        return jax.lax.cond(x.sum() > 0, jnp.sin, negative, x)

    return choose, (shaped(3),)


def scanned(mean: bool) -> Traced:
    def body(total: Any, x: Any) -> Any:
        total = 0.9 * total + 0.1 * x if mean else total + x
        return total, jnp.sin(total)

    def scan(xs: Any) -> Any:
        return jax.lax.scan(body, 0.0, xs)

    return scan, (shaped(6),)


def unrolled(turns: int) -> Traced:
    def power(x: Any, w: Any) -> Any:
        for _ in range(turns):
            x = jnp.tanh(x @ w)
        return x

    return power, (shaped(2, 4), shaped(4, 4))


def renamed(first: Any, second: Any) -> Any:
    third = jnp.sin(first) + 1
    return third * second, first


def other_names(a: Any, b: Any) -> Any:
    s = jnp.sin(a)
    return (s + 1) * b, a


def called(function: Callable[..., Any], *args: Any) -> Traced:
    return function, args or (shaped(8),)


PAIRS: dict[str, tuple[Traced, Traced]] = {
    "added": (
        called(lambda x, y: x * 2 + y * 3, shaped(4), shaped(4)),
        called(lambda x, z, y: x * 2 + z * 5 + y * 3, shaped(4), shaped(4), shaped(4)),
    ),
    "removed": (
        called(lambda x: jnp.sin(jnp.cos(x)).sum()),
        called(lambda x: jnp.sin(x).sum()),
    ),
    "replaced": (
        called(lambda x: jnp.sin(jnp.cos(x)) * x),
        called(lambda x: jnp.sin(jnp.tan(x)) * x),
    ),
    "param": (
        called(lambda x: jnp.exp(x).sum(0), shaped(8, 8)),
        called(lambda x: jnp.exp(x).sum(1), shaped(8, 8)),
    ),
    "literal": (called(lambda x: jnp.sin(x) * 2), called(lambda x: jnp.sin(x) * 3)),
    "operands": (
        called(lambda a, b: jnp.exp(a - b), shaped(4), shaped(4)),
        called(lambda a, b: jnp.exp(b - a), shaped(4), shaped(4)),
    ),
    "results": (
        called(lambda a, b: (jnp.sin(a), jnp.cos(b)), shaped(4), shaped(4)),
        called(lambda a, b: (jnp.cos(b), jnp.sin(a)), shaped(4), shaped(4)),
    ),
    "weak": (
        called(lambda x, lr: x * lr, shaped(4), 0.1),
        called(lambda x, lr: x * lr, shaped(4), shaped()),
    ),
    "shape": (of_step(step, 8), of_step(step, 5)),
    "upcast": (of_step(step, 8, "bfloat16"), of_step(upcast_step, 8, "bfloat16")),
    "mode": (mode(True), mode(False)),
    "branch": (branch(False), branch(True)),
    "scan": (scanned(False), scanned(True)),
    "unrolled": (unrolled(3), unrolled(4)),
    "same": (
        called(renamed, shaped(4), shaped(4)),
        called(other_names, shaped(4), shaped(4)),
    ),
    "different": (of_step(step, 8), scanned(False)),
}
"""By what differs: the earlier call and the later one."""


def captured(name: str) -> tuple[schema.Program, schema.Program]:
    before, after = (inspect(function)(*args).record for function, args in PAIRS[name])
    return before, after
