import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO


def model(data):
    fairness = numpyro.sample("fairness", dist.Beta(10, 10))
    with numpyro.plate("flips", data.shape[0]):
        numpyro.sample("obs", dist.Bernoulli(fairness), obs=data)


def guide(data):
    positive = dist.constraints.positive
    alpha = numpyro.param("alpha", 15.0, constraint=positive)
    beta = numpyro.param("beta", 15.0, constraint=positive)
    numpyro.sample("fairness", dist.Beta(alpha, beta))


data = jnp.concatenate([jnp.ones(6), jnp.zeros(4)])
svi = SVI(model, guide, numpyro.optim.Adam(step_size=0.0005), loss=Trace_ELBO())
state = svi.init(jax.random.key(0), data)

svi.update(state, data)
