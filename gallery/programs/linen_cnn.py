import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(8, (3, 3))(x))
        x = nn.avg_pool(x, (2, 2), (2, 2))
        x = nn.relu(nn.Conv(16, (3, 3))(x))
        x = nn.avg_pool(x, (2, 2), (2, 2))
        x = nn.relu(nn.Dense(32)(x.reshape(x.shape[0], -1)))
        return nn.Dense(10)(x)


model = CNN()
images, labels = jnp.ones((2, 28, 28, 1)), jnp.zeros(2, jnp.int32)
params = model.init(jax.random.key(0), images)
sgd = optax.sgd(0.1, momentum=0.9)


def loss(params, images, labels):
    logits = model.apply(params, images)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def train_step(params, state, images, labels):
    value, grads = jax.value_and_grad(loss)(params, images, labels)
    updates, state = sgd.update(grads, state, params)
    return optax.apply_updates(params, updates), state, value


train_step(params, sgd.init(params), images, labels)
