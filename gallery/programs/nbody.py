import jax
import jax.numpy as jnp


def acceleration(position, mass):
    apart = position[None] - position[:, None]
    distance = jnp.sqrt((apart**2).sum(-1) + 1e-3)
    return (apart * (mass[None] / distance**3)[..., None]).sum(1)


def simulate(state, mass, until):
    def going(carry):
        return carry["time"] < until

    def leapfrog(carry):
        dt = 0.01
        half = carry["velocity"] + dt / 2 * acceleration(carry["position"], mass)
        position = carry["position"] + dt * half
        velocity = half + dt / 2 * acceleration(position, mass)
        return {"position": position, "velocity": velocity, "time": carry["time"] + dt}

    return jax.lax.while_loop(going, leapfrog, state)


state = {"position": jnp.ones((5, 3)), "velocity": jnp.ones((5, 3)), "time": jnp.zeros(())}

simulate(state, jnp.ones(5), jnp.ones(()))
