import jax
import jax.numpy as jnp


def cell(p, h, x):
    z, r = jax.nn.sigmoid(x @ p["xz"] + h @ p["hz"]), jax.nn.sigmoid(x @ p["xr"] + h @ p["hr"])
    return (1 - z) * h + z * jnp.tanh(x @ p["xn"] + (r * h) @ p["hn"])


params = {a + b: jnp.ones((8, 8)) for a in "xh" for b in "zrn"}


def rnn(params, xs):
    h = jnp.zeros(8)
    for t in range(40):
        h = cell(params, h, xs[t])
    return h


rnn(params, jnp.ones((40, 8)))
