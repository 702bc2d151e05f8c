"""Loops that hold the training step: over batches, over epochs, until it converges, over seeds."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

from . import Call, made
from .optax_chains import loss, mlp_params
from .pytree_models import sgd


def scan_over_batches() -> Call:
    optimizer = optax.adam(1e-3)

    @jax.jit
    def train_epoch(params: Any, opt_state: Any, xs: Any, ys: Any) -> Any:
        def train_step(carry: Any, batch: Any) -> Any:
            params, opt_state = carry
            value, grads = jax.value_and_grad(loss)(params, *batch)
            updates, opt_state = optimizer.update(grads, opt_state, params)
            return (optax.apply_updates(params, updates), opt_state), value

        (params, opt_state), losses = jax.lax.scan(train_step, (params, opt_state), (xs, ys))
        return params, opt_state, losses.mean()

    params = mlp_params()
    return train_epoch, (
        params,
        made(optimizer.init, params),
        jnp.ones((6, 4, 8)),
        jnp.ones((6, 4, 1)),
    )


def epochs_of_batches() -> Call:
    def train_step(params: Any, batch: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, *batch)
        return sgd(params, grads), value

    @jax.jit
    def train(params: Any, key: Any, xs: Any, ys: Any) -> Any:
        def epoch(carry: Any, _: Any) -> Any:
            params, key = carry
            key, shuffle = jax.random.split(key)
            order = jax.random.permutation(shuffle, len(xs))
            batches = xs[order].reshape(6, 4, 8), ys[order].reshape(6, 4, 1)
            params, losses = jax.lax.scan(train_step, params, batches)
            return (params, key), losses.mean()

        (params, _), losses = jax.lax.scan(epoch, (params, key), length=5)
        return params, losses

    return train, (mlp_params(), jax.random.key(0), jnp.ones((24, 8)), jnp.ones((24, 1)))


def fori_of_steps() -> Call:
    @jax.jit
    def fit(params: Any, x: Any, y: Any) -> Any:
        def step(i: Any, params: Any) -> Any:
            grads = jax.grad(loss)(params, x, y)
            return sgd(params, grads)

        return jax.lax.fori_loop(0, 100, step, params)

    return fit, (mlp_params(), jnp.ones((4, 8)), jnp.ones((4, 1)))


def lbfgs_until_converged() -> Call:
    """The loop of Optax's documentation on L-BFGS."""
    opt = optax.lbfgs()

    def fun(w: Any) -> Any:
        return jnp.sum(100.0 * (w[1:] - w[:-1] ** 2) ** 2 + (1.0 - w[:-1]) ** 2)

    def run_opt(init_params: Any) -> Any:
        value_and_grad_fun = optax.value_and_grad_from_state(fun)

        def step(carry: Any) -> Any:
            params, state = carry
            value, grad = value_and_grad_fun(params, state=state)
            updates, state = opt.update(grad, state, params, value=value, grad=grad, value_fn=fun)
            params = optax.apply_updates(params, updates)
            return params, state

        def continuing_criterion(carry: Any) -> Any:
            _, state = carry
            iter_num = optax.tree.get(state, "count")
            grad = optax.tree.get(state, "grad")
            err = optax.tree.norm(grad)
            return (iter_num == 0) | ((iter_num < 100) & (err >= 1e-3))

        init_carry = (init_params, opt.init(init_params))
        return jax.lax.while_loop(continuing_criterion, step, init_carry)

    return run_opt, (jnp.zeros(8),)


def ensemble_of_steps() -> Call:
    """Ten seeds trained at once: the step under vmap, one Optax state each."""
    optimizer = optax.adam(1e-3)

    def step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, value

    params = jax.tree.map(lambda p: jnp.stack([p] * 10), mlp_params())
    opt_state = made(jax.vmap(optimizer.init), params)
    batched = jax.jit(jax.vmap(step, in_axes=(0, 0, None, None)))
    return batched, (params, opt_state, jnp.ones((4, 8)), jnp.ones((4, 1)))


PROGRAMS = (
    *(scan_over_batches, epochs_of_batches, fori_of_steps, lbfgs_until_converged),
    ensemble_of_steps,
)
