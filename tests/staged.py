"""Programs whose three stages are golden files: `python tests/staged.py FOLDER` writes them.

On eight devices, which JAX must know before it starts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import jaxviz

Made = tuple[Callable[..., Any], tuple[Any, ...]]


def array(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def descend(params: Any, grads: Any) -> Any:
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def mlp() -> Made:
    """One step of a perceptron that classifies."""

    def loss(params: Any, x: jax.Array, y: jax.Array) -> jax.Array:
        hidden = jax.nn.gelu(x @ params["w1"] + params["b1"])
        logits = jax.nn.log_softmax(hidden @ params["w2"])
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], 1))

    def step(params: Any, x: jax.Array, y: jax.Array) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return descend(params, grads), value

    params = {"w1": array(64, 128), "b1": array(128), "w2": array(128, 10)}
    return step, (params, array(8, 64), jax.ShapeDtypeStruct((8,), jnp.int32))


def scan_products() -> Made:
    """A hundred products of small matrices."""

    def scan_products(a: jax.Array, b: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda c, _: (c @ b, None), a, None, length=100)[0]

    return scan_products, (array(16, 16), array(16, 16))


def attention_step() -> Made:
    """One step of a block with attention, in name scopes."""

    def norm(scale: jax.Array, x: jax.Array) -> jax.Array:
        return scale * (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True))

    def attend(p: Any, x: jax.Array) -> jax.Array:
        q, k, v = (jnp.einsum("btd,dhe->bhte", x, p[name]) for name in "qkv")
        scores = jnp.einsum("bhte,bhse->bhts", q, k) / q.shape[-1] ** 0.5
        causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(causal, scores, -1e9))
        return jnp.einsum("bhts,bhse,hed->btd", weights, v, p["o"])

    def loss(params: Any, x: jax.Array, y: jax.Array) -> jax.Array:
        with jax.named_scope("attention"):
            x = x + attend(params, norm(params["scale"], x))
        with jax.named_scope("loss"):
            return jnp.mean((x - y) ** 2)

    def attention_step(params: Any, x: jax.Array, y: jax.Array) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        with jax.named_scope("optimizer"):
            return descend(params, grads), value

    params = {
        "scale": array(32),
        **{name: array(32, 4, 8) for name in "qkv"},
        "o": array(4, 8, 32),
    }
    return attention_step, (params, array(2, 16, 32), array(2, 16, 32))


def sharded() -> Made:
    """A loss and its gradient over four times two devices."""
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))

    def split(shape: tuple[int, ...], *spec: str | None) -> jax.ShapeDtypeStruct:
        sharding = NamedSharding(mesh, PartitionSpec(*spec))
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=sharding)

    def loss(params: Any, x: jax.Array) -> jax.Array:
        hidden = jax.nn.relu(x @ params["w1"])
        y = jax.lax.with_sharding_constraint(
            hidden @ params["w2"], NamedSharding(mesh, PartitionSpec("data", None))
        )
        return jnp.mean(y**2)

    params = {"w1": split((64, 128), None, "model"), "w2": split((128, 32), "model", None)}
    return jax.value_and_grad(loss), (params, split((16, 64), "data", None))


PROGRAMS = {make.__name__: make for make in (mlp, scan_products, attention_step, sharded)}


def main(folder: Path) -> None:
    for name, make in PROGRAMS.items():
        function, args = make()
        program = jaxviz.inspect(function)(*args)
        for kind in ("stablehlo", "hlo"):
            program.stage(kind)
        program.save(folder / f"{name}.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
