"""Diffrax and Optimistix, as their documentation writes it: differential equations, and minima."""

from __future__ import annotations

from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.nn as jnn
import jax.numpy as jnp
import optax
import optimistix as optx

from . import Call
from .equinox_models import module


def diffrax_solve() -> Call:
    """The equation of Diffrax's first page."""

    def f(t: Any, y: Any, args: Any) -> Any:
        return -y

    @jax.jit
    def solve(y0: Any) -> Any:
        term = diffrax.ODETerm(f)
        saveat = diffrax.SaveAt(ts=jnp.linspace(0.0, 3.0, 4))
        controller = diffrax.PIDController(rtol=1e-5, atol=1e-5)
        sol = diffrax.diffeqsolve(
            term, diffrax.Dopri5(), t0=0, t1=3, dt0=0.1, y0=y0, saveat=saveat,
            stepsize_controller=controller,
        )  # fmt: skip
        return sol.ys

    return solve, (jnp.array(1.0),)


class Func(eqx.Module):
    out_scale: jax.Array
    mlp: eqx.nn.MLP

    def __init__(self, data_size: int, width_size: int, depth: int, *, key: Any) -> None:
        self.out_scale = jnp.array(1.0)
        self.mlp = eqx.nn.MLP(
            data_size, data_size, width_size, depth,
            activation=jnn.softplus, final_activation=jnn.tanh, key=key,
        )  # fmt: skip

    def __call__(self, t: Any, y: Any, args: Any) -> Any:
        return self.out_scale * self.mlp(y)


class NeuralODE(eqx.Module):
    func: Func

    def __init__(self, data_size: int, width_size: int, depth: int, *, key: Any) -> None:
        self.func = Func(data_size, width_size, depth, key=key)

    def __call__(self, ts: Any, y0: Any) -> Any:
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(self.func), diffrax.Tsit5(), t0=ts[0], t1=ts[-1],
            dt0=ts[1] - ts[0], y0=y0, saveat=diffrax.SaveAt(ts=ts),
            stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-6),
        )  # fmt: skip
        return solution.ys


def diffrax_neural_ode() -> Call:
    optim = optax.adabelief(3e-3)

    @eqx.filter_value_and_grad
    def grad_loss(model: Any, ti: Any, yi: Any) -> Any:
        y_pred = jax.vmap(model, in_axes=(None, 0))(ti, yi[:, 0])
        return jnp.mean((yi - y_pred) ** 2)

    @eqx.filter_jit
    def make_step(ti: Any, yi: Any, model: Any, opt_state: Any) -> Any:
        loss, grads = grad_loss(model, ti, yi)
        updates, opt_state = optim.update(grads, opt_state)
        model = eqx.apply_updates(model, updates)
        return loss, model, opt_state

    model = module(lambda key: NeuralODE(2, 8, 2, key=key), jax.random.key(0))
    opt_state = module(optim.init, eqx.filter(model, eqx.is_inexact_array))
    return make_step, (jnp.linspace(0.0, 1.0, 5), jnp.ones((3, 5, 2)), model, opt_state)


def optimistix_least_squares() -> Call:
    def residuals(y: Any, args: Any) -> Any:
        times, values = args
        amplitude, rate = y
        return amplitude * jnp.exp(-rate * times) - values

    @jax.jit
    def fit(y0: Any, times: Any, values: Any) -> Any:
        solver = optx.LevenbergMarquardt(rtol=1e-4, atol=1e-4)
        return optx.least_squares(residuals, solver, y0, args=(times, values)).value

    return fit, ((jnp.array(1.0), jnp.array(0.5)), jnp.linspace(0.0, 1.0, 8), jnp.ones(8))


def optimistix_root_find() -> Call:
    """One implicit Euler step, the example of the documentation on root finding."""

    def step(y0: Any, dt: Any) -> Any:
        def fn(y: Any, args: Any) -> Any:
            return y0 + jnp.tanh(y) * dt - y

        solver = optx.Newton(rtol=1e-3, atol=1e-3)
        return optx.root_find(fn, solver, y0).value

    return jax.jit(step), (jnp.array(1.0), jnp.array(0.1))


PROGRAMS = (diffrax_solve, diffrax_neural_ode, optimistix_least_squares, optimistix_root_find)
