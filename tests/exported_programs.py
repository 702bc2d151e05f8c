"""Functions that are exported with symbolic sizes, and the types that JAX gives them."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import export, lax


class OfSizes(NamedTuple):
    """The truth about an Exported."""

    fun: Any
    shapes: tuple[str, ...]
    """Shapes of the arguments, as `jax.export.symbolic_shape` reads them."""
    args: list[str]
    results: list[str]
    within: tuple[str, ...] = ()
    """Types that values between them have."""
    constraints: tuple[str, ...] = ()


def exported(case: OfSizes) -> Any:
    scope = export.SymbolicScope(case.constraints)
    shapes = [export.symbolic_shape(shape, scope=scope) for shape in case.shapes]
    return export.export(jax.jit(case.fun))(*(jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes))


def doubled_in_a_loop(x):
    return lax.scan(lambda c, _: (c * 2, None), x, None, length=3)[0]


PROGRAMS = {
    "a sum": OfSizes(lambda x: (x * 2).sum(0), ("b, 8",), ["f32[b,8]"], ["f32[8]"]),
    "elementwise": OfSizes(jnp.sin, ("b, 8",), ["f32[b,8]"], ["f32[b,8]"]),
    "a product": OfSizes(
        lambda x, w: jax.nn.relu(x @ w),
        ("b, 8", "8, 3"),
        ["f32[b,8]", "f32[8,3]"],
        ["f32[b,3]"],
        ("f32[b,3]",),
    ),
    "twice and one": OfSizes(
        lambda x: jnp.ones(2 * x.shape[0] + 1), ("b, 8",), ["f32[b,8]"], ["f32[2*b + 1]"]
    ),
    "joined": OfSizes(
        lambda x: jnp.concatenate([x, x]).sum(), ("b",), ["f32[b]"], ["f32[]"], ("f32[2*b]",)
    ),
    "two sizes": OfSizes(
        lambda x, y: x[:, None] * y, ("b", "c"), ["f32[b]", "f32[c]"], ["f32[b,c]"], ("f32[b,c]",)
    ),
    "joined of two sizes": OfSizes(
        lambda x, y: jnp.concatenate([x, y]), ("b", "c"), ["f32[b]", "f32[c]"], ["f32[c + b]"]
    ),
    "transposed": OfSizes(lambda x: x.T * 2, ("b, 8",), ["f32[b,8]"], ["f32[8,b]"], ("f32[8,b]",)),
    "flat": OfSizes(lambda x: x.reshape(-1), ("b, 8",), ["f32[b,8]"], ["f32[8*b]"]),
    "softmax": OfSizes(
        lambda x: jax.nn.softmax(x).sum(0), ("b, 8",), ["f32[b,8]"], ["f32[8]"], ("f32[b,1]",)
    ),
    "in a loop": OfSizes(doubled_in_a_loop, ("b, 8",), ["f32[b,8]"], ["f32[b,8]"], ("f32[b,8]",)),
    "in a branch": OfSizes(
        lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), ("b",), ["f32[b]"], ["f32[b]"]
    ),
    "a gradient": OfSizes(
        jax.grad(lambda x: jnp.tanh(x).sum()), ("b, 4",), ["f32[b,4]"], ["f32[b,4]"]
    ),
    "an argument of twice the size": OfSizes(
        lambda x: x + 1, ("2*b, 3",), ["f32[2*b,3]"], ["f32[2*b,3]"]
    ),
    "constrained": OfSizes(
        lambda x: x[:4].sum(0), ("b, 2",), ["f32[b,2]"], ["f32[2]"], constraints=("b >= 4",)
    ),
    "numbers alone": OfSizes(jnp.sin, ("4, 8",), ["f32[4,8]"], ["f32[4,8]"]),
}
