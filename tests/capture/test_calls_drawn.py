"""Calls as lessons write them are drawn as they are: what holds no array is closed over."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from jax import lax
from lesson_calls import JAX_S_OWN, THE_USER_S, Config, apply, body, xs

import jaxviz
from jaxviz.picture.draw import picture


def drawn(program: jaxviz.Program) -> tuple[str, list[str], list[str], list[str]]:
    """The title, the primitives of the program itself, its arguments, and what was fixed.

    `...` in a table stands for primitives that differ from one version of JAX to the next."""
    [jaxpr] = program.record.stages
    return (
        program.name,
        [eqn.op for eqn in jaxpr.graphs[0].eqns],
        [leaf.path for leaf in program.args],
        [f"{fixed.path}={fixed.text}" for fixed in program.fixed],
    )


@pytest.mark.parametrize("case", [*JAX_S_OWN, *THE_USER_S])
def test_drawn(case):
    capture, (title, primitives, arguments, fixed) = (JAX_S_OWN | THE_USER_S)[case]
    found = drawn(capture())
    assert found == (title, found[1] if primitives is ... else primitives, arguments, fixed)


SECRET = "sk-5fGh7Jk2Lm9Qw3Er8Ty6Ui1Op4As"


def test_statics_of_jit_differ_from_closed_over_values():
    jitted = jax.jit(apply, static_argnames=("mode", "activation"))
    program = jaxviz.inspect(jitted)({"w": xs}, xs, "train", activation=jnp.sin)
    told = [(fixed.path, fixed.text, fixed.kind) for fixed in program.fixed]
    assert told == [("mode", "'train'", "static"), ("activation", "sin", "static")]
    plain = jaxviz.inspect(apply, static_argnames="mode")({"w": xs}, xs, "train", jnp.sin)
    told = [(fixed.path, fixed.text, fixed.kind) for fixed in plain.fixed]
    assert told == [("mode", "'train'", "static"), ("activation", "sin", "closed over")]


def test_what_is_shown_is_short_and_no_secret():
    def ask(value, api_key, note, token):
        return value

    program = jaxviz.inspect(ask)(xs, SECRET, "a note " * 9, token="abc")
    assert [fixed.text for fixed in program.fixed] == [
        "str of 31 characters",
        "str of 63 characters",
        "str of 3 characters",
    ]
    assert SECRET not in str(msgspec.json.encode(program.record))


def test_the_body_runs_once_and_nothing_of_the_call_is_kept():
    runs = []

    def body(value, note):
        runs.append(type(note).__name__)
        return value * 2

    note = Config()
    alive = weakref.ref(note)
    program = jaxviz.inspect(body)(xs, note)
    assert runs == ["Config"]
    del note
    gc.collect()
    assert alive() is None
    assert program.stage("hlo").error is None
    assert runs == ["Config"]


def test_headings_say_what_is_fixed():
    program = jaxviz.inspect(lax.fori_loop)(0, 100, body, xs)
    said = "constant: lower=0, upper=100, body_fun=body"
    assert said in str(program)
    assert said in picture(program.record)
    bundle = program._repr_mimebundle_()
    assert said in bundle["text/html"]
    jitted = jax.jit(apply, static_argnames="mode")
    assert "static: mode='train'" in str(jaxviz.inspect(jitted)({"w": xs}, xs, "train"))


def test_a_comparison_says_what_is_fixed_in_either():
    params = {"w": xs}
    train = jaxviz.inspect(apply)(params, xs, "train", jnp.sin)
    other = jaxviz.inspect(apply)(params, xs, "eval", jnp.sin)
    both = jaxviz.compare(train, other).record
    assert [(one.path, one.text) for one in both.fixed] == [
        ("mode", "'train' → 'eval'"),
        ("activation", "sin"),
    ]


def test_a_pytree_of_the_user_s_is_passed_as_it_is():
    @partial(jax.tree_util.register_dataclass, data_fields=["w", "act"], meta_fields=["size"])
    @dataclasses.dataclass
    class Layer:
        w: jax.Array
        act: Callable
        size: int

    def forward(layer, value):
        assert isinstance(layer, Layer)
        assert layer.size == 4
        return layer.act(layer.w * value)

    program = jaxviz.inspect(forward)(Layer(xs, jnp.tanh, 4), xs)
    assert [leaf.path for leaf in program.args] == ["layer.w", "value"]
    assert [(fixed.path, fixed.text) for fixed in program.fixed] == [("layer.act", "tanh")]


class Model:
    def __init__(self):
        self.runs = 0

    @partial(jax.jit, static_argnums=0)
    def forward(self, value):
        self.runs += 1
        return value * 2

    @partial(jax.jit, static_argnames=("self", "mode"))
    def predict(self, value, mode="train"):
        return value * 2 if mode == "train" else value


def test_a_jitted_method_is_traced_through_its_own_cache():
    model = Model()
    program = jaxviz.inspect(model.forward)(xs)
    told = [(fixed.path, fixed.text, fixed.kind) for fixed in program.fixed]
    assert program.name == "forward"
    assert [leaf.path for leaf in program.args] == ["value"]
    assert told == [("self", "Model", "static")]
    model.forward(xs)
    assert model.runs == 1
    said = jaxviz.inspect(model.predict)(xs, mode="eval").fixed
    assert [(fixed.path, fixed.text) for fixed in said] == [("self", "Model"), ("mode", "'eval'")]


def test_numpy_s_own_is_refused_with_what_jax_has():
    with pytest.raises(jaxviz.CaptureError, match=r"write jnp\.sin\.$"):
        jaxviz.inspect(np.sin)(xs)
    with pytest.raises(jaxviz.CaptureError, match=r"jnp\.asarray\(…\)\.sum\(…\)\.$"):
        jaxviz.inspect(np.ones(3).sum)(axis=0)
    with pytest.raises(jaxviz.CaptureError, match=r"write jnp\.mean\.$"):
        jaxviz.inspect(np.mean)(xs)
