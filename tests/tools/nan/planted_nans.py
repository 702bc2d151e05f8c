"""Calls in which a NaN is born, each at a line that ends in `# NaN`."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Planted(NamedTuple):
    """The truth about a call."""

    fun: Any
    args: tuple[Any, ...]
    op: str
    around: tuple[str, ...] = ()
    element: tuple[int, ...] = ()
    backward: bool = False
    device: int | None = None


X = jnp.array([2.0, -1.0, 4.0])
ZERO = jnp.array([0.0, 1.0, 4.0])
BIG = jnp.array([1.0, 100.0])
ROWS = jnp.ones((4, 3)).at[2, 1].set(-1.0)
TIMES = jnp.arange(50.0)
LONG = jnp.arange(-500.0, 500.0)


def straight(x):
    y = x * 2.0
    y = jnp.log(y)  # NaN
    return (y + 1.0).sum()


def after_another_line(x):
    y = jnp.sqrt(jnp.abs(x))
    z = y - 3.0
    return y, jnp.sqrt(z)  # NaN


def divided(x):
    return x / x  # NaN


def inf_less_inf(x):
    y = jnp.exp(x)
    return y - y  # NaN


def zero_times_inf(x):
    y = jnp.exp(x)
    return y * 0.0  # NaN


def power(x):
    return jnp.power(x, 0.5)  # NaN


def arcsin(x):
    return jnp.arcsin(x)  # NaN


def arccosh(x):
    return jnp.arccosh(x)  # NaN


def log1p(x):
    return jnp.log1p(x * 2.0)  # NaN


def remainder(x):
    return lax.rem(x, jnp.zeros_like(x))  # NaN


def rsqrt(x):
    return lax.rsqrt(x)  # NaN


def two_of_which_one_is_dropped(x):
    y = jnp.where(x > 0, jnp.log(x), 0.0)
    return jnp.sqrt(y - 5.0)  # NaN


def by_a_constant(x):
    return lax.select(x > 0, x, jnp.full_like(x, jnp.nan))  # NaN


def cholesky(x):
    return jnp.linalg.cholesky(x)  # NaN


def matmul(x):
    y = jnp.exp(x)
    return jnp.stack([y, -y]).T @ jnp.ones(2)  # NaN


def reduced(x):
    y = jnp.exp(x) * jnp.array([1.0, -1.0])
    return y.sum()  # NaN


def accumulated(x):
    y = jnp.array([jnp.inf, -jnp.inf]) * x
    return jnp.cumsum(y)  # NaN


def root_where(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()  # NaN


def norm(x):
    return jnp.sqrt((x * x).sum())  # NaN


def inner(x):
    return jnp.log(x)  # NaN


def outer(x):
    return jax.jit(inner)(x * 1.0) + 1.0


def called_twice(x):
    j = jax.jit(inner)
    return j(jnp.abs(x)) + j(x)


def turn(carry, t):
    carry = carry + jnp.where(t == 37.0, jnp.log(-carry), 0.0)  # NaN
    return carry, carry * 2.0


def scanned(c, ts):
    return lax.scan(turn, c, ts)


def scanned_ys(xs):
    return lax.scan(lambda c, x: (c, jnp.log(x)), 0.0, xs)[1]  # NaN


def reverse(xs):
    return lax.scan(lambda c, x: (c, jnp.log(x)), 0.0, xs, reverse=True)[1]  # NaN


def scan_of_scan(xs):
    def row(c, x):
        return lax.scan(lambda d, y: (d + jnp.log(y), None), c, x)  # NaN

    return lax.scan(row, 0.0, xs)[0]


def whiled(x):
    def body(state):
        i, c = state
        return i + 1, jnp.sqrt(c - 1.0)  # NaN

    return lax.while_loop(lambda s: s[0] < 9, body, (0, x))


def while_of_cond(x, last=5):
    def body(state):
        i, c = state
        return i + 1, lax.cond(i == last, lambda c: jnp.log(-c), lambda c: c + 1.0, c)  # NaN

    return lax.while_loop(lambda s: s[0] < last + 4, body, (0, x))


def scan_of_long_scan(xs):
    rows = jnp.where(xs[:, None] > 0, 0.0, LONG)
    return lax.scan(lambda c, row: (scanned(c, row)[0], None), 1.0, rows)[0]


def counted(x):
    return lax.fori_loop(0, 7, lambda i, c: jnp.sqrt(c - i), x)  # NaN


def condition(x):
    return lax.cond(x[0] > 0, inner, lambda x: x, x)


def switch(x):
    return lax.switch(2, [jnp.sin, jnp.cos, inner, jnp.tan], x)


def switch_of_an_argument(n, x):
    return lax.switch(n, [jnp.sin, jnp.cos, inner, jnp.tan], x)


def remat(x):
    return jax.checkpoint(inner)(x).sum()


@jax.custom_vjp
def root(x):
    return jnp.sqrt(x)  # NaN


def root_backward(x, g):
    return (g * 0.0 / x,)


root.defvjp(lambda x: (jnp.sqrt(x), x), root_backward)


@jax.custom_jvp
def slope(x):
    return x * 2.0


@slope.defjvp
def _slope_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return x * 2.0, t * jnp.log(x)  # NaN


def summed_slope(x):
    return slope(x).sum()


def summed_root(x):
    return root(x).sum()  # NaN


def softmax_of_infinities(x):
    return jax.nn.softmax(jnp.full_like(x, -jnp.inf) * x, axis=-1)


def half(x):
    y = x * jnp.asarray(300.0, x.dtype)
    return y * y - y * y  # NaN


PLANTED = {
    "straight": Planted(straight, (X,), "log", element=(1,)),
    "jit": Planted(jax.jit(straight), (X,), "log", element=(1,)),
    "later line": Planted(after_another_line, (X,), "sqrt", element=(0,)),
    "0 / 0": Planted(divided, (ZERO,), "div", element=(0,)),
    "inf - inf": Planted(inf_less_inf, (BIG,), "sub", element=(1,)),
    "0 * inf": Planted(zero_times_inf, (BIG,), "mul", element=(1,)),
    "power": Planted(power, (X,), "pow", element=(1,)),
    "arcsin": Planted(arcsin, (X,), "asin", element=(0,)),
    "arccosh": Planted(arccosh, (X,), "acosh", element=(1,)),
    "log1p": Planted(log1p, (X,), "log1p", element=(1,)),
    "rem": Planted(remainder, (X,), "rem", element=(0,)),
    "rsqrt": Planted(rsqrt, (X,), "rsqrt", element=(1,)),
    "one is dropped": Planted(two_of_which_one_is_dropped, (X,), "sqrt", element=(0,)),
    "constant": Planted(by_a_constant, (X,), "broadcast_in_dim", element=(0,)),
    "cholesky": Planted(cholesky, (-jnp.eye(2),), "cholesky", element=(0, 0)),
    "matmul": Planted(matmul, (BIG,), "dot_general", element=(1,)),
    "sum": Planted(reduced, (jnp.array([100.0, 100.0]),), "reduce_sum"),
    "cumsum": Planted(accumulated, (jnp.ones(2),), "cumsum", element=(1,)),
    "grad of where": Planted(jax.grad(root_where), (ZERO,), "mul", element=(0,), backward=True),
    "grad of norm": Planted(jax.grad(norm), (jnp.zeros(3),), "mul", element=(0,), backward=True),
    "value_and_grad": Planted(jax.value_and_grad(straight), (X,), "log", element=(1,)),
    "vmap": Planted(jax.vmap(inner), (ROWS,), "log", element=(2, 1)),
    "vmap of grad": Planted(jax.vmap(jax.grad(norm)), (ROWS * 0.0,), "mul", (), (0, 0), True),
    "nested jit": Planted(outer, (X,), "log", element=(1,)),
    "second call": Planted(called_twice, (X,), "log", element=(1,)),
    "jvp": Planted(lambda x: jax.jvp(inner, (x,), (x,)), (X,), "log", element=(1,)),
    "scan": Planted(scanned, (1.0, TIMES), "log", ("scan, index 37",)),
    "grad of scan": Planted(
        jax.grad(lambda c, t: scanned(c, t)[0]), (1.0, TIMES), "log", ("scan, index 37",)
    ),
    "ys of scan": Planted(scanned_ys, (X,), "log", ("scan, index 1",)),
    "reverse scan": Planted(reverse, (X,), "log", ("scan, index 1",)),
    "scan of scan": Planted(scan_of_scan, (ROWS,), "log", ("scan, index 2", "scan, index 1")),
    "vmap of scan": Planted(
        jax.vmap(scanned, (0, None)), (jnp.ones(3), TIMES), "log", ("scan, index 37",), (0,)
    ),
    "long scan": Planted(scanned, (1.0, LONG), "log", ("scan, index 537",)),
    "long while": Planted(
        while_of_cond, (2.0, 500), "log", ("while, iteration 500", "cond, branch true")
    ),
    "scan of long scan": Planted(
        scan_of_long_scan, (X,), "log", ("scan, index 1", "scan, index 537")
    ),
    "while": Planted(whiled, (2.0,), "sqrt", ("while, iteration 2",)),
    "cond in while": Planted(
        while_of_cond, (2.0,), "log", ("while, iteration 5", "cond, branch true")
    ),
    "fori": Planted(counted, (5.0,), "sqrt", ("scan, index 2",)),
    "cond": Planted(condition, (X,), "log", ("cond, branch true",), (1,)),
    "switch": Planted(switch, (X,), "log", ("cond, branch 2",), (1,)),
    "switch of an argument": Planted(
        switch_of_an_argument, (2, X), "log", ("cond, branch 2",), (1,)
    ),
    "remat": Planted(remat, (X,), "log", element=(1,)),
    "grad of remat": Planted(jax.value_and_grad(remat), (X,), "log", element=(1,)),
    "custom_vjp": Planted(summed_root, (X,), "sqrt", element=(1,)),
    "grad of custom_vjp": Planted(jax.grad(summed_root), (ZERO,), "div", (), (0,), True),
    "custom_jvp": Planted(lambda x: jax.jvp(slope, (x,), (x,)), (X,), "log", element=(1,)),
    "f16": Planted(half, (jnp.ones(2, jnp.float16) * 2,), "sub", element=(0,)),
    "bf16": Planted(inner, (X.astype(jnp.bfloat16),), "log", element=(1,)),
    "float8": Planted(divided, (ZERO.astype(jnp.float8_e5m2),), "div", element=(0,)),
    "complex": Planted(divided, (ZERO.astype(jnp.complex64),), "div", element=(0,)),
}
