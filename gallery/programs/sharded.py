import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def mlp(up, down, x):
    hidden = jax.nn.gelu(x @ up)
    return jax.lax.psum(hidden @ down, "model")


sharded = jax.shard_map(
    mlp,
    mesh=mesh,
    in_specs=(P(None, "model"), P("model", None), P("data", None)),
    out_specs=P("data", None),
)


def loss(params, x):
    return jnp.mean((sharded(params["up"], params["down"], x) - x) ** 2)


params = {"up": jnp.ones((16, 64)), "down": jnp.ones((64, 16))}

jax.value_and_grad(loss)(params, jnp.ones((8, 16)))
