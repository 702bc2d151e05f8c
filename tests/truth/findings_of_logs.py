"""Runs with what is to be found in their logs, written before any of it was looked for.

A comment `# finds: ragged-batch` stands on the line of the calls that are retraced; a run
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


# Other causes that the log has a hint for


def static_numbers():
    f = jax.jit(lambda x, n: x * n, static_argnames="n")
    for n in (1, 2, 3):
        f(jnp.ones(3), n=n)  # finds: retrace


def static_lambdas():
    f = jax.jit(lambda x, fun: fun(x), static_argnums=1)
    for _ in range(3):
        f(jnp.ones(3), lambda x: x * 2)  # finds: retrace


def other_dtypes():
    f = fresh()
    for dtype in ("float32", "bfloat16"):
        f(jnp.ones(3, dtype))  # finds: retrace


def dtype_and_number():
    f = fresh()
    for x, y in ((jnp.ones(3), 1.0), (jnp.ones(3, "bfloat16"), jnp.float32(1))):
        f(x, y)  # finds: retrace


def list_then_tuple():
    f = jax.jit(lambda xs: xs[0] * 2)
    for xs in ([jnp.ones(3)], (jnp.ones(3),)):
        f(xs)  # finds: retrace


def another_key():
    f = jax.jit(lambda batch: batch["x"] * 2)
    for batch in ({"x": jnp.ones(3)}, {"x": jnp.ones(3), "mask": jnp.ones(3)}):
        f(batch)  # finds: retrace


def none_then_array():
    f = jax.jit(lambda x, mask: x if mask is None else x * mask)
    for mask in (None, jnp.ones(3)):
        f(jnp.ones(3), mask)  # finds: retrace


def by_position_and_keyword():
    f = fresh()
    f(jnp.ones(3), jnp.float32(2))
    f(jnp.ones(3), y=jnp.float32(2))  # finds: retrace


def another_precision():
    f = fresh()
    f(jnp.ones(3))
    with jax.default_matmul_precision("float32"):
        f(jnp.ones(3))  # finds: retrace


def cleared_caches():
    f = fresh()
    f(jnp.ones(3))
    jax.clear_caches()
    f(jnp.ones(3))  # finds: retrace


def other_options():
    def step(x):
        return x * 2

    jax.jit(step)(jnp.ones(3))
    jax.jit(step, donate_argnums=0)(jnp.ones(3))  # finds: retrace


def committed_then():
    f = fresh()
    f(jnp.ones(3))
    f(jax.device_put(jnp.ones(3), jax.devices()[0]))  # finds: retrace


def number_that_a_loop_takes():
    def body(total, row):
        return total + row, None

    for start in (0.0, jnp.float32(0)):
        jax.lax.scan(body, start, jnp.ones(3))  # finds: weak-type


FOUND = [
    *(number_then_array, array_then_number, integer_then_array, loop_that_carries, weak_array),
    *MADE_ANEW,
    *(smaller_last_batch, many_sizes, sentences, by_keyword, in_a_while),
    *(static_numbers, static_lambdas, other_dtypes, dtype_and_number),
    *(list_then_tuple, another_key, none_then_array, by_position_and_keyword),
    *(another_precision, cleared_caches, other_options, committed_then, number_that_a_loop_takes),
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


def silenced_static():
    f = jax.jit(lambda x, n: x * n, static_argnames="n")
    for n in (1, 2, 3):
        f(jnp.ones(3), n=n)  # jaxviz: ignore retrace


def two_static_programs():
    for n in (1, 2):
        jax.jit(lambda x, n: x * n, static_argnames="n")(jnp.ones(3), n=n)


def silenced_batches():
    f = fresh()
    for size in (8, 6, 3):
        f(np.ones((size, 2), "float32"))  # jaxviz: ignore ragged-batch


SILENT = [
    *(same_calls, other_numbers, arrays_alone, one_program_each, silenced_number),
    *KEPT,
    *(number_then_matrix, keys_of_two_kinds, silenced_static, two_static_programs),
    *(equal_batches, padded, other_ranks, training_and_evaluation, silenced_batches),
]
