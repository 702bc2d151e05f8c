"""How many bytes of arrays are alive, and functions that close over large ones."""

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


FACTORIES = (direct, plain, nested, differentiated)
