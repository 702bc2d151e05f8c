"""Measures what this machine does at most, as a program of XLA's reaches it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxviz.capture.rerun.own_run import own_run
from jaxviz.schema import Peak

_FEWEST, _MOST, _SECONDS = 3, 20, 0.5
"""How often each is timed, and after so many seconds no more."""
_IN_A_ROW = 10
"""Other devices than CPUs run so many after one another each time, since to call one and to hear
of its end takes a tenth of a millisecond."""


def measured_peak() -> Peak:
    """The flops in a second of a product of matrices, and the bytes in a second that adding one to
    an array reads and writes where it stands, too large for caches; both in f32 and on the default
    device. The fastest of some runs counts."""
    size, length = (2048, 1 << 24) if jax.default_backend() == "cpu" else (8192, 1 << 28)
    square = jnp.full((size, size), 1 / size, jnp.float32)
    line = jnp.ones(length, jnp.float32)
    with own_run({}):
        multiply = jax.jit(jnp.matmul)
        product = _fastest(lambda x: multiply(x, square), square)
        added = _fastest(jax.jit(lambda x: x + 1, donate_argnums=0), line)
    flops, moved = round(2 * size**3 / product), round(2 * 4 * length / added)
    return Peak(flops=flops, bytes=moved, measured=True)


def _fastest(run: Callable[[Any], Any], value: Any) -> float:
    """The seconds of one run where it was fastest, each of what the one before gave."""
    value = jax.block_until_ready(run(value))
    row = 1 if jax.default_backend() == "cpu" else _IN_A_ROW
    taken: list[float] = []
    while len(taken) < _FEWEST or (len(taken) < _MOST and sum(taken) < _SECONDS):
        start = time.perf_counter()
        for _ in range(row):
            value = run(value)
        jax.block_until_ready(value)
        taken.append(time.perf_counter() - start)
    return min(taken) / row
