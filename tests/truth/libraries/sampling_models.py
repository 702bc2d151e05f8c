"""NumPyro and BlackJAX, as their documentation writes it: variational inference, and chains."""

from __future__ import annotations

from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import jax.scipy.stats as stats
import numpyro
import numpyro.distributions as dist
from numpyro.infer import HMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

from . import Call, made


def coin(data: Any) -> None:
    f = numpyro.sample("latent_fairness", dist.Beta(10, 10))
    with numpyro.plate("N", data.shape[0]):
        numpyro.sample("obs", dist.Bernoulli(f), obs=data)


def coin_guide(data: Any) -> None:
    constraint = dist.constraints.positive
    alpha_q = numpyro.param("alpha_q", 15.0, constraint=constraint)
    beta_q = numpyro.param("beta_q", 15.0, constraint=constraint)
    numpyro.sample("latent_fairness", dist.Beta(alpha_q, beta_q))


def numpyro_svi() -> Call:
    """The update of the documentation's first SVI: a model and a guide of one's own."""
    data = jnp.concatenate([jnp.ones(6), jnp.zeros(4)])
    svi = SVI(coin, coin_guide, numpyro.optim.Adam(step_size=0.0005), loss=Trace_ELBO())
    return svi.update, (made(svi.init, jax.random.key(0), data), data)


def regression(x: Any, y: Any = None) -> None:
    a = numpyro.sample("a", dist.Normal(0.0, 0.2))
    b = numpyro.sample("b", dist.Normal(jnp.zeros(3), 0.5).to_event(1))
    sigma = numpyro.sample("sigma", dist.Exponential(1.0))
    numpyro.sample("obs", dist.Normal(a + x @ b, sigma), obs=y)


def numpyro_autoguide() -> Call:
    x, y = jnp.ones((10, 3)), jnp.ones(10)
    svi = SVI(regression, AutoNormal(regression), numpyro.optim.Adam(1e-2), Trace_ELBO())
    return svi.update, (made(svi.init, jax.random.key(0), x, y), x, y)


def numpyro_nuts() -> Call:
    """One sample of the No-U-Turn Sampler, as `MCMC.run` makes each."""
    x, y = jnp.ones((10, 3)), jnp.ones(10)
    kernel = NUTS(regression)
    state = made(lambda key: kernel.init(key, 10, None, (x, y), {}), jax.random.key(0))
    return kernel.sample, (state, (x, y), {})


def numpyro_hmc_chain() -> Call:
    x, y = jnp.ones((10, 3)), jnp.ones(10)
    kernel = HMC(regression, step_size=0.1, trajectory_length=1.0)

    def chain(state: Any, x: Any, y: Any) -> Any:
        def sample(state: Any, _: Any) -> Any:
            state = kernel.sample(state, (x, y), {})
            return state, state.z

        return jax.lax.scan(sample, state, length=100)

    state = made(lambda key: kernel.init(key, 10, None, (x, y), {}), jax.random.key(0))
    return chain, (state, x, y)


def numpyro_predictive() -> Call:
    def predict(samples: Any, key: Any, x: Any) -> Any:
        return Predictive(regression, samples)(key, x)

    samples = {"a": jnp.ones(4), "b": jnp.ones((4, 3)), "sigma": jnp.ones(4)}
    return predict, (samples, jax.random.key(0), jnp.ones((10, 3)))


OBSERVED = jnp.linspace(5.0, 15.0, 20)


def logdensity_fn(x: Any) -> Any:
    """The log-density of BlackJAX's quick start."""
    logpdf = stats.norm.logpdf(OBSERVED, x["loc"], jnp.exp(x["log_scale"]))
    return x["log_scale"] + jnp.sum(logpdf)


def inference_loop(kernel: Any, num_samples: int) -> Any:
    def run(rng_key: Any, initial_state: Any) -> Any:
        @jax.jit
        def one_step(state: Any, rng_key: Any) -> Any:
            state, _ = kernel(rng_key, state)
            return state, state

        keys = jax.random.split(rng_key, num_samples)
        _, states = jax.lax.scan(one_step, initial_state, keys)
        return states

    return run


def blackjax_nuts() -> Call:
    nuts = blackjax.nuts(logdensity_fn, 1e-3, 0.5 * jnp.ones(2))
    state = made(nuts.init, {"loc": 1.0, "log_scale": 1.0})
    return inference_loop(nuts.step, 100), (jax.random.key(0), state)


def blackjax_hmc() -> Call:
    hmc = blackjax.hmc(logdensity_fn, 1e-3, 0.5 * jnp.ones(2), num_integration_steps=6)
    state = made(hmc.init, {"loc": 1.0, "log_scale": 1.0})
    return jax.jit(hmc.step), (jax.random.key(0), state)


PROGRAMS = (
    *(numpyro_svi, numpyro_autoguide, numpyro_nuts, numpyro_hmc_chain, numpyro_predictive),
    *(blackjax_nuts, blackjax_hmc),
)
