import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import NUTS


def regression(x, y):
    a = numpyro.sample("a", dist.Normal(0.0, 0.2))
    b = numpyro.sample("b", dist.Normal(jnp.zeros(3), 0.5).to_event(1))
    sigma = numpyro.sample("sigma", dist.Exponential(1.0))
    numpyro.sample("obs", dist.Normal(a + x @ b, sigma), obs=y)


x, y = jnp.ones((10, 3)), jnp.ones(10)
kernel = NUTS(regression)
state = kernel.init(jax.random.key(0), 10, None, (x, y), {})

kernel.sample(state, (x, y), {})
