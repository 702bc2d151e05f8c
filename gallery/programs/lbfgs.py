import jax
import jax.numpy as jnp


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def direction(grad, ss, ys):
    q, alphas = grad, []
    for i in reversed(range(5)):
        alpha = jnp.vdot(ss[i], q) / jnp.vdot(ss[i], ys[i])
        q = q - alpha * ys[i]
        alphas.append(alpha)
    q = q * jnp.vdot(ss[-1], ys[-1]) / jnp.vdot(ys[-1], ys[-1])
    for i, alpha in zip(range(5), reversed(alphas), strict=True):
        beta = jnp.vdot(ys[i], q) / jnp.vdot(ss[i], ys[i])
        q = q + ss[i] * (alpha - beta)
    return -q


def line_search(x, value, grad, along):
    def too_far(t):
        return rosenbrock(x + t * along) > value + 1e-4 * t * jnp.vdot(grad, along)

    return jax.lax.while_loop(too_far, lambda t: t / 2, 1.0)


def step(_, carry):
    x, ss, ys = carry
    value, grad = jax.value_and_grad(rosenbrock)(x)
    along = direction(grad, ss, ys)
    new = x + line_search(x, value, grad, along) * along
    change = jax.grad(rosenbrock)(new) - grad
    return new, jnp.roll(ss, -1, 0).at[-1].set(new - x), jnp.roll(ys, -1, 0).at[-1].set(change)


def minimize(x, ss, ys):
    return jax.lax.fori_loop(0, 20, step, (x, ss, ys))[0]


minimize(jnp.ones(6), jnp.ones((5, 6)), jnp.ones((5, 6)))
