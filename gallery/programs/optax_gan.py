import jax
import jax.numpy as jnp
import optax


def dense(p, x):
    return x @ p["w"] + p["b"]


def generator(params, noise):
    return dense(params["out"], jax.nn.relu(dense(params["hidden"], noise)))


def discriminator(params, x):
    return dense(params["out"], jax.nn.leaky_relu(dense(params["hidden"], x)))


def g_loss(g_params, d_params, noise):
    logits = discriminator(d_params, generator(g_params, noise))
    return optax.sigmoid_binary_cross_entropy(logits, jnp.ones_like(logits)).mean()


def d_loss(d_params, g_params, real, noise):
    true = discriminator(d_params, real)
    fake = discriminator(d_params, generator(g_params, noise))
    loss_real = optax.sigmoid_binary_cross_entropy(true, jnp.ones_like(true)).mean()
    return loss_real + optax.sigmoid_binary_cross_entropy(fake, jnp.zeros_like(fake)).mean()


g_optimizer, d_optimizer = optax.adam(1e-4), optax.adam(4e-4)


@jax.jit
def train_step(g_params, d_params, g_state, d_state, real, noise):
    g_grads = jax.grad(g_loss)(g_params, d_params, noise)
    g_updates, g_state = g_optimizer.update(g_grads, g_state)
    g_params = optax.apply_updates(g_params, g_updates)
    d_grads = jax.grad(d_loss)(d_params, g_params, real, noise)
    d_updates, d_state = d_optimizer.update(d_grads, d_state)
    d_params = optax.apply_updates(d_params, d_updates)
    return g_params, d_params, g_state, d_state


def params(*sizes):
    shapes = {"hidden": sizes[:2], "out": sizes[1:]}
    return {name: {"w": jnp.ones(s), "b": jnp.ones(s[1])} for name, s in shapes.items()}


g_params, d_params = params(4, 16, 8), params(8, 16, 1)
states = g_optimizer.init(g_params), d_optimizer.init(d_params)

train_step(g_params, d_params, *states, jnp.ones((4, 8)), jnp.ones((4, 4)))
