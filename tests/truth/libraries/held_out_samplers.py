"""Programs that no rule was made for, of libraries that are not installed everywhere."""

from __future__ import annotations

from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
import optax
from numpyro.infer import SVI, Trace_ELBO
from penzai import pz

from . import Call, made


def schools(sigma: Any, y: Any) -> None:
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfCauchy(5))
    with numpyro.plate("J", len(sigma)):
        theta = numpyro.sample("theta", dist.Normal(mu, tau))
        numpyro.sample("obs", dist.Normal(theta, sigma), obs=y)


def mean_field(sigma: Any, y: Any) -> None:
    loc = numpyro.param("loc", jnp.zeros(8))
    scale = numpyro.param("scale", jnp.ones(8), constraint=dist.constraints.positive)
    numpyro.sample("mu", dist.Normal(numpyro.param("mu_loc", 0.0), 1.0))
    numpyro.sample("tau", dist.LogNormal(numpyro.param("tau_loc", 0.0), 1.0))
    with numpyro.plate("J", len(sigma)):
        numpyro.sample("theta", dist.Normal(loc, scale))


def held_numpyro_schools() -> Call:
    svi = SVI(schools, mean_field, numpyro.optim.Adam(1e-2), Trace_ELBO())
    sigma, y = jnp.ones(8), jnp.ones(8)

    def fit(state: Any, sigma: Any, y: Any) -> Any:
        return jax.lax.scan(lambda s, _: svi.update(s, sigma, y), state, length=50)

    return fit, (made(svi.init, jax.random.key(0), sigma, y), sigma, y)


def held_blackjax_mala() -> Call:
    def banana(position: Any) -> Any:
        x, y = position["x"], position["y"]
        return -((1 - x) ** 2) - 10.0 * (y - x**2) ** 2

    mala = blackjax.mala(banana, 1e-2)
    state = made(mala.init, {"x": 1.0, "y": 1.0})
    return jax.jit(mala.step), (jax.random.key(0), state)


def held_penzai_residual() -> Call:
    """A residual of two affine layers between two others, each named by its author."""
    model: Any = pz.nn.Sequential(
        [
            pz.nn.Affine.from_config("enter", jax.random.key(0), {"features": 4}, {"features": 8}),
            pz.nn.Residual(
                pz.nn.Sequential(
                    [
                        pz.nn.Affine.from_config(
                            "inner", jax.random.key(1), {"features": 8}, {"features": 8}
                        ),
                        pz.nn.Elementwise(jnp.tanh),
                    ]
                )
            ),
            pz.nn.Affine.from_config("leave", jax.random.key(2), {"features": 8}, {"features": 2}),
        ]
    )
    unbound, params = pz.unbind_params(model)
    optimizer = optax.sgd(0.1)
    frozen = pz.freeze_params(params)

    @jax.jit
    def step(params: Any, x: Any, y: Any) -> Any:
        def squared(params: Any) -> Any:
            out = pz.bind_variables(unbound, params)(pz.nx.wrap(x).tag("batch", "features"))
            return jnp.mean((out.unwrap("batch", "features") - y) ** 2)

        grads = jax.grad(squared)(params)
        updates, _ = optimizer.update(grads, optimizer.init(params))
        return optax.apply_updates(params, updates)

    return step, (frozen, jnp.ones((3, 4)), jnp.ones((3, 2)))


PROGRAMS = (held_numpyro_schools, held_blackjax_mala, held_penzai_residual)
