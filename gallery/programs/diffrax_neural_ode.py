import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp


class NeuralODE(eqx.Module):
    mlp: eqx.nn.MLP

    def __call__(self, y0):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, args: self.mlp(y)),
            diffrax.Euler(),
            t0=0.0,
            t1=1.0,
            dt0=0.25,
            y0=y0,
            max_steps=8,
        )
        return solution.ys[-1]


@eqx.filter_jit
@eqx.filter_value_and_grad
def grad_loss(model, y0, y1):
    return jnp.mean((jax.vmap(model)(y0) - y1) ** 2)


model = NeuralODE(eqx.nn.MLP(2, 2, 8, 2, activation=jnp.tanh, key=jax.random.key(0)))

grad_loss(model, jnp.ones((3, 2)), jnp.ones((3, 2)))
