"""float64 asked for where JAX gives float32, because 64 bits are switched off."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from . import array, case

X = array("float32", 8)
N = array("int32", 8)


def zeros(x):
    return x + jnp.zeros(8, jnp.float64)  # finds: float64


def named(x):
    return x + jnp.ones(8, dtype="float64")  # finds: float64


def cast(i):
    y = i.astype(jnp.float64)  # finds: float64
    return y * 2


def of_numpy(x):
    return x * jnp.linspace(0, 1, 8, dtype=np.float64)  # finds: float64


def over_lines(i):
    y = jnp.asarray(  # finds: float64
        i * 2,
        dtype=jnp.float64,
    )
    return y + 1


def summed(i):
    return jnp.sum(i, dtype=jnp.float64)  # finds: float64


# Near misses


def float32(x):
    return x + jnp.zeros(8, jnp.float32)


def on_the_host(x):
    table = np.linspace(0, 1, 8, dtype=np.float64)
    return x * jnp.asarray(table, jnp.float32)


def compared(x):
    return x * 2 if x.dtype == jnp.float64 else x + 1


def in_a_text(x):
    return x + jnp.ones(8)  # not float64


def ignored(i):
    return i.astype(jnp.float64) * 2  # jaxviz: ignore float64


CASES = [
    case(zeros, X),
    case(named, X),
    case(cast, N),
    case(of_numpy, X),
    case(over_lines, N),
    case(summed, N),
    case(float32, X),
    case(on_the_host, X),
    case(compared, X),
    case(in_a_text, X),
    case(ignored, N),
]
