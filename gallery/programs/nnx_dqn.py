import jax
import jax.numpy as jnp
import optax
from flax import nnx


class QNetwork(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(4, 32, rngs=rngs)
        self.values = nnx.Linear(32, 2, rngs=rngs)

    def __call__(self, observation):
        return self.values(nnx.relu(self.hidden(observation)))


online, target = QNetwork(nnx.Rngs(0)), QNetwork(nnx.Rngs(1))
optimizer = nnx.Optimizer(online, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def train_step(online, target, optimizer, batch):
    def loss_fn(online):
        q = jnp.take_along_axis(online(batch["obs"]), batch["action"][:, None], axis=1)[:, 0]
        next_q = target(batch["next_obs"]).max(axis=1)
        goal = batch["reward"] + 0.99 * (1 - batch["done"]) * next_q
        return optax.huber_loss(q, jax.lax.stop_gradient(goal)).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(online)
    optimizer.update(online, grads)
    return loss


batch = {name: jnp.zeros(8) for name in ("reward", "done")}
batch |= {name: jnp.ones((8, 4)) for name in ("obs", "next_obs")}
batch |= {"action": jnp.zeros(8, int)}

train_step(online, target, optimizer, batch)
