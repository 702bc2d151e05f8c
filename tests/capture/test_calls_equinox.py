"""Functions of Equinox are drawn as they are called, and their bodies run once."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from lesson_calls import told

import jaxviz
from jaxviz.inspecting import inspected

key = jax.random.key(0)
x = jnp.ones((8, 4))
ran: list[str] = []


class Net(eqx.Module):
    layers: list
    act: Callable

    def __init__(self):
        self.layers = [eqx.nn.Linear(4, 3, key=key), eqx.nn.Linear(3, 1, key=key)]
        self.act = jax.nn.relu

    def __call__(self, value):
        ran.append("call")
        return self.layers[1](self.act(self.layers[0](value)))

    @eqx.filter_jit
    def forward(self, value):
        ran.append("forward")
        return jax.vmap(self)(value)

    def twice(self, value):
        return jax.vmap(self)(value) * 2


def loss(model, value):
    ran.append("loss")
    return jnp.mean(jax.vmap(model)(value) ** 2)


def apply(model, value, mode, act):
    ran.append("apply")
    out = act(jax.vmap(model)(value))
    return out if mode == "train" else out * 2


def scaled(model, value, rate):
    ran.append("scaled")
    return loss(model, value) * rate


def weights(path):
    parts = ("weight", "bias")
    return [f"{path}.layers[{layer}].{part}" for layer in (0, 1) for part in parts]


MODEL = [*weights("model"), "value"]
RELU = [("model.act", "relu", "closed over")]
STATIC = [("model.act", "relu", "static")]
MODE = [("mode", "'train'", "static"), ("act", "sin", "static")]

EQUINOX = {
    "filter_jit": (lambda: eqx.filter_jit(loss), (x,), "loss", MODEL, STATIC),
    "filter_jit of strings and functions": (
        lambda: eqx.filter_jit(apply),
        (x, "train", jnp.sin),
        "apply",
        MODEL,
        STATIC + MODE,
    ),
    "filter_jit of a number": (
        lambda: eqx.filter_jit(scaled),
        (x, 0.1),
        "scaled",
        MODEL,
        [*STATIC, ("rate", "0.1", "static")],
    ),
    "filter_grad of filter_jit": (
        lambda: eqx.filter_grad(eqx.filter_jit(loss)),
        (x,),
        "filter_grad(loss)",
        MODEL,
        RELU,
    ),
    "filter_jit of filter_grad": (
        lambda: eqx.filter_jit(eqx.filter_grad(loss)),
        (x,),
        "filter_grad(loss)",
        MODEL,
        STATIC,
    ),
    "filter_jit of filter_value_and_grad": (
        lambda: eqx.filter_jit(eqx.filter_value_and_grad(loss)),
        (x,),
        "filter_value_and_grad(loss)",
        MODEL,
        STATIC,
    ),
}
"""Jitted functions: the maker, the arguments after the model, the title, the inputs, and the fixed
arguments."""


@pytest.mark.parametrize("case", EQUINOX)
def test_equinox_functions_are_drawn_and_their_bodies_run_once(case):
    made, args, *expected = EQUINOX[case]
    fun, net = made(), Net()
    jax.clear_caches()
    ran.clear()
    assert told(jaxviz.inspect(fun)(net, *args)) == tuple(expected)
    looked = [*ran]
    assert len(set(looked)) == len(looked) > 0
    fun(net, *args)
    fun(net, *args)
    assert ran == looked


@pytest.mark.parametrize(
    ("fun", "title"),
    [
        (loss, "loss"),
        (eqx.filter_grad(loss), "filter_grad(loss)"),
        (eqx.filter_value_and_grad(loss), "filter_value_and_grad(loss)"),
    ],
)
def test_what_is_not_jitted_is_drawn_with_its_body_run_once(fun, title):
    net = Net()
    ran.clear()
    assert told(jaxviz.inspect(fun)(net, x)) == (title, MODEL, RELU)
    assert ran == ["loss", "call"]


def test_a_model_of_equinox_s_own_layers():
    mlp = eqx.nn.MLP(4, 1, 8, 1, key=key)
    fixed = [
        ("model.activation", "relu", "closed over"),
        ("model.final_activation", "<lambda>", "closed over"),
    ]
    assert told(jaxviz.inspect(eqx.filter_grad(loss))(mlp, x)) == (
        "filter_grad(loss)",
        MODEL,
        fixed,
    )


def test_methods_have_their_model_for_an_argument():
    net = Net()
    ran.clear()
    inputs, fixed = [*weights("self"), "value"], ("self.act", "relu")
    assert told(jaxviz.inspect(net.forward)(x)) == ("forward", inputs, [(*fixed, "static")])
    net.forward(x)
    assert ran == ["forward", "call"]
    assert told(jaxviz.inspect(net.twice)(x)) == ("twice", inputs, [(*fixed, "closed over")])
    assert told(jaxviz.inspect(net)(x[0])) == ("Net", inputs, [(*fixed, "closed over")])


def test_functions_that_hold_a_model_close_over_it():
    net = Net()
    assert told(jaxviz.inspect(eqx.filter_vmap(net))(x)) == ("filter_vmap(Net)", ["value"], [])
    held = eqx.filter_vmap(lambda value: net(value))
    assert told(jaxviz.inspect(held)(x)) == ("filter_vmap(<lambda>)", ["value"], [])
    assert told(jaxviz.inspect(eqx.filter_jit(net))(x[0])) == ("Net", ["value"], [])


@pytest.mark.parametrize("made", [eqx.filter_jit, lambda fun: fun])
def test_a_step_returns_a_model_that_holds_functions(made):
    runs = []

    def step(model, value):
        runs.append(1)
        grads = eqx.filter_grad(loss)(model, value)
        return eqx.apply_updates(model, grads), "done" if made is eqx.filter_jit else value

    fun, net = made(step), Net()
    program = jaxviz.inspect(fun)(net, x)
    assert [leaf.path for leaf in program.results][:4] == weights("result[0]")
    assert runs == [1]
    assert program.stage("hlo").error is None
    fun(net, x)
    assert len(runs) == (1 if made is eqx.filter_jit else 2)


def test_a_flag_of_a_layer_is_no_array_anywhere_in_a_tree():
    def dropped(state, value, key):
        return state["drop"](value, key=key) * state["rate"]

    program = jaxviz.inspect(dropped)({"drop": eqx.nn.Dropout(0.5), "rate": 2.0}, x, key)
    assert [leaf.path for leaf in program.args] == ["state['rate']", "value", "key"]
    assert [one.path for one in program.fixed] == ["state['drop']"]


def test_what_jax_s_own_transformations_do_not_take_of_a_model():
    net = Net()
    with pytest.raises(jaxviz.CaptureError) as refused:
        jaxviz.inspect(jax.grad(loss))(net, x)
    assert str(refused.value) == (
        "argument model.act of grad(loss) is of type custom_jvp, which jax.grad cannot "
        "differentiate: write equinox.filter_grad in place of jax.grad."
    )
    with pytest.raises(jaxviz.CaptureError) as refused:
        jaxviz.inspect(jax.jit(loss))(net, x)
    assert str(refused.value) == (
        "argument model.act of loss is of type custom_jvp, which JAX cannot trace: pass an array, "
        "or jit loss with equinox.filter_jit, which traces the arrays of model."
    )
    with pytest.raises(jaxviz.CaptureError) as refused:
        jaxviz.inspect(jax.jit(net))(x[0])
    assert str(refused.value) == (
        "Net is an Equinox model, whose arrays jax.jit cannot hash: write equinox.filter_jit in "
        "place of jax.jit."
    )


def test_what_stands_before_the_dot_is_the_model_s_name():
    net = Net()
    program = inspected(net.forward, (x,), {}, receiver="net")
    assert [leaf.path for leaf in program.args] == [*weights("net"), "value"]
    within = inspected(net.layers[0], (x[0],), {}, receiver="net.layers")
    assert [leaf.path for leaf in within.args] == ["self.weight", "self.bias", "x"]
