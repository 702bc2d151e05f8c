"""Small named functions that together hold every kind of body, each with a call of it.

`CALLS[name]` is what `jaxviz.inspect(function)(*arguments)` is given; the golden programs in
`golden/` are made of these, and the tests of the page read them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jax.custom_derivatives import linear_call
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P


class Call(NamedTuple):
    function: Callable[..., Any]
    args: tuple[Any, ...]
    static: str | None = None


CALLS: dict[str, Call] = {}


def shaped(*shape: int, dtype: str = "float32") -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def called_with(*args: Any, static: str | None = None) -> Callable[[Any], Any]:
    def keep(function: Any) -> Any:
        name = getattr(function, "__name__", type(function).__name__)
        CALLS[name] = Call(function, args, static)
        return function

    return keep


@called_with(shaped(4))
def lesson(x):
    return jnp.sum(x**2 + jnp.sin(x))


@called_with()
def nothing():
    return ()


@called_with(shaped(2, 3))
def identity(x):
    return x


@called_with(1, 2.0, True)
def scalars(i, x, flag):
    return i + 1, x * 2, jnp.where(flag, i, 7)


@called_with({"w1": shaped(8, 16), "w2": shaped(16, 4), "b": [shaped(16), shaped(4)]}, shaped(3, 8))
def layers(params, x):
    hidden = jnp.tanh(x @ params["w1"] + params["b"][0])
    return {"logits": hidden @ params["w2"] + params["b"][1], "hidden": (hidden, x)}


@jax.jit
def double(x):
    return x + x


@called_with(shaped(3))
def nested_jit(x):
    return jax.jit(lambda y: double(y) * 2)(x)


@called_with(shaped(3))
def shared_jit(x):
    return double(x) - double(x * 3)


@called_with(shaped(5))
def scan_sum(xs):
    def step(total, x):
        return total + x, total

    return lax.scan(step, 0.0, xs)


@called_with(shaped(5, 3), shaped(3))
def scan_with_cond(xs, bias):
    def step(carry, x):
        carry = lax.cond(carry.sum() > 0, lambda c: c + x, lambda c: c * bias, carry)
        return carry, carry.max()

    return lax.scan(step, jnp.zeros(3), xs)


@called_with(shaped(), shaped(3))
def while_newton(start, coefficients):
    def going(state):
        step, x = state
        return (step < 10) & (jnp.abs(x) > 1e-3)

    def newton(state):
        step, x = state
        return step + 1, x - jnp.polyval(coefficients, x) * 0.1

    return lax.while_loop(going, newton, (0, start))


@called_with(shaped(3), 4)
def fori(x, n):
    return lax.fori_loop(0, n, lambda i, c: c * i + x, x)


@called_with(True, shaped(3))
def cond_two(flag, x):
    return lax.cond(flag, jnp.sin, jnp.cos, x)


@called_with(1, shaped(3))
def switch_three(index, x):
    return lax.switch(index, [lambda y: y, lambda y: y * 2, jnp.exp], x)


@called_with(shaped(3))
def relu(x):
    return jax.nn.relu(x)


@called_with(shaped(3))
def relu_slope(x):
    return jax.grad(lambda y: jax.nn.relu(y).sum())(x)


@jax.custom_vjp
def clipped(x):
    return x * 2


def clipped_forward(x):
    return clipped(x), x


def clipped_backward(x, slope):
    return (jnp.clip(slope, -1, 1) * x,)


clipped.defvjp(clipped_forward, clipped_backward)


@called_with(shaped(3))
def custom_vjp(x):
    return clipped(x).sum()


@called_with(shaped(3))
def custom_vjp_slope(x):
    return jax.grad(custom_vjp)(x)


@called_with(shaped(3))
def remat_slope(x):
    return jax.grad(lambda y: jax.checkpoint(lambda z: jnp.sin(jnp.sin(z)))(y).sum())(x)


@called_with(shaped(4, 2))
def sharded(x):
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    total = jax.shard_map if hasattr(jax, "shard_map") else _shard_map
    return total(lambda y: lax.psum(y, "data"), mesh=mesh, in_specs=P("data"), out_specs=P())(x)


def _shard_map(*args, **kwargs):
    from jax.experimental.shard_map import shard_map

    return shard_map(*args, **kwargs)


@called_with(shaped(8))
def pallas_double(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    block = pl.BlockSpec((4,), lambda i: (i,))
    call = pl.pallas_call(
        kernel, out_shape=shaped(8), grid=(2,), in_specs=[block], out_specs=block, interpret=True
    )
    return call(x)


@called_with(shaped(4, 4), shaped(4))
def linear_solve(a, b):
    return lax.custom_linear_solve(
        lambda v: a @ v, b, lambda mv, r: r / 2, transpose_solve=lambda mv, r: r / 3
    )


@called_with(shaped(3), shaped(3))
def linear(scale, x):
    return linear_call(lambda r, v: v * r, lambda r, v: v * r, scale, x)


@custom_vmap
def batched(x):
    return x + 1


@batched.def_vmap
def batched_rule(size, is_batched, x):
    return x + size, True


@called_with(shaped(3))
def custom_batching(x):
    return batched(x)


@called_with(shaped(3))
def refs(x):
    ref = (jax.new_ref if hasattr(jax, "new_ref") else _mutable_array)(x)
    ref[0] = 2.0
    ref[...] += 1
    return ref[...]


def _mutable_array(x):
    from jax._src.core import mutable_array

    return mutable_array(x)


@called_with(jax.eval_shape(lambda: jax.random.key(0)))
def random_keys(key):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (2,)), second


TABLE = jnp.arange(6.0).reshape(2, 3)


@called_with(shaped(3))
def closed_over(x):
    return TABLE @ x


@called_with(shaped(6))
def dropped(x):
    values, _ = lax.top_k(x, 2)
    return values


@called_with(shaped(2))
def printing(x):
    jax.debug.print("x = {x}", x=x)
    return x * 2


@called_with(shaped(5), shaped(2, dtype="int32"))
def scatter(x, at):
    return x.at[at].add(1.0)


@called_with(shaped(4, 3))
def reduce_with_body(x):
    return lax.reduce(x, 0.0, lambda a, b: a * b + a, (0,))


@called_with(shaped(3), static="power")
def static_power(x, power=3):
    return x**power


@called_with(shaped(2, 8, 8, 3), shaped(3, 3, 3, 4))
def convolution(images, kernel):
    return lax.conv_general_dilated(
        images, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@called_with(shaped(4, 6))
def gathered(x):
    return x[jnp.array([0, 2]), 1:3], jnp.sort(x, axis=1)


@called_with(shaped(3))
def callback(x):
    return jax.pure_callback(lambda y: y, shaped(3), x)


@called_with(shaped(2, 3))
def scoped(x):
    with jax.named_scope("encoder"):
        h = jnp.tanh(x)
        with jax.named_scope("attention"):
            h = jax.nn.softmax(h @ h.T)
    return h.mean()


@called_with(shaped(3))
def hostile(x):
    def markup(y):
        return y + 1

    markup.__name__ = "<img src=x onerror=alert(1)>\u202e\x00"
    with jax.named_scope("</script><b>"):
        y = jax.jit(markup)(x)
    return {"__proto__": y, "a\"'`${}": y}


def loss(params, batch):
    x, y = batch
    for w in params["layers"]:
        x = jax.nn.relu(x @ w)
    return jnp.mean((x - y) ** 2)


def train_step(params, batch, rate=0.1):
    value, slopes = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - rate * g, params, slopes), value


called_with({"layers": [shaped(4, 4), shaped(4, 4)]}, (shaped(2, 4), shaped(2, 4)))(train_step)
CALLS["grad_loss"] = Call(
    jax.grad(loss), ({"layers": [shaped(4, 4)]}, (shaped(2, 4), shaped(2, 4)))
)
CALLS["vmap_scan"] = Call(jax.vmap(scan_sum), (shaped(2, 5),))
CALLS["partial_layer"] = Call(partial(static_power, power=2), (shaped(3),))
