"""Gradients that are NaN behind a choice. Where the NaN is of the branch that is not chosen, the
choice stands on a line that ends in `# choice`, and what it should come before on one that ends in
`# before`, or `# choice before`. Near misses have a NaN of the branch that is chosen, or no choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Choice(NamedTuple):
    """The truth about the gradient of a call."""

    fun: Any
    args: tuple[Any, ...]
    before: str | None
    """The operation that should get a chosen input; None if no choice is the cause."""


ZERO = jnp.array([0.0, 1.0, 4.0])
NEGATIVE = jnp.array([-1.0, 1.0, 4.0])
POINTS = jnp.arange(6.0).reshape(3, 2)


def root(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)  # choice before


def root_on_its_own_line(x):
    y = jnp.sqrt(x)  # before
    return jnp.where(x > 0, y, 0.0)  # choice


def root_of_square(x):
    return jnp.where(x != 0, jnp.sqrt(x * x), 0.0)  # choice before


def selected(x):
    return lax.select(x > 0, jnp.sqrt(x), jnp.zeros_like(x))  # choice before


def other_case(x):
    return jnp.where(x <= 0, 0.0, jnp.sqrt(x))  # choice before


def logarithm(x):
    return jnp.where(x > 0, x * jnp.log(x), 0.0)  # choice before


def quotient(x):
    return jnp.where(x != 0, jnp.sin(x) / x, 1.0)  # choice before


def power(x):
    return jnp.where(x > 0, x**0.5, 0.0)  # choice before


def norms(x):
    length = jnp.linalg.norm(x[:, None] * jnp.ones(2), axis=1)  # before
    return jnp.where(x > 0, length, 0.0)  # choice


def distances(p):
    r2 = ((p[:, None] - p[None]) ** 2).sum(-1)
    r = jnp.sqrt(r2)  # before
    return jnp.where(r > 0, 1 / r, 0.0)  # choice


def root_forward(x):
    return jnp.where(x > 0, jnp.log(jnp.sqrt(x)), 0.0)  # choice before


def after_other_lines(x):
    y = jnp.sqrt(x)  # before
    z = jnp.where(x > 0, y * 2.0, 0.0)  # choice
    return jnp.tanh(z * 3.0)


def arccosine(x):
    return jnp.where(x < 1, jnp.arccos(x), 0.0)  # choice before


def inverse(x):
    return jnp.where(x > 0, lax.rsqrt(x), 0.0)  # choice before


def in_a_jit(x):
    return jax.jit(root)(x)


def in_a_checkpoint(x):
    return jax.checkpoint(root)(x)


def in_vmap(x):
    return jax.vmap(root)(x)


def turned(c, x):
    return c + jnp.where(x > 0, jnp.sqrt(x), 0.0), None  # choice before


def in_a_scan(x):
    return lax.scan(turned, 0.0, x)[0]


def in_two_choices(x):
    y = jnp.where(x > 0, jnp.sqrt(x), 0.0)  # choice before
    return jnp.where(x > 2, y, x)


def by_a_mask(x):
    return jnp.where(jnp.array([False, True, True]), jnp.sqrt(x), x)  # choice before


def clipped(x):
    return jnp.where(x > 1e-6, jnp.sqrt(x), jnp.float32(1e-3))  # choice before


COLUMN = jnp.ones((1, 2))


def before_a_product(x):
    y = jnp.sqrt(x)  # before
    return jnp.where(x[:, None] > 0, y[:, None] @ COLUMN, 0.0)  # choice


def before_two_products(x):
    y = jnp.sqrt(x)  # before
    z = (y[:, None] @ COLUMN) @ jnp.ones((2, 4))
    return jnp.where(x[:, None] > 0, z, 0.0)  # choice


def before_an_einsum(x):
    y = jnp.log(x)  # before
    z = jnp.einsum("b,j->bj", y, jnp.ones(3))
    return jnp.where(x[:, None] > 0, z, 0.0)  # choice


def before_a_convolution(x):
    y = jnp.sqrt(x)  # before
    z = jnp.convolve(y, jnp.ones(1), mode="same")
    return jnp.where(x > 0, z, 0.0)  # choice


def before_a_slice(x):
    y = jnp.sqrt(x)  # before
    z = jnp.concatenate([y, y])[:3]
    return jnp.where(x > 0, z, 0.0)  # choice


def before_a_gather(x):
    y = jnp.sqrt(x)  # before
    z = y[jnp.array([0, 1, 2])]
    return jnp.where(x > 0, z, 0.0)  # choice


def weights_of_a_hidden_nan(w):
    y = jnp.log(NEGATIVE)
    z = y[:, None] @ w  # before
    return jnp.where(NEGATIVE[:, None] > 0, z, 0.0)  # choice


# Near misses.


def chosen_product(x):
    return jnp.where(x[:, None] > -1, (x * jnp.sqrt(x))[:, None] @ COLUMN, 0.0)


def product_that_mixes_rows(x):
    return jnp.where(x > 0, jnp.ones((3, 3)) @ (x * jnp.sqrt(x)), 0.0)


def infinite_weights(x, w):
    return jnp.where(x[:, None] > 0, x[:, None] @ w, 0.0)


def sliced(x):
    return jnp.sqrt(x)[1:]


def chosen_branch(x):
    return jnp.where(x >= 0, x * jnp.sqrt(x), 0.0)


def chosen_norm(x):
    return jnp.where(x > -1, jnp.sqrt((x * x).sum()), 0.0)


def no_choice(x):
    return jnp.sqrt(x * x)


def another_choice(x):
    y = jnp.where(x > 2, x, 0.5 * x)
    return jnp.sqrt(y * y)


def choice_before_it(x):
    safe = jnp.where(x > 0, x, x * 0.0)
    return jnp.sqrt(safe) * safe


def both(x):
    return jnp.where(x > -2, jnp.log(jnp.sqrt(x)), 0.0)


CHOICES = {
    "sqrt": Choice(root, (ZERO,), "sqrt"),
    "a line of its own": Choice(root_on_its_own_line, (ZERO,), "sqrt"),
    "of a square": Choice(root_of_square, (ZERO,), "sqrt"),
    "select": Choice(selected, (ZERO,), "sqrt"),
    "the other case": Choice(other_case, (ZERO,), "sqrt"),
    "log": Choice(logarithm, (ZERO,), "x * jnp.log(x)"),
    "a quotient": Choice(quotient, (ZERO,), "jnp.sin(x) / x"),
    "a power": Choice(power, (ZERO,), "x**0.5"),
    "norm": Choice(norms, (ZERO,), "norm"),
    "distances": Choice(distances, (POINTS,), "sqrt"),
    "NaN forward": Choice(root_forward, (NEGATIVE,), "sqrt"),
    "after other lines": Choice(after_other_lines, (ZERO,), "sqrt"),
    "arccos": Choice(arccosine, (jnp.array([1.0, 0.5, 0.2]),), "arccos"),
    "rsqrt": Choice(inverse, (ZERO,), "rsqrt"),
    "in a jit": Choice(in_a_jit, (ZERO,), "sqrt"),
    "in a checkpoint": Choice(in_a_checkpoint, (ZERO,), "sqrt"),
    "in vmap": Choice(in_vmap, (ZERO,), "sqrt"),
    "in a scan": Choice(in_a_scan, (ZERO,), "sqrt"),
    "in two choices": Choice(in_two_choices, (ZERO,), "sqrt"),
    "by a mask": Choice(by_a_mask, (ZERO,), "sqrt"),
    "another constant": Choice(clipped, (ZERO,), "sqrt"),
    "before a product": Choice(before_a_product, (ZERO,), "sqrt"),
    "before two products": Choice(before_two_products, (ZERO,), "sqrt"),
    "before an einsum": Choice(before_an_einsum, (ZERO,), "log"),
    "before a convolution": Choice(before_a_convolution, (ZERO,), "sqrt"),
    "before a slice": Choice(before_a_slice, (ZERO,), "sqrt"),
    "before a gather": Choice(before_a_gather, (ZERO,), "sqrt"),
    "weights of a hidden NaN": Choice(weights_of_a_hidden_nan, (COLUMN,), "y[:, None] @ w"),
    "near: a product of the chosen branch": Choice(chosen_product, (ZERO,), None),
    "near: a product that mixes rows": Choice(product_that_mixes_rows, (ZERO,), None),
    "near: infinite weights": Choice(infinite_weights, (ZERO, COLUMN * jnp.inf), None),
    "near: a slice": Choice(sliced, (ZERO,), None),
    "near: of the chosen branch": Choice(chosen_branch, (ZERO,), None),
    "near: the norm is chosen": Choice(chosen_norm, (jnp.zeros(3),), None),
    "near: no choice": Choice(no_choice, (ZERO,), None),
    "near: another choice": Choice(another_choice, (ZERO,), None),
    "near: a choice that keeps it": Choice(choice_before_it, (ZERO,), None),
    "near: of both branches": Choice(both, (jnp.array([-1.0, -3.0]),), None),
}
