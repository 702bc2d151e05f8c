"""Inner jitted functions that donate a value which the program reads again.

Without an outer jit the second read raises an error. Within one, the donation has no effect. The
comment stands at the call that donates.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import lax

from . import array, case

X = array("float32", 8, 8)


@partial(jax.jit, donate_argnums=0)
def step(w, g):
    return w - 0.1 * g


@partial(jax.jit, donate_argnames=("params", "state"))
def update(params, state, grads):
    updates, state = optax.adam(1e-3).update(grads, state)
    return optax.apply_updates(params, updates), state


def old_sum(x, g):
    y = step(x, g)  # finds: inner-donation
    return y, x.sum()


def old_is_returned(x, g):
    y = step(x, g)  # finds: inner-donation
    return x, y


def twice(x, g):
    return step(x, g), step(x, 2 * g)  # finds: inner-donation


def in_a_python_loop(x, g):
    ys = [step(x, k * g) for k in range(3)]  # finds: inner-donation
    return sum(ys)


@jax.jit
def within_jit(x, g):
    y = step(x, g)  # finds: inner-donation
    return y + jnp.sin(x)


def on_one_line(x, g):
    return step(x, g) - x  # finds: inner-donation


def an_intermediate_value(x, g):
    h = jnp.tanh(x)
    y = step(h, g)  # finds: inner-donation
    return y * h


def in_an_inner_function(x, g):
    @jax.jit
    def both(x, g):
        y = step(x, g)  # finds: inner-donation
        return y + x

    return both(x, g)


def in_a_loop_body(x, gs):
    def body(x, g):
        y = step(x, g)  # finds: inner-donation
        return y, (y - x).sum()

    return lax.scan(body, x, gs)


def read_by_a_loop(x, g):
    y = step(x, g)  # finds: inner-donation
    return lax.fori_loop(0, 3, lambda _, h: h + x, y)


def params_of_optax(params, state, grads):
    new, state = update(params, state, grads)  # finds: inner-donation
    change = jax.tree.map(lambda a, b: a - b, new, params)
    return new, state, change


def mapped(xs, gs):
    def one(x, g):
        y = step(x, g)  # finds: inner-donation
        return y - x

    return jax.vmap(one)(xs, gs)


def state_given_twice(params, state, grads):
    params, new = update(params, state, grads)  # finds: inner-donation
    return update(params, state, grads), new


# Near misses


def passed_on(x, g):
    x = step(x, g)
    return x.sum()


def read_before(x, g):
    total = x.sum()
    return step(x, g), total


def only_its_shape(x, g):
    y = step(x, g)
    return y + jnp.zeros_like(x) + x.shape[0]


def the_other_argument(x, g):
    y = step(x, g)
    return y + g


def a_copy(x, g):
    y = step(x.copy(), g)
    return y + x


def steps(x, g):
    for _ in range(3):
        x = step(x, g)
    return x


@partial(jax.jit, donate_argnums=0)
def advance(state, g):
    return {"w": state["w"] - g * state["scale"], "scale": state["scale"]}


def unchanged_in_part(state, g):
    state = advance(state, g)
    return advance(state, g)


def gradient(x, g):
    return jax.grad(lambda x: jnp.sum(step(jnp.sin(x), g) ** 2))(x)


def gradient_of_unchanged(state, g):
    def loss(state):
        state = advance(state, g)
        return jnp.sum(advance(state, g)["w"])

    return jax.grad(loss)(state)


def value_and_gradient(x, g):
    return jax.value_and_grad(lambda x: jnp.sum(step(x, g) ** 2))(x)


def carried(x, gs):
    return lax.scan(lambda x, g: (step(x, g), None), x, gs)[0]


def steps_of_optax(params, state, grads):
    for _ in range(2):
        params, state = update(params, state, grads)
    return params, state


def recomputed(x, g):
    return jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(step(x, g)))))(x)


def in_two_branches(x, g):
    return lax.cond(g.sum() > 0, lambda: step(x, g), lambda: x * 2)


def ignored(x, g):
    y = step(x, g)  # jaxviz: ignore inner-donation
    return y, x.sum()


PARAMS = {"w": X, "b": array("float32", 8)}
STATE = jax.eval_shape(optax.adam(1e-3).init, PARAMS)
XS = array("float32", 3, 8, 8)
TREE = {"w": X, "scale": X}

CASES = [
    case(old_sum, X, X),
    case(old_is_returned, X, X),
    case(twice, X, X),
    case(in_a_python_loop, X, X),
    case(within_jit, X, X),
    case(on_one_line, X, X),
    case(an_intermediate_value, X, X),
    case(in_an_inner_function, X, X),
    case(in_a_loop_body, X, XS),
    case(read_by_a_loop, X, X),
    case(params_of_optax, PARAMS, STATE, PARAMS),
    case(mapped, XS, XS),
    case(state_given_twice, PARAMS, STATE, PARAMS),
    case(passed_on, X, X),
    case(read_before, X, X),
    case(only_its_shape, X, X),
    case(the_other_argument, X, X),
    case(a_copy, X, X),
    case(steps, X, X),
    case(unchanged_in_part, TREE, X),
    case(gradient, X, X),
    case(gradient_of_unchanged, TREE, X),
    case(value_and_gradient, X, X),
    case(carried, X, XS),
    case(steps_of_optax, PARAMS, STATE, PARAMS),
    case(recomputed, X, X),
    case(in_two_branches, X, X),
    case(ignored, X, X),
]
