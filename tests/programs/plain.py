"""Programs without loops or branches: inputs, outputs, consts, params, refs, scopes."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from programs.call import CALLS, Call, called_with, shaped


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


@called_with(shaped(3), static="power")
def static_power(x, power=3):
    return x**power


CALLS["partial_layer"] = Call(partial(static_power, power=2), (shaped(3),))


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


@called_with(shaped(3))
def refs(x):
    ref = (jax.new_ref if hasattr(jax, "new_ref") else _mutable_array)(x)
    ref[0] = 2.0
    ref[...] += 1
    return ref[...]


def _mutable_array(x):
    from jax._src.core import mutable_array  # pyright: ignore[reportAttributeAccessIssue]

    return mutable_array(x)


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
