"""Large arguments whose values are not used."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from . import array, case

BIG = array("float32", 1024, 1024)
X = array("float32", 8, 1024)


def forgotten(x, mask):  # finds: unused
    return jnp.tanh(x)


def forgotten_tree(x, params):  # finds: unused
    return x * 2


@jax.jit
def forgotten_in_jit(x, table):  # finds: unused
    return x + 1


def two(x, one, other):  # finds: unused
    return jnp.sum(x)


def differentiated(w, x, targets):  # finds: unused
    return jax.grad(lambda w: jnp.sum(x @ w))(w)


# Near misses


def part_of_a_tree(x, params):
    return x @ params["w"]


def small(x, flag):
    return x * 2


def returned_as_it_is(x, table):
    return x, table


def used_in_a_body(x, table):
    return jax.lax.fori_loop(0, 3, lambda _, h: h @ table, x)


def only_its_shape(x, like):  # jaxviz: ignore unused
    return jnp.broadcast_to(x[0], like.shape)


def all_used(x, table):
    return x @ table


CASES = [
    case(forgotten, X, BIG),
    case(forgotten_tree, X, {"w": BIG, "b": X}),
    case(forgotten_in_jit, X, BIG),
    case(two, X, BIG, BIG),
    case(differentiated, array("float32", 1024, 4), X, BIG),
    case(part_of_a_tree, X, {"w": BIG, "unused": BIG}),
    case(small, X, array("bool", 16)),
    case(returned_as_it_is, X, BIG),
    case(used_in_a_body, X, BIG),
    case(only_its_shape, X, BIG),
    case(all_used, X, BIG),
]
