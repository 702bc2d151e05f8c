"""The programs of the benchmarks, from 10 eqns on. Imports only jax, because peers run them,
too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def toy() -> Call:
    """10 eqns."""

    def toy(x: Any, w: Any) -> Any:
        y = jnp.sin(x @ w) * x + 1.0
        return jnp.sum(y**2) + jnp.max(jnp.exp(x) - y)

    return toy, (jnp.ones((4, 4)), jnp.ones((4, 4)))


def mlp() -> Call:
    """About 200 eqns: an MLP's training step with momentum."""
    params = [{"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for _ in range(9)]
    speed = jax.tree.map(jnp.zeros_like, params)

    def loss(params: Any, x: Any, y: Any) -> Any:
        for p in params:
            x = jnp.tanh(x @ p["w"] + p["b"])
        return jnp.mean((x - y) ** 2)

    def step(params: Any, speed: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        speed = jax.tree.map(lambda s, g: 0.9 * s + g, speed, grads)
        return value, jax.tree.map(lambda p, s: p - 0.1 * s, params, speed), speed

    return step, (params, speed, jnp.ones((4, 8)), jnp.ones((4, 8)))


def _norm(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-6)


def _attention(p: Any, x: Any) -> Any:
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in "qkv")
    scores = jnp.einsum("bqhk,bthk->bhqt", q, k) / jnp.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tri(x.shape[1], dtype=bool), scores, -1e9)
    return jnp.einsum("bhqt,bthk,hkd->bqd", jax.nn.softmax(scores), v, p["out"])


def _block(p: Any, x: Any) -> Any:
    x = x + _attention(p, _norm(x) * p["scale1"])
    return x + jax.nn.gelu(_norm(x) * p["scale2"] @ p["up"]) @ p["down"]


def _layer() -> dict[str, Any]:
    p: dict[str, Any] = {name: jnp.ones((16, 2, 8)) for name in "qkv"}
    p |= {"out": jnp.ones((2, 8, 16)), "up": jnp.ones((16, 64)), "down": jnp.ones((64, 16))}
    return p | {"scale1": jnp.ones(16), "scale2": jnp.ones(16)}


def _adam_step(loss: Any, params: Any) -> Call:
    zeros = jax.tree.map(jnp.zeros_like, params)

    def update(p: Any, m: Any, v: Any, g: Any) -> Any:
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2
        return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v

    def step(params: Any, mean: Any, square: Any, tokens: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, tokens)
        new = jax.tree.map(update, params, mean, square, grads)
        return value, new

    return step, (params, zeros, zeros, jnp.zeros((2, 12), jnp.int32))


def _cross_entropy(params: Any, x: Any, tokens: Any) -> Any:
    logp = jax.nn.log_softmax(_norm(x) @ params["embed"].T)
    return -jnp.mean(jnp.take_along_axis(logp, tokens[..., None], -1))


def nested(bodies: int = 5) -> Call:
    """About 1,200 eqns: a transformer's training step, its layers scans with remat."""

    @jax.checkpoint
    def block(x: Any, p: Any) -> Any:
        return _block(p, x), None

    stacked = jax.tree.map(lambda x: jnp.stack([x] * 3), _layer())
    params = {"embed": jnp.ones((50, 16)), "layers": [stacked] * bodies}

    def loss(params: Any, tokens: Any) -> Any:
        x = params["embed"][tokens]
        for part in params["layers"]:
            x, _ = jax.lax.scan(block, x, part)
        return _cross_entropy(params, x, tokens)

    return _adam_step(loss, params)


def flat(layers: int) -> Call:
    """A transformer's training step under Adam, its layers unrolled: 19 make 5,000 eqns."""
    params = {"embed": jnp.ones((50, 16)), "layers": [_layer() for _ in range(layers)]}

    def loss(params: Any, tokens: Any) -> Any:
        x = params["embed"][tokens]
        for p in params["layers"]:
            x = _block(p, x)
        return _cross_entropy(params, x, tokens)

    return _adam_step(loss, params)


def rnn(steps: int) -> Call:
    """A recurrent network, unrolled: 19 eqns a step."""
    params = {name: jnp.ones((8, 8)) for name in ("xz", "xr", "xn", "hz", "hr", "hn")}

    def cell(p: Any, h: Any, x: Any) -> Any:
        dot = jax.lax.dot
        z = jax.lax.logistic(dot(x, p["xz"]) + dot(h, p["hz"]))
        r = jax.lax.logistic(dot(x, p["xr"]) + dot(h, p["hr"]))
        return (1 - z) * h + z * jnp.tanh(dot(x, p["xn"]) + dot(r * h, p["hn"]))

    def rnn(params: Any, xs: Any) -> Any:
        h = jnp.zeros((4, 8))
        for t in range(steps):
            h = cell(params, h, xs[t % 16])
        return h

    return rnn, (params, jnp.ones((16, 4, 8)))


PROGRAMS: dict[str, Callable[[], Call]] = {
    "toy": toy,
    "mlp": mlp,
    "nested": nested,
    "flat": lambda: flat(19),
    "rnn500": lambda: rnn(26),
    "rnn2k": lambda: rnn(105),
    "rnn5k": lambda: rnn(263),
    "rnn20k": lambda: rnn(1_053),
    "rnn50k": lambda: rnn(2_632),
    "rnn200k": lambda: rnn(10_526),
}

STAGED: dict[str, Callable[[], Call]] = {"flat2": lambda: flat(2), "flat20": lambda: flat(20)}
"""About 700 and 5,500 eqns; their later stages are made, too."""
PEER_PROGRAMS = ["toy", "mlp", "nested", "flat"]
"""Programs that peers are asked to show too."""
