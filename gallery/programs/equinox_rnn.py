import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class RNN(eqx.Module):
    cell: eqx.nn.GRUCell
    linear: eqx.nn.Linear

    def __init__(self, key):
        cell_key, linear_key = jax.random.split(key)
        self.cell = eqx.nn.GRUCell(2, 8, key=cell_key)
        self.linear = eqx.nn.Linear(8, 1, key=linear_key)

    def __call__(self, inputs):
        def f(hidden, x):
            return self.cell(x, hidden), None

        hidden, _ = jax.lax.scan(f, jnp.zeros(8), inputs)
        return jax.nn.sigmoid(self.linear(hidden))


model = RNN(jax.random.key(0))
optim = optax.adam(3e-3)


@eqx.filter_value_and_grad
def compute_loss(model, x, y):
    pred_y = jax.vmap(model)(x)
    return -jnp.mean(y * jnp.log(pred_y) + (1 - y) * jnp.log(1 - pred_y))


@eqx.filter_jit
def make_step(model, opt_state, x, y):
    loss, grads = compute_loss(model, x, y)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))

make_step(model, opt_state, jnp.ones((4, 16, 2)), jnp.ones((4, 1)))
