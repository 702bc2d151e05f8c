import blackjax
import jax
import jax.numpy as jnp
import jax.scipy.stats as stats

observed = jnp.linspace(5.0, 15.0, 20)


def logdensity(x):
    logpdf = stats.norm.logpdf(observed, x["loc"], jnp.exp(x["log_scale"]))
    return x["log_scale"] + jnp.sum(logpdf)


hmc = blackjax.hmc(logdensity, 1e-3, 0.5 * jnp.ones(2), num_integration_steps=6)


def chain(key, state):
    def one_step(state, key):
        state, info = hmc.step(key, state)
        return state, (state.position, info.acceptance_rate)

    return jax.lax.scan(one_step, state, jax.random.split(key, 100))


chain(jax.random.key(0), hmc.init({"loc": 1.0, "log_scale": 1.0}))
