"""Choices (`cond`, `switch`) that `vmap` turned into a select: all their branches run for each row.

The comment stands at the choice, or at the callback in a branch. Reported are branches with matrix
products of at least 1 Mflop, carries that are copied, and callbacks. `MAT` has 256 x 256 elements.
"""

from __future__ import annotations

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from jax import lax

from . import array, case

ROWS = array("float32", 8, 256)
MAT = array("float32", 256, 256)
PICK = array("bool", 8)
INDEX = array("int32", 8)


def product(x, w, p):
    def one(x, p):
        return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)  # finds: batched-cond

    return jax.vmap(one)(x, p)


def product_in_jit(x, w, p):
    @jax.jit
    def one(x, p):
        return jax.lax.cond(  # finds: batched-cond
            p,
            lambda x: jnp.tanh(x @ w),
            lambda x: x,
            x,
        )

    return jax.vmap(one)(x, p)


def one_of_three(x, w, i):
    def one(x, i):
        branches = [lambda x: x, lambda x: x @ w, lambda x: x @ w @ w]
        return lax.switch(i, branches, x)  # finds: batched-cond

    return jax.vmap(one)(x, i)


def loop_in_a_branch(x, w, p):
    def one(x, p):
        def refined(x):
            return lax.fori_loop(0, 10, lambda _, x: jnp.tanh(x @ w), x)

        return lax.cond(p, refined, lambda x: x, x)  # finds: batched-cond

    return jax.vmap(one)(x, p)


def in_a_loop(x, w):
    def one(x):
        def body(x, _):
            x = lax.cond(x[0] > 0, lambda x: jnp.tanh(x @ w), lambda x: x, x)  # finds: batched-cond
            return x, None

        return lax.scan(body, x, None, length=10)[0]

    return jax.vmap(one)(x)


def mapped_twice(x, w, p):
    def one(x, p):
        return lax.cond(p, lambda x: x @ w, lambda x: x, x)  # finds: batched-cond

    return jax.vmap(jax.vmap(one))(x, p)


def gradient(x, w, p):
    def loss(w, x, p):
        y = lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)  # finds: batched-cond
        return jnp.sum(y**2)

    return jax.vmap(jax.grad(loss), (None, 0, 0))(w, x, p)


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(256)(x)


LAYER = Layer()
PARAMS = jax.eval_shape(LAYER.init, jax.random.key(0), jnp.ones(256))


def layer_of_flax(params, x, p):
    def one(x, p):
        return lax.cond(p, lambda x: LAYER.apply(params, x), lambda x: x, x)  # finds: batched-cond

    return jax.vmap(one)(x, p)


LINEAR = eqx.filter_eval_shape(eqx.nn.Linear, 256, 256, key=jax.random.key(0))


def layer_of_equinox(linear, x, p):
    def one(x, p):
        return lax.cond(p, lambda x: linear(x), lambda x: x, x)  # finds: batched-cond

    return jax.vmap(one)(x, p)


def fill(x, k):
    def body(c, _):
        x, k = c
        x = lax.cond(k < x.size, lambda x: x.at[k].set(1.0), lambda x: x, x)  # finds: batched-cond
        return (x, k + 1), None

    return lax.scan(body, (x, k), None, length=x.size)[0][0]


def fill_a_row(x, rows):
    def body(i, x):
        def put(x):
            return lax.dynamic_update_slice(x, rows[i][None], (i, 0))

        return lax.cond(rows[i, 0] > 0, put, lambda x: x, x)  # finds: batched-cond

    return lax.fori_loop(0, 1000, body, x)


def count_in_a_while(x, k):
    def body(c):
        x, k, i = c
        x = lax.cond(k > 0, lambda x: x, lambda x: x.at[k].add(1.0), x)  # finds: batched-cond
        return x, k + 1, i + 1

    return lax.while_loop(lambda c: c[2] < 100, body, (x, k, 0))[0]


def printed(x, p):
    def one(x, p):
        def warn(x):
            jax.debug.print("negative {}", x[0])  # finds: batched-cond
            return x * 2

        return lax.cond(p, warn, lambda x: x, x)

    return jax.vmap(one)(x, p)


def called_back(x, p):
    def one(x, p):
        def slow(x):
            return jax.pure_callback(  # finds: batched-cond, callback
                lambda x: x, jax.ShapeDtypeStruct((256,), "float32"), x, vmap_method="sequential"
            )

        return lax.cond(p, slow, lambda x: x, x)

    return jax.vmap(one)(x, p)


def only_printed(x, p):
    def one(x, p):
        lax.cond(p, lambda: jax.debug.print("found"), lambda: None)  # finds: batched-cond
        return x * 2

    return jax.vmap(one)(x, p)


def report(x):
    jax.debug.print("negative {}", x[0])  # finds: batched-cond


def only_reported(x, p):
    def one(x, p):
        lax.cond(p, report, lambda x: None, x)
        return x * 2

    return jax.vmap(one)(x, p)


def layers(x, ws, p):
    def one(x, p):
        for w in ws:
            x = lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)  # finds: batched-cond  # noqa: B023
        return x

    return jax.vmap(one)(x, p)


# Near misses


def not_mapped(x, w, p):
    return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)


def same_for_all_rows(x, w, p):
    def one(x):
        return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)

    return jax.vmap(one)(x)


def row_by_row(x, w, p):
    def one(row):
        x, p = row
        return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)

    return lax.map(one, (x, p))


def element_wise(x, p):
    """On CPU `lax.map` takes 1.6 ms in place of 0.7: a select is right for such branches."""

    def one(x, p):
        return lax.cond(p, jnp.sin, jnp.cos, x)

    return jax.vmap(one)(x, p)


def reset_of_an_environment(state, actions):
    def step(state, action):
        state = {"place": state["place"] + action, "time": state["time"] + 1}
        start = {"place": jnp.zeros(2), "time": jnp.zeros((), int)}
        return lax.cond(state["time"] > 200, lambda: start, lambda: state), None

    return lax.scan(jax.vmap(step), state, actions)


def element_wise_loop(x, p):
    def one(x, p):
        def refined(x):
            return lax.fori_loop(0, 1000, lambda _, x: x - (x**3 - 2) / (3 * x**2), x)

        return lax.cond(p, refined, lambda x: x, x)

    return jax.vmap(one)(x, p)


def many_small_rows(x, w, p):
    def one(x, p):
        return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)

    return jax.vmap(one)(x, p)


def small(x, p):
    return jax.vmap(lambda x, p: lax.cond(p, jnp.sin, lambda x: x, x))(x, p)


def small_product(x, w, p):
    return jax.vmap(lambda x, p: lax.cond(p, lambda x: x @ w, lambda x: x, x))(x, p)


def meant_as_where(x, w, p):
    return jax.vmap(lambda x, p: jnp.where(p, jnp.tanh(x @ w), x))(x, p)


def meant_as_select(x, w, i):
    return jax.vmap(lambda x, i: lax.select_n(i, x, x @ w, x @ w @ w))(x, jnp.clip(i, 0, 2))


def piecewise(x):
    return jnp.piecewise(x, [x < 0, x > 1], [jnp.sin, jnp.cos, 0.0])


def alone(x, k):
    def body(c, _):
        x, k = c
        return (lax.cond(k < x.size, lambda x: x.at[k].set(1.0), lambda x: x, x), k + 1), None

    return lax.scan(body, (x, k), None, length=x.size)[0][0]


def chosen_index(x, k):
    def body(c, _):
        x, k = c
        x = x.at[jnp.where(k < x.size, k, x.size)].set(1.0, mode="drop")
        return (x, k + 1), None

    return lax.scan(body, (x, k), None, length=x.size)[0][0]


def chosen_value(x, k):
    def body(c, _):
        x, k = c
        value = lax.cond(k % 2 == 0, lambda: 1.0, lambda: x[k])
        return (x.at[k].set(value), k + 1), None

    return lax.scan(body, (x, k), None, length=x.size)[0][0]


def all_of_a_small_carry(x, k):
    def body(c, _):
        x, k = c
        return (lax.cond(k < 4, lambda x: x.at[k].set(1.0), lambda x: x, x), k + 1), None

    return lax.scan(body, (x, k), None, length=10)[0][0]


def all_of_it_changes(x, k):
    def body(c, _):
        x, k = c
        return (lax.cond(k < 4, lambda x: x * 2, lambda x: x, x), k + 1), None

    return lax.scan(body, (x, k), None, length=10)[0][0]


def copied_by_the_loop_itself(x, k):
    """The condition differs by row, so `while_loop` itself selects between old and new carries."""

    def body(c):
        x, k = c
        x = lax.cond(k > 0, lambda x: x, lambda x: x.at[k].add(1.0), x)
        return x, k + 1

    return lax.while_loop(lambda c: c[1] < 10, body, (x, k))[0]


OPTIMIZER = optax.MultiSteps(optax.adam(1e-3), every_k_schedule=4)
STATE = jax.eval_shape(OPTIMIZER.init, {"w": array("float32", 256, 1024)})
STATES = jax.tree.map(lambda leaf: array(str(leaf.dtype), 2, *leaf.shape), STATE)


def choice_of_a_library(grads, states):
    return jax.vmap(OPTIMIZER.update)(grads, states)


def printed_for_all(x, p):
    def one(x, p):
        jax.debug.print("{}", x[0])
        return lax.cond(p, jnp.sin, lambda x: x, x)

    return jax.vmap(one)(x, p)


def printed_after_a_choice(x, p):
    def one(x, p):
        lax.cond(p, lambda x: None, lambda x: None, x)
        jax.debug.print("{}", x[0])
        return x * 2

    return jax.vmap(one)(x, p)


def printed_in_a_choice(x, p):
    def warn(x):
        jax.debug.print("negative {}", x)
        return x * 2

    return lax.cond(p, warn, lambda x: x, x)


def small_part_of_the_program(x, w, p):
    def one(x, p):
        return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)

    x = lax.fori_loop(0, 1000, lambda _, x: jnp.tanh(x @ w), x)
    return jax.vmap(one)(x, p)


def ignored(x, w, p):
    def one(x, p):
        return lax.cond(p, lambda x: jnp.tanh(x @ w), lambda x: x, x)  # jaxviz: ignore batched-cond

    return jax.vmap(one)(x, p)


LONG, START = array("float32", 2, 20_000), array("int32", 2)

CASES = [
    case(product, ROWS, MAT, PICK),
    case(product_in_jit, ROWS, MAT, PICK),
    case(one_of_three, ROWS, MAT, INDEX),
    case(loop_in_a_branch, ROWS, MAT, PICK),
    case(in_a_loop, ROWS, MAT),
    case(mapped_twice, array("float32", 2, 8, 256), MAT, array("bool", 2, 8)),
    case(gradient, ROWS, MAT, PICK),
    case(layer_of_flax, PARAMS, ROWS, PICK),
    case(layer_of_equinox, LINEAR, ROWS, PICK),
    case(jax.vmap(fill), LONG, START),
    case(jax.vmap(fill_a_row), array("float32", 4, 1000, 64), array("float32", 4, 1000, 64)),
    case(jax.vmap(count_in_a_while), array("float32", 4, 100_000), array("int32", 4)),
    case(printed, ROWS, PICK),
    case(called_back, ROWS, PICK),
    case(only_printed, ROWS, PICK),
    case(only_reported, ROWS, PICK, of=(report,)),
    case(layers, ROWS, [MAT, MAT], PICK),
    case(not_mapped, array("float32", 256), MAT, array("bool")),
    case(same_for_all_rows, ROWS, MAT, array("bool")),
    case(row_by_row, ROWS, MAT, PICK),
    case(element_wise, array("float32", 8, 65_536), PICK),
    case(
        reset_of_an_environment,
        {"place": array("float32", 1024, 2), "time": array("int32", 1024)},
        array("float32", 100, 1024, 2),
    ),
    case(element_wise_loop, ROWS, PICK),
    case(
        many_small_rows,
        array("float32", 100_000, 8),
        array("float32", 8, 8),
        array("bool", 100_000),
    ),
    case(small, ROWS, PICK),
    case(small_product, array("float32", 8, 16), array("float32", 16, 16), PICK),
    case(meant_as_where, ROWS, MAT, PICK),
    case(meant_as_select, ROWS, MAT, INDEX),
    case(piecewise, array("float32", 1024, 1024)),
    case(alone, array("float32", 20_000), array("int32")),
    case(jax.vmap(chosen_index), LONG, START),
    case(jax.vmap(chosen_value), LONG, START),
    case(jax.vmap(all_of_a_small_carry), array("float32", 2, 100), START),
    case(jax.vmap(all_of_it_changes), array("float32", 2, 100), START),
    case(jax.vmap(copied_by_the_loop_itself), array("float32", 4, 100_000), array("int32", 4)),
    case(choice_of_a_library, {"w": array("float32", 2, 256, 1024)}, STATES),
    case(printed_for_all, ROWS, PICK),
    case(printed_after_a_choice, ROWS, PICK),
    case(printed_in_a_choice, array("float32", 256), array("bool")),
    case(small_part_of_the_program, ROWS, MAT, PICK),
    case(ignored, ROWS, MAT, PICK),
]
