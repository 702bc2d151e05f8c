import haiku as hk
import jax
import jax.numpy as jnp


def forward(x):
    x = jax.nn.relu(hk.Linear(32, name="first")(x))
    x = hk.dropout(hk.next_rng_key(), 0.1, x)
    x = jax.nn.relu(hk.Linear(32, name="second")(x))
    return hk.Linear(4, name="head")(x)


model = hk.transform(forward)
x, y = jnp.ones((8, 16)), jnp.ones((8, 4))
params = model.init(jax.random.key(0), x)


def loss(params, key, x, y):
    return jnp.mean((model.apply(params, key, x) - y) ** 2)


jax.value_and_grad(loss)(params, jax.random.key(1), x, y)
