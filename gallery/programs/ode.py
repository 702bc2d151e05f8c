import jax
import jax.numpy as jnp


def field(y, rate):
    return jnp.stack([y[1], rate * (1 - y[0] ** 2) * y[1] - y[0]])


def bogacki_shampine(y, h, rate):
    k1 = field(y, rate)
    k2 = field(y + h / 2 * k1, rate)
    k3 = field(y + h * 3 / 4 * k2, rate)
    new = y + h * (2 / 9 * k1 + k2 / 3 + 4 / 9 * k3)
    k4 = field(new, rate)
    error = h * (-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8)
    return new, jnp.sqrt(jnp.mean((error / 1e-4) ** 2))


def solve(y, rate, end):
    def body(carry):
        t, h, y = carry
        h = jnp.minimum(h, end - t)
        new, error = bogacki_shampine(y, h, rate)
        accept = error <= 1.0
        factor = jnp.clip(0.9 * error ** (-1 / 3), 0.2, 5.0)
        return jnp.where(accept, t + h, t), h * factor, jnp.where(accept, new, y)

    return jax.lax.while_loop(lambda c: c[0] < end, body, (0.0, 0.1, y))


solve(jnp.ones(2), 5.0, 10.0)
