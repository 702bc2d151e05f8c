"""Programs with repeated layers, and how their runs are to be shown. Each docstring was written
before the code that finds the runs.

A docstring lists the runs, the odd layers and the layers beside them, in the order of the program,
inside the pass that they are in. `≠` says how a layer differs from its siblings. An empty list says
that nothing is a run, and no layer is odd.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import linen, nnx

BF16 = "bfloat16"
X = jax.ShapeDtypeStruct((4, 8), BF16)


def array(*shape: int, dtype: str = BF16) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def layer(dtype: str = BF16, wide: int = 32) -> dict[str, Any]:
    return {
        "up": array(8, wide, dtype=dtype),
        "scale": array(wide, dtype=dtype),
        "down": array(wide, 8, dtype=dtype),
    }


def layers(count: int, **odd: dict[str, Any]) -> list[dict[str, Any]]:
    """`count` equal layers but for `odd`: `at_3=` has the keyword arguments of layer 3."""
    return [layer(**odd.get(f"at_{at}", {})) for at in range(count)]


def block(p: Any, x: Any) -> Any:
    h = jnp.tanh(x @ p["up"]) * p["scale"]
    return x + (h @ p["down"]).astype(x.dtype)


def run_all(layers: Any, x: Any, block: Callable[..., Any] = block) -> Any:
    for p in layers:
        x = block(p, x)
    return x


# Runs


def all_equal(layers: Any, x: Any) -> Any:
    """
    layers[0…11] ×12
    """
    return run_all(layers, x)


def one_with_wide_weights(layers: Any, x: Any) -> Any:
    """
    layers[0…6] ×7
    layers[7] ≠ f32 weights
    layers[8…11] ×4
    """
    return run_all(layers, x)


def one_that_computes_wide(layers: Any, x: Any) -> Any:
    """
    layers[0…6] ×7
    layers[7] ≠ f32
    layers[8…11] ×4
    """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        if at == 7:
            h = h * np.float32(0.5)
        x = x + (h @ p["down"]).astype(x.dtype)
    return x


def one_of_another_size(layers: Any, x: Any) -> Any:
    """
    layers[0…3] ×4
    layers[4] ≠ shape [8,48]
    layers[5…11] ×7
    """
    return run_all(layers, x)


def one_with_one_op_more(layers: Any, x: Any) -> Any:
    """
    layers[0…4] ×5
    layers[5] ≠ extra sin
    layers[6…11] ×6
    """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        x = x + (jnp.sin(h) if at == 5 else h) @ p["down"]
    return x


def one_without_an_op(layers: Any, x: Any) -> Any:
    """
    layers[0…2] ×3
    layers[3] ≠ no tanh
    layers[4…11] ×8
    """
    for at, p in enumerate(layers):
        h = x @ p["up"]
        x = x + ((h if at == 3 else jnp.tanh(h)) * p["scale"]) @ p["down"]
    return x


def last_without_an_op(layers: Any, x: Any) -> Any:
    """
    layers[0…10] ×11
    layers[11]
    """
    for at, p in enumerate(layers):
        h = x @ p["up"]
        x = x + ((h if at == 11 else jnp.tanh(h)) * p["scale"]) @ p["down"]
    return x


def one_with_another_number(layers: Any, x: Any) -> Any:
    """
    layers[0…1] ×2
    layers[2] ≠ 0.25
    layers[3…11] ×9
    """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        x = x + (h @ p["down"]) * (0.25 if at == 2 else 0.5)
    return x


def one_along_another_axis(layers: Any, x: Any) -> Any:
    """
    layers[0…7] ×8
    layers[8] ≠ axis=0
    layers[9…11] ×3
    """
    for at, p in enumerate(layers):
        h = jnp.cumsum(x @ p["up"], axis=0 if at == 8 else 1) * p["scale"]
        x = x + h @ p["down"]
    return x


def two_odd(layers: Any, x: Any) -> Any:
    """
    layers[0…2] ×3
    layers[3] ≠ f32 weights
    layers[4…6] ×3
    layers[7] ≠ extra sin
    layers[8…11] ×4
    """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        x = x + ((jnp.sin(h) if at == 7 else h) @ p["down"]).astype(x.dtype)
    return x


def first_is_odd(layers: Any, x: Any) -> Any:
    """
    layers[0] ≠ f32 weights
    layers[1…11] ×11
    """
    return run_all(layers, x)


# No odd ones


def every_other(layers: Any, x: Any) -> Any:
    """ """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        x = x + (jnp.sin(h) if at % 2 else h) @ p["down"]
    return x


def two_halves(layers: Any, x: Any) -> Any:
    """
    layers[0…5] ×6
    layers[6…11] ×6
    """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        x = x + (jnp.sin(h) if at > 5 else h) @ p["down"]
    return x


def four_that_differ(layers: Any, x: Any) -> Any:
    """ """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        x = x + (jnp.sin(h) if at in (1, 5, 8, 11) else h) @ p["down"]
    return x


def ends_of_other_sizes(sizes: Any, x: Any) -> Any:
    """
    sizes[0]
    sizes[1…10] ×10
    sizes[11]
    """
    for p in sizes:
        x = jnp.tanh(x @ p["w"] + p["b"]) * 2
    return x


def one_of_three(layers: Any, x: Any) -> Any:
    """ """
    return run_all(layers, x)


# A few layers: no runs, but the odd one is marked


def one_of_five(layers: Any, x: Any) -> Any:
    """
    layers[0]
    layers[1]
    layers[2]
    layers[3] ≠ f32 weights
    layers[4]
    """
    return run_all(layers, x)


# Layers in other containers


def layers_of_a_dict(params: Any, x: Any) -> Any:
    """
    layer_0…6 ×7
    layer_7 ≠ f32 weights
    layer_8…11 ×4
    """
    for at in range(12):
        x = block(params[f"layer_{at}"], x)
    return x


def jitted_layers(layers: Any, x: Any) -> Any:
    """
    layers[0…6] ×7
    layers[7] ≠ f32 weights
    layers[8…11] ×4
    """
    return run_all(layers, x, jax.jit(block))


class Block(eqx.Module):
    norm: eqx.nn.LayerNorm
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        one, two = jax.random.split(key)
        self.norm = eqx.nn.LayerNorm(8)
        self.up = eqx.nn.Linear(8, 32, key=one)
        self.down = eqx.nn.Linear(32, 8, key=two)

    def __call__(self, x: Any) -> Any:
        return x + self.down(jax.nn.gelu(self.up(self.norm(x))))


class Model(eqx.Module):
    blocks: list[Block]

    def __init__(self) -> None:
        self.blocks = [Block(key) for key in jax.random.split(jax.random.key(0), 12)]

    def __call__(self, x: Any) -> Any:
        for one in self.blocks:
            x = one(x)
        return x


def equinox_modules(model: Any, x: Any) -> Any:
    """
    blocks[0…11] ×12
    """
    return model(x)


class LinenBlock(linen.Module):
    act: Any = linen.relu

    @linen.compact
    def __call__(self, x: Any) -> Any:
        h = self.act(linen.Dense(32)(linen.LayerNorm()(x)))
        return x + linen.Dense(8)(h)


class LinenModel(linen.Module):
    @linen.compact
    def __call__(self, x: Any) -> Any:
        for at in range(12):
            x = LinenBlock(jnp.sin if at == 9 else linen.tanh, name=f"blocks_{at}")(x)
        return x


def linen_modules(params: Any, x: Any) -> Any:
    """
    blocks_0…8 ×9
    blocks_9 ≠ extra sin
    blocks_10…11 ×2
    """
    return LinenModel().apply(params, x)


class NnxBlock(nnx.Module):
    def __init__(self, dtype: Any, rngs: Any) -> None:
        self.norm = nnx.LayerNorm(8, dtype=dtype, param_dtype=dtype, rngs=rngs)
        self.up = nnx.Linear(8, 32, dtype=dtype, param_dtype=dtype, rngs=rngs)
        self.down = nnx.Linear(32, 8, dtype=dtype, param_dtype=dtype, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return x + self.down(jnp.tanh(self.up(self.norm(x)))).astype(x.dtype)


def nnx_model(odd: int) -> Any:
    rngs = nnx.Rngs(0)
    return getattr(nnx, "List", list)(
        [NnxBlock("float32" if at == odd else BF16, rngs) for at in range(12)]
    )


def nnx_modules(blocks: Any, x: Any) -> Any:
    """
    blocks[0…6] ×7
    blocks[7] ≠ f32 weights
    blocks[8…11] ×4
    """
    for one in blocks:
        x = one(x)
    return x


# Both passes


def mixed(w: Any, x: Any) -> Any:
    h = jax.nn.gelu(x @ w)
    return x + h @ w


def layers_with_arrays_of_their_own(x: Any) -> Any:
    """
    forward
      mixed ×10
    backward
      mixed ⟵ ×10
    """

    def run(x: Any) -> Any:
        for layer in [partial(mixed, jnp.eye(8) * size) for size in range(10)]:
            x = layer(x)
        return x.sum()

    return jax.grad(run)(x)


def loss(layers: Any, x: Any) -> Any:
    return jnp.mean(run_all(layers, x).astype(jnp.float32))


def gradient_of_equal_layers(layers: Any, x: Any) -> Any:
    """
    forward
      layers[0…11] ×12
    backward
      layers[0…11] ⟵ ×12
    """
    return jax.grad(loss)(layers, x)


def gradient_with_one_wide(layers: Any, x: Any) -> Any:
    """
    forward
      layers[0…6] ×7
      layers[7] ≠ f32 weights
      layers[8…11] ×4
    backward
      layers[8…11] ⟵ ×4
      layers[7] ⟵ ≠ f32 weights
      layers[0…6] ⟵ ×7
    """
    return jax.grad(loss)(layers, x)


def step_with_one_wide(layers: Any, x: Any) -> Any:
    """
    forward
      layers[0…6] ×7
      layers[7] ≠ f32 weights
      layers[8…11] ×4
    backward
      layers[8…11] ⟵ ×4
      layers[7] ⟵ ≠ f32 weights
      layers[0…6] ⟵ ×7
    optimizer
      layers[0…6] ×7
      layers[7] ≠ f32 weights
      layers[8…11] ×4
    """
    grads = jax.grad(loss)(layers, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, grads)


# Indices of layers


def layers_of_one_array(w: Any, x: Any) -> Any:
    """
    block ×12
    """

    def block(x: Any, at: int) -> Any:
        h = jnp.tanh(x @ w[at])
        h = h * jnp.sin(h) + jax.lax.dynamic_index_in_dim(w, at, 0, keepdims=False)[0]
        return x + jnp.cos(h)

    for at in range(12):
        x = block(x, at)
    return x


def keys_by_index(layers: Any, x: Any, key: Any) -> Any:
    """
    layers[0…11] ×12
    """
    for at, p in enumerate(layers):
        h = jnp.tanh(x @ p["up"]) * p["scale"]
        keep = jax.random.bernoulli(jax.random.fold_in(key, at), 0.9, h.shape)
        x = x + jnp.where(keep, h, 0) @ p["down"]
    return x


def scan_over_layers(layers: Any, x: Any) -> Any:
    """ """
    return jax.lax.scan(lambda x, p: (block(p, x), None), x, layers)[0]


WIDE = {"dtype": "float32"}
STACKED = jax.tree.map(lambda one: array(12, *one.shape), layer())
SIZES = [{"w": array(a, b), "b": array(b)} for a, b in [(8, 16), *[(16, 16)] * 10, (16, 4)]]
ROWS = jax.ShapeDtypeStruct((4, 8), "float32")
ROW = jax.ShapeDtypeStruct((8,), "float32")

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    fun.__name__: (fun, args)
    for fun, args in [
        (all_equal, (layers(12), X)),
        (one_with_wide_weights, (layers(12, at_7=WIDE), X)),
        (one_that_computes_wide, (layers(12), X)),
        (one_of_another_size, (layers(12, at_4={"wide": 48}), X)),
        (one_with_one_op_more, (layers(12), X)),
        (one_without_an_op, (layers(12), X)),
        (last_without_an_op, (layers(12), X)),
        (one_with_another_number, (layers(12), X)),
        (one_along_another_axis, (layers(12), X)),
        (two_odd, (layers(12, at_3=WIDE), X)),
        (first_is_odd, (layers(12, at_0=WIDE), X)),
        (every_other, (layers(12), X)),
        (two_halves, (layers(12), X)),
        (four_that_differ, (layers(12), X)),
        (ends_of_other_sizes, (SIZES, X)),
        (one_of_three, (layers(3, at_1=WIDE), X)),
        (one_of_five, (layers(5, at_3=WIDE), X)),
        (layers_of_a_dict, ({f"layer_{n}": one for n, one in enumerate(layers(12, at_7=WIDE))}, X)),
        (jitted_layers, (layers(12, at_7=WIDE), X)),
        (equinox_modules, (Model(), ROW)),
        (nnx_modules, (nnx_model(odd=7), X)),
        (layers_with_arrays_of_their_own, (ROWS,)),
        (gradient_of_equal_layers, (layers(12), X)),
        (gradient_with_one_wide, (layers(12, at_7=WIDE), X)),
        (step_with_one_wide, (layers(12, at_7=WIDE), X)),
        (layers_of_one_array, (array(12, 8, 8), array(8, 8))),
        (keys_by_index, (layers(12), X, jax.eval_shape(lambda: jax.random.key(0)))),
        (scan_over_layers, (STACKED, X)),
    ]
}
CASES["linen_modules"] = (
    linen_modules,
    (jax.eval_shape(LinenModel().init, jax.random.key(0), ROWS), ROWS),
)


def expected(fun: Callable[..., Any]) -> str:
    return (inspect.getdoc(fun) or "").strip()
