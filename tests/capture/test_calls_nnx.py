"""Functions of Flax NNX are drawn as they are called. Bodies run once, and modules stay whole."""

from __future__ import annotations

import jax.numpy as jnp
import pytest
from flax import nnx
from lesson_calls import told

import jaxviz
from jaxviz.inspecting import inspected

x = jnp.ones((8, 4))
ran: list[str] = []


class Block(nnx.Module):
    def __init__(self):
        self.linear = nnx.Linear(4, 3, rngs=nnx.Rngs(0))
        self.norm = nnx.BatchNorm(3, rngs=nnx.Rngs(0))
        self.act = nnx.relu

    def __call__(self, value):
        ran.append("call")
        return self.act(self.norm(self.linear(value)))

    @nnx.jit
    def forward(self, value):
        ran.append("forward")
        return self(value)


def mean(model, value):
    ran.append("loss")
    return jnp.mean(model(value) ** 2)


def shown(model, value, mode, act):
    ran.append("apply")
    out = act(model(value))
    return out if mode == "train" else out * 2


def block(path, suffix=""):
    parts = ("linear.bias", "linear.kernel", "norm.bias", "norm.mean", "norm.scale", "norm.var")
    return [f"{path}.{part}{suffix}" for part in parts]


MODE = [("mode", "'train'", "static"), ("act", "sin", "static")]
UPDATED = [*block("model"), "value"]
NNX = {
    "jit": (lambda: nnx.jit(mean), (x,), "mean", []),
    "jit of value_and_grad": (lambda: nnx.jit(nnx.value_and_grad(mean)), (x,), "mean", []),
    "jit of static arguments": (
        lambda: nnx.jit(shown, static_argnames=("mode", "act")),
        (x, "train", jnp.sin),
        "shown",
        MODE,
    ),
    "jit of static arguments by number": (
        lambda: nnx.jit(shown, static_argnums=(2, 3)),
        (x, "train", jnp.sin),
        "shown",
        MODE,
    ),
}


@pytest.mark.parametrize("case", NNX)
def test_nnx_functions_are_drawn_and_their_bodies_run_once(case):
    made, args, title, fixed = NNX[case]
    fun, model = made(), Block()
    ran.clear()
    program = jaxviz.inspect(fun)(model, *args)
    assert told(program) == (title, UPDATED, fixed)
    assert [leaf.path for leaf in program.results][:6] == block("model")
    assert program.results[6].path in ("result", "result[0]")
    looked = [*ran]
    assert len(set(looked)) == len(looked) > 0
    fun(model, *args)
    assert ran == looked


def test_nnx_methods_and_modules_have_the_module_for_an_argument():
    model = Block()
    before = model.norm.mean[...]
    ran.clear()
    inputs = [*block("self"), "value"]
    assert told(jaxviz.inspect(model.forward)(x)) == ("forward", inputs, [])
    assert jnp.array_equal(model.norm.mean[...], before)
    model.forward(x)  # pyright: ignore[reportCallIssue]  (Flax does not type methods)
    assert ran == ["forward", "call"]
    assert not jnp.array_equal(model.norm.mean[...], before)
    own = [*block("self", ".value"), "value"]
    assert told(jaxviz.inspect(model)(x)) == ("Block", own, [])
    assert told(jaxviz.inspect(model.__call__)(x)) == ("__call__", own, [])


def test_plain_functions_over_nnx_modules():
    model = Block()
    own = [*block("model", ".value"), "value"]
    assert told(jaxviz.inspect(mean)(model, x)) == ("mean", own, [])
    assert told(jaxviz.inspect(nnx.grad(mean))(model, x)) == ("mean", own, [])
    fixed = [("mode", "'train'", "closed over"), ("act", "sin", "closed over")]
    assert told(jaxviz.inspect(shown)(model, x, "train", jnp.sin)) == ("shown", own, fixed)


block_model = Block()
"""Within reach of a function as globals are."""


def test_a_module_that_is_closed_over_is_never_broken_by_a_look():
    def hidden(value):
        return block_model.forward(value)  # pyright: ignore[reportCallIssue]

    held = Block()
    for fun in (lambda value: hidden(value), lambda value: held.forward(value)):  # pyright: ignore[reportCallIssue]
        with pytest.raises(jaxviz.CaptureError, match="pass the module to the function as an arg"):
            jaxviz.inspect(fun)(x)
        assert fun(x).shape == (8, 3)


def test_what_stands_before_the_dot_is_the_module_s_name():
    program = inspected(block_model.forward, (x,), {}, receiver="block")
    assert [leaf.path for leaf in program.args] == [*block("block"), "value"]
