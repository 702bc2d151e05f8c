"""Runs with what is to be found in their logs, written before any of it was looked for.

A comment `# finds: ragged-batch` stands on the line of the calls that are traced again; a run
without one is a near miss.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from functions_made_anew import KEPT, MADE_ANEW


def fresh():
    """A function that nothing has traced yet."""

    def step(x, y=1.0):
        return jnp.sum(x) * y

    return jax.jit(step)


# A Python number in one call, an array in another


def number_then_array():
    f = fresh()
    for y in (1.0, jnp.float32(1)):
        f(jnp.ones(3), y)  # finds: weak-type


def array_then_number():
    f = fresh()
    for y in (jnp.float32(1), 0.5):
        f(jnp.ones(3), y)  # finds: weak-type


def integer_then_array():
    f = fresh()
    for y in (2, jnp.int32(2)):
        f(jnp.ones(3), y)  # finds: weak-type


def loop_that_carries():
    f = fresh()
    y = 0.0
    for _ in range(3):
        y = f(jnp.ones(3), y)  # finds: weak-type


def weak_array():
    f = fresh()
    for y in (jnp.asarray(1.0), jnp.float32(1)):
        f(jnp.ones(3), y)  # finds: weak-type


# Batches of several sizes


def smaller_last_batch():
    f = fresh()
    data = np.ones((10, 3), "float32")
    for at in range(0, 10, 4):
        f(data[at : at + 4])  # finds: ragged-batch


def many_sizes():
    f = fresh()
    for size in (3, 5, 7, 9):
        f(np.ones(size, "float32"))  # finds: ragged-batch


def sentences():
    f = fresh()
    for words in (12, 7, 30, 18):
        f(np.ones((4, words), "float32"))  # finds: ragged-batch


def by_keyword():
    f = fresh()
    for size in (8, 6, 3):
        f(x=np.ones((size, 2), "float32"))  # finds: ragged-batch


def in_a_while():
    f = fresh()
    left = 11
    while left > 0:
        f(np.ones(min(left, 5), "float32"))  # finds: ragged-batch
        left -= 5


FOUND = [
    *(number_then_array, array_then_number, integer_then_array, loop_that_carries, weak_array),
    *MADE_ANEW,
    *(smaller_last_batch, many_sizes, sentences, by_keyword, in_a_while),
]


def same_calls():
    f = fresh()
    for _ in range(4):
        f(jnp.ones(3), 1.0)


def other_numbers():
    f = fresh()
    for y in (1.0, 2.0, 3.0):
        f(jnp.ones(3), y)


def arrays_alone():
    f = fresh()
    for y in (1.0, 2.0):
        f(jnp.ones(3), jnp.float32(y))


def one_program_each():
    f, g = fresh(), fresh()
    f(jnp.ones(3), 1.0)
    g(jnp.ones(3), jnp.float32(1))


def silenced_number():
    f = fresh()
    for y in (1.0, jnp.float32(1)):
        f(jnp.ones(3), y)  # jaxviz: ignore weak-type


def equal_batches():
    f = fresh()
    for _ in range(3):
        f(np.ones((4, 3), "float32"))


def padded():
    f = fresh()
    for size in (4, 4, 2):
        batch = np.zeros((4, 3), "float32")
        batch[:size] = 1
        f(batch)


def other_ranks():
    f = fresh()
    f(np.ones(4, "float32"))
    f(np.ones((4, 4), "float32"))


def number_then_matrix():
    f = fresh()
    for y in (1.0, jnp.ones((3, 3))):
        f(jnp.ones(3), y)


def keys_of_two_kinds():
    f = jax.jit(jax.random.normal)
    for key in (jax.random.PRNGKey(0), jax.random.key(0)):
        f(key)


def training_and_evaluation():
    f = fresh()
    f(np.ones((8, 3), "float32"))
    f(np.ones((2, 3), "float32"))


def silenced_batches():
    f = fresh()
    for size in (8, 6, 3):
        f(np.ones((size, 2), "float32"))  # jaxviz: ignore ragged-batch


SILENT = [
    *(same_calls, other_numbers, arrays_alone, one_program_each, silenced_number),
    *KEPT,
    *(number_then_matrix, keys_of_two_kinds),
    *(equal_batches, padded, other_ranks, training_and_evaluation, silenced_batches),
]
