"""The first lines of every program."""

from __future__ import annotations

import functools
from contextlib import suppress
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import jaxviz

x8, x16, x5, x2, x1 = (jnp.ones((rows, 4)) for rows in (8, 16, 5, 2, 1))
h8 = x8.astype("bfloat16")
n8 = np.ones((8, 4), "float32")
batches = [x8, x8, x8, x5]
one = jnp.float32(1)
key = jax.random.key(0)


def x64() -> Any:
    """The context in which numbers have 64 bits."""
    enabled = getattr(jax, "enable_x64", None)
    if not callable(enabled):
        from jax.experimental import enable_x64 as enabled  # pyright: ignore[reportAttributeAccessIssue]
    return enabled(True)


def precise() -> Any:
    """The context in which products are of float32."""
    return jax.default_matmul_precision("float32")


def put(x: Any) -> Any:
    """The array, committed to its device."""
    return jax.device_put(x, jax.devices()[0])


def total(*trees: Any) -> Any:
    """A number that depends on all that is in the trees."""
    return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(trees))


def names() -> dict[str, Any]:
    """The names that a program sees: each has its own `ran`, in which bodies note their runs."""
    return {
        "__name__": "__main__",
        "jax": jax,
        "jnp": jnp,
        "np": np,
        "lax": lax,
        "jaxviz": jaxviz,
        "functools": functools,
        "partial": functools.partial,
        "suppress": suppress,
        "x8": x8,
        "x16": x16,
        "x5": x5,
        "x2": x2,
        "x1": x1,
        "h8": h8,
        "n8": n8,
        "one": one,
        "key": key,
        "batches": batches,
        "x64": x64,
        "precise": precise,
        "put": put,
        "total": total,
        "ran": [],
    }
