"""Calls in which several elements of an array become NaN, and only some reach the result."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Elements(NamedTuple):
    """The truth about a call: the elements from which the NaN of the result may come, and the
    number of NaN elements in that array."""

    fun: Any
    args: tuple[Any, ...]
    reach: set[tuple[int, ...]]
    nans: int


THREE = jnp.array([-1.0, -2.0, 3.0, -4.0])
ONE = jnp.array([1.0, -2.0, 3.0, 4.0])
GRID = jnp.array([[-1.0, 2.0], [-3.0, 4.0]])


def chosen(x):
    return jnp.where(jnp.array([False, True, True, True]), jnp.log(x), 0.0)


def scattered(x):
    return jnp.log(x).at[0].set(1.0)


def looped(x):
    return lax.fori_loop(0, 2, lambda _, c: jnp.sqrt(c), x)[1:]


ELEMENTS = {
    "all": Elements(jnp.log, (THREE,), {(0,), (1,), (3,)}, 3),
    "their sum": Elements(lambda x: jnp.log(x).sum(), (THREE,), {(0,), (1,), (3,)}, 3),
    "in another order": Elements(lambda x: jnp.log(x)[::-1] * 2, (THREE,), {(0,), (1,), (3,)}, 3),
    "the only one": Elements(lambda x: jnp.log(x)[1:3], (ONE,), {(1,)}, 1),
    "a slice": Elements(lambda x: jnp.log(x)[1:], (THREE,), {(1,), (3,)}, 3),
    "one element": Elements(lambda x: jnp.log(x)[3], (THREE,), {(3,)}, 3),
    "by a traced index": Elements(lambda x, i: jnp.log(x)[i], (THREE, 1), {(1,)}, 3),
    "those that are chosen": Elements(chosen, (THREE,), {(1,), (3,)}, 3),
    "the sum of those": Elements(lambda x: chosen(x).sum(), (THREE,), {(1,), (3,)}, 3),
    "the first is overwritten": Elements(scattered, (THREE,), {(1,), (3,)}, 3),
    "a column": Elements(lambda x: jnp.log(x)[:, 0], (GRID,), {(0, 0), (1, 0)}, 2),
    "a row": Elements(lambda x: jnp.log(x)[1], (GRID,), {(1, 0)}, 2),
    "the transposed's row": Elements(lambda x: jnp.log(x).T[0], (GRID,), {(0, 0), (1, 0)}, 2),
    "a product's row": Elements(lambda x: (jnp.log(x) @ jnp.ones(2))[1], (GRID,), {(1, 0)}, 2),
    "in a jit": Elements(lambda x: jax.jit(jnp.log)(x)[1:], (THREE,), {(1,), (3,)}, 3),
    "of a loop": Elements(looped, (THREE,), {(1,), (3,)}, 3),
    "by its power": Elements(lambda x: (jnp.log(x) ** 2)[1:], (THREE,), {(1,), (3,)}, 3),
    "the backward pass": Elements(
        jax.grad(lambda x: jnp.sqrt(x).sum()), (-jnp.ones(3),), {(0,), (1,), (2,)}, 3
    ),
}
