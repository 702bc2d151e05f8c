import jax
import jax.numpy as jnp
import optimistix as optx


def residuals(y, args):
    amplitude, rate = y
    times, values = args
    return amplitude * jnp.exp(-rate * times) - values


@jax.jit
def fit(y0, times, values):
    solver = optx.LevenbergMarquardt(rtol=1e-4, atol=1e-4)
    return optx.least_squares(residuals, solver, y0, args=(times, values)).value


fit((jnp.array(1.0), jnp.array(0.5)), jnp.linspace(0.0, 1.0, 8), jnp.ones(8))
