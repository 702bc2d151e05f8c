"""Counts the bytes of arrays that are alive, and makes functions that close over large ones."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

MIB = 1 << 20


def live() -> float:
    """MiB of all arrays that JAX holds, each piece of memory counted once."""
    gc.collect()
    found = {one.unsafe_buffer_pointer(): one.nbytes for one in jax.live_arrays()}
    return sum(found.values()) / MIB


def large(mib: int) -> jax.Array:
    return jnp.arange(mib * MIB // 4, dtype=jnp.float32)


def direct(mib: int) -> Callable[..., Any]:
    """A jitted function over an array of its own, which lives no longer than the function."""
    array = large(mib)
    return jax.jit(lambda x: jnp.sin(array * x)[0])


def plain(mib: int) -> Callable[..., Any]:
    array = large(mib)

    def f(x: Any) -> Any:
        return jnp.sin(array * x)[0]

    return f


def nested(mib: int) -> Callable[..., Any]:
    """The array is closed over by a jitted body and by a loop's."""
    array = large(mib)
    inner = jax.jit(lambda x: jnp.cos(array * x)[1])

    @jax.jit
    def f(x: Any) -> Any:
        return jax.lax.fori_loop(0, 3, lambda i, y: y + array[i], inner(x))

    return f


def differentiated(mib: int) -> Callable[..., Any]:
    return jax.jit(jax.grad(plain(mib)))


def derived(mib: int) -> Callable[..., Any]:
    """A rule of a derivative closes over the array."""
    array = large(mib)

    @jax.custom_jvp
    def g(x: Any) -> Any:
        return jnp.sin(x)

    g.defjvp(lambda x, t: (g(*x), array[0] * t[0]))
    return jax.jit(lambda x: g(x) * 2)


def pulled(mib: int) -> Callable[..., Any]:
    array = large(mib)

    @jax.custom_vjp
    def g(x: Any) -> Any:
        return jnp.sin(x)

    g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct * array[0] * x,))
    return jax.jit(lambda x: g(x) * 2)


def batched(mib: int) -> Callable[..., Any]:
    array = large(mib)

    @jax.custom_batching.custom_vmap
    def g(x: Any) -> Any:
        return jnp.sin(x)

    @g.def_vmap
    def rule(size: int, is_batched: Any, x: Any) -> Any:
        return array[0] * x, True

    return jax.jit(lambda x: g(x) * 2)


def called_back(mib: int) -> Callable[..., Any]:
    array = large(mib)
    shape = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.jit(lambda x: jax.pure_callback(lambda y: array[0] + y, shape, x) * 2)


FACTORIES = (direct, plain, nested, differentiated)
"""Each makes a function that closes over an array of the given MiB."""
RULES = (derived, pulled, batched)
"""The same, for functions that do not need the array for lowering."""
