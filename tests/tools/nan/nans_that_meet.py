"""Calls in which NaNs of two origins meet in one array, beside calls in which it looks so."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

NEGATIVE = jnp.array([-1.0, 1.0])
ZEROS = jnp.zeros(2)
MIXED = jnp.array([-1.0, 0.5])


class Meeting(NamedTuple):
    """The truth about a call: the op or argument with the first NaN, and whether a NaN of another
    origin may have reached the result."""

    fun: Any
    args: tuple[Any, ...]
    first: str
    others: bool


def joined(x, y):
    return jnp.concatenate([jnp.log(x), y / y])


def born_on_top(x):
    return jnp.sqrt(jnp.log(x))


def overwritten(x, y):
    return lax.dynamic_update_slice(jnp.log(x), y / y, (0,))


def turns(xs):
    return lax.scan(lambda carry, x: (carry, jnp.log(x)), 0.0, xs)[1]


def filled(x):
    return jnp.log(x).at[jnp.array([5])].get(mode="fill")


def rows(x):
    made = jnp.stack([jnp.log(x), jnp.exp(x * -200.0)])
    return made @ jnp.zeros((2, 2))


def chosen(which):
    return lambda x, y: jnp.where(which, jnp.log(x), y / y)


def looked_up(table):
    return table[jnp.array([0, 1])]


def overflows(x, y):
    return joined(jnp.exp(x) - jnp.exp(x), y)


MEETINGS = {
    "the later half": Meeting(lambda x, y: joined(x, y)[2:], (NEGATIVE, ZEROS), "log", True),
    "the whole": Meeting(joined, (NEGATIVE, ZEROS), "log", False),
    "their sum": Meeting(lambda x, y: joined(x, y).sum(), (NEGATIVE, ZEROS), "log", False),
    "a part of one": Meeting(lambda x: jnp.log(x)[:1], (NEGATIVE,), "log", False),
    "born on top, a part": Meeting(lambda x: born_on_top(x)[1:], (MIXED,), "log", True),
    "born on top": Meeting(born_on_top, (MIXED,), "log", False),
    "overwritten": Meeting(overwritten, (NEGATIVE, ZEROS), "log", True),
    "a turn of several": Meeting(lambda xs: turns(xs)[1], (-jnp.ones(3),), "log", True),
    "all turns": Meeting(turns, (-jnp.ones(3),), "log", False),
    "the carry of a loop": Meeting(
        lambda x, xs: lax.scan(lambda c, y: (jnp.log(c), y), x, xs)[0],
        (0.5, jnp.ones(4)),
        "log",
        False,
    ),
    "the carry of a long loop": Meeting(
        lambda x, xs: lax.scan(lambda c, y: (jnp.log(c), y), x, xs)[0],
        (0.5, jnp.ones(400)),
        "log",
        False,
    ),
    "a turn of a long loop": Meeting(lambda xs: turns(xs)[1], (-jnp.ones(300),), "log", True),
    "filled beyond the end": Meeting(filled, (NEGATIVE,), "log", True),
    "a row of a product": Meeting(lambda x: rows(x)[1:], (NEGATIVE,), "log", True),
    "a row of a single one": Meeting(
        lambda x: (jnp.stack([jnp.log(x), x]) @ jnp.ones((2, 2)))[0], (NEGATIVE,), "log", False
    ),
    "only the other is chosen": Meeting(chosen(False), (NEGATIVE, ZEROS), "div", False),
    "one of each is chosen": Meeting(
        chosen(np.array([True, False])), (NEGATIVE, ZEROS), "log", False
    ),
    "chosen, then a part": Meeting(
        lambda x, y: chosen(np.array([True, False]))(x, y)[1:], (NEGATIVE, ZEROS), "log", True
    ),
    "not chosen in both": Meeting(
        lambda x, y: jnp.where(np.array([False, False, True, True]), joined(x, y), 0.0),
        (NEGATIVE, ZEROS),
        "log",
        True,
    ),
    "a table's": Meeting(looked_up, (jnp.array([np.nan, 1.0]),), "table", False),
    "a table's and one of mine": Meeting(
        lambda table, y: joined(looked_up(table) + 1.0, y)[2:],
        (jnp.array([np.nan, 1.0]), ZEROS),
        "table",
        True,
    ),
    "in a jit": Meeting(lambda x, y: jax.jit(joined)(x, y)[2:], (NEGATIVE, ZEROS), "log", True),
    "in a branch": Meeting(
        lambda x, y: lax.cond(y[0] == 0, lambda: joined(x, y)[2:], lambda: y),
        (NEGATIVE, ZEROS),
        "log",
        True,
    ),
    "of an infinity": Meeting(
        lambda x, y: overflows(x, y)[2:], (jnp.array([100.0, 0.0]), ZEROS), "sub", True
    ),
}
