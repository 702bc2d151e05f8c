import haiku as hk
import jax
import jax.numpy as jnp
import optax


class ConvNet(hk.Module):
    def __call__(self, x, is_training):
        x = hk.Conv2D(8, kernel_shape=3, stride=2, with_bias=False, name="conv")(x)
        x = hk.BatchNorm(True, True, decay_rate=0.9, name="batch_norm")(x, is_training)
        x = jnp.mean(jax.nn.relu(x), axis=(1, 2))
        return hk.Linear(10, name="logits")(x)


forward = hk.transform_with_state(lambda images: ConvNet()(images, is_training=True))
optimizer = optax.sgd(0.1, momentum=0.9)


def loss_fn(params, state, images, labels):
    logits, state = forward.apply(params, state, None, images)
    loss = optax.softmax_cross_entropy(logits, jax.nn.one_hot(labels, 10)).mean()
    return loss, state


@jax.jit
def train_step(params, state, opt_state, images, labels):
    grads, state = jax.grad(loss_fn, has_aux=True)(params, state, images, labels)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), state, opt_state


images = jnp.ones((2, 8, 8, 1))
params, state = forward.init(jax.random.key(0), images)

train_step(params, state, optimizer.init(params), images, jnp.zeros(2, int))
