"""Calls whose result has a NaN of a constant: one that is written in the program, or closed over.

`op` is the eqn that takes the constant, or whose branch or body returns it: `call` for that of a
jitted function; empty where the function itself returns it. Each line with a constant that reaches
the result ends in `# constant`, unless the function returns it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Constant(NamedTuple):
    """The truth about a call."""

    fun: Any
    args: tuple[Any, ...]
    op: str
    around: tuple[str, ...] = ()
    result: str = "result"


CLOSED_OVER = jnp.array([1.0, np.nan])
OF_NUMPY = np.array([1.0, np.nan], np.float32)


@jax.jit
def constant(x):
    return jnp.nan


@jax.jit
def both(x):
    return x, jnp.array([np.nan, 2.0])


def of_a_branch(x):
    return lax.cond(x > 0, lambda x: x, lambda x: jnp.nan, x)  # constant


def of_a_branch_and_used(x):
    y = lax.cond(x > 0, lambda x: x, lambda x: jnp.nan, x)  # constant
    return y * 2.0


def given_to_a_branch(x):
    return lax.cond(x > 0, lambda x, y: x, lambda x, y: y, x, jnp.nan)  # constant


def of_the_third_branch(x):
    branches = [lambda x: x, lambda x: -x, lambda x: jnp.nan]
    return lax.switch(jnp.int32(x), branches, x)  # constant


def of_a_loop(x):
    return lax.fori_loop(0, 3, lambda i, v: jnp.nan, x)  # constant


def at_the_start_of_a_loop(x):
    return lax.fori_loop(0, 3, lambda i, v: v + x, jnp.nan)  # constant


def of_each_iteration(x):
    return lax.scan(lambda s, _: (s, jnp.nan), x, None, length=3)  # constant


def of_a_while(x):
    return lax.while_loop(lambda v: v > 0, lambda v: jnp.nan, x)  # constant


def of_a_call_and_used(x):
    y = constant(x)  # constant
    return y + x


def of_a_call(x):
    return constant(x)  # constant


def second_of_a_call(x):
    return both(x)[1]  # constant


def chosen(x):
    return jnp.where(x > 0, x, jnp.nan)  # constant


def filled(x):
    return jnp.full(3, jnp.nan) * x  # constant


def multiplied(x):
    return CLOSED_OVER * x  # constant


def multiplied_with_numpy(x):
    return OF_NUMPY * x  # constant


def multiplied_in_a_call(x):
    return jax.jit(lambda x: CLOSED_OVER * x)(x)  # constant


CONSTANTS = {
    "returned": Constant(lambda x: jnp.nan, (1.0,), ""),
    "returned beside another": Constant(lambda x: (x, jnp.nan), (1.0,), "", result="result[1]"),
    "returned array": Constant(lambda x: CLOSED_OVER, (1.0,), ""),
    "returned array of NumPy": Constant(lambda x: OF_NUMPY, (1.0,), ""),
    "returned by a jitted function": Constant(constant, (1.0,), "", result="jnp.nan"),
    "of a call": Constant(of_a_call, (1.0,), "call"),
    "second of a call": Constant(second_of_a_call, (1.0,), "call"),
    "of a call, used": Constant(of_a_call_and_used, (1.0,), "call"),
    "of a branch": Constant(of_a_branch, (-1.0,), "cond", ("cond, branch false",)),
    "of a branch, used": Constant(of_a_branch_and_used, (-1.0,), "cond", ("cond, branch false",)),
    "given to a branch": Constant(given_to_a_branch, (-1.0,), "cond", ("cond, branch false",)),
    "of the third branch": Constant(of_the_third_branch, (2.0,), "cond", ("cond, branch 2",)),
    "of a loop": Constant(of_a_loop, (1.0,), "scan", ("scan, index 2",)),
    "at the start of a loop": Constant(at_the_start_of_a_loop, (1.0,), "add", ("scan, index 0",)),
    "of each iteration": Constant(
        of_each_iteration, (1.0,), "scan", ("scan, index 0",), result="result[1]"
    ),
    "of a while": Constant(of_a_while, (1.0,), "while", ("while, iteration 0",)),
    "chosen": Constant(chosen, (-1.0,), "select_n"),
    "filled": Constant(filled, (1.0,), "broadcast_in_dim"),
    "multiplied": Constant(multiplied, (1.0,), "mul"),
    "multiplied, of NumPy": Constant(multiplied_with_numpy, (1.0,), "mul"),
    "multiplied in a call": Constant(multiplied_in_a_call, (1.0,), "mul"),
}

NOT_REACHED = {
    "branch not taken": (of_a_branch, (1.0,)),
    "not chosen": (chosen, (1.0,)),
    "loop without iterations": (of_a_while, (-1.0,)),
    "dropped": (lambda x: both(x)[0], (1.0,)),
    "infinity": (lambda x: (jnp.inf, x), (1.0,)),
    "infinite mask": (lambda x: jnp.where(x > 0, x, -jnp.inf), (-1.0,)),
}
"""Calls whose results have no NaN. Infinities of constants are meant, and are not reported."""
