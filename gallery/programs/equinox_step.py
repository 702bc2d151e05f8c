import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Residual(eqx.Module):
    norm: eqx.nn.LayerNorm
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, key):
        up, down = jax.random.split(key)
        self.norm = eqx.nn.LayerNorm(16)
        self.up = eqx.nn.Linear(16, 64, key=up)
        self.down = eqx.nn.Linear(64, 16, key=down)

    def __call__(self, x):
        return x + self.down(jax.nn.gelu(self.up(self.norm(x))))


class Model(eqx.Module):
    blocks: list[Residual]
    head: eqx.nn.Linear

    def __init__(self, key):
        *keys, last = jax.random.split(key, 4)
        self.blocks = [Residual(one) for one in keys]
        self.head = eqx.nn.Linear(16, 4, key=last)

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


params, static = eqx.partition(Model(jax.random.key(0)), eqx.is_array)
adam = optax.adam(1e-3)


def loss(params, x, y):
    out = jax.vmap(eqx.combine(params, static))(x)
    return jnp.mean((out - y) ** 2)


def step(params, state, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    updates, state = adam.update(grads, state)
    return eqx.apply_updates(params, updates), state, value


step(params, adam.init(params), jnp.ones((8, 16)), jnp.ones((8, 4)))
