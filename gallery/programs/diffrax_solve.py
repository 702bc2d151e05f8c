import diffrax
import jax
import jax.numpy as jnp


def predator_and_prey(t, y, args):
    prey, predator = y
    a, b, c, d = args
    return jnp.array([a * prey - b * prey * predator, -c * predator + d * prey * predator])


@jax.jit
def solve(y0, args):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(predator_and_prey),
        diffrax.Tsit5(),
        t0=0,
        t1=10,
        dt0=0.1,
        y0=y0,
        args=args,
        saveat=diffrax.SaveAt(ts=jnp.linspace(0, 10, 50)),
        stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-5),
    )
    return solution.ys


solve(jnp.array([10.0, 10.0]), (0.1, 0.02, 0.4, 0.02))
