"""Functions of the user's that a library wraps before it jits them.

They are named, placed and explained as the user wrote them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from watched_events import reason

import jaxviz
from jaxviz.session import Log

eqx: Any = pytest.importorskip("equinox", reason="not for the oldest JAX")
nn: Any = pytest.importorskip("flax.linen")
nnx: Any = pytest.importorskip("flax.nnx")
hk: Any = pytest.importorskip("haiku")
optax: Any = pytest.importorskip("optax")

ones = jnp.ones
FIRST = ("first", "", "", "")


pytestmark = [
    pytest.mark.usefixtures("session"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def told(log: Log, kind: str = "trace") -> list[tuple[str, list[tuple[str, ...]]]]:
    return [
        (event.name.rpartition("<locals>.")[2], reason(event))
        for event in log.events
        if event.kind == kind
    ]


def lines(log: Log) -> dict[str, int]:
    return {one.name: one.definition.line for one in log.functions if one.definition is not None}


def line_of(fun: Callable[..., Any]) -> int:
    return inspect.unwrap(fun).__code__.co_firstlineno


def test_linen_s_methods_are_the_model_s_own_call() -> None:
    ran: list[str] = []

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, scale):
            ran.append("call")
            return nn.Dense(3)(x) * scale

    model = Model()
    with jaxviz.watch() as log:
        params = jax.jit(model.init)(jax.random.key(0), ones((2, 4)), 1.0)
        apply = jax.jit(model.apply)
        apply(params, ones((2, 4)), 1.0)
        apply(params, ones((3, 4)), 1.0)
        apply(params, jax.device_put(ones((3, 4)), jax.devices()[0]), 1.0)
    assert len(ran) == 3
    assert told(log) == [
        ("Model.init", [FIRST]),
        ("Model.apply", [FIRST]),
        ("Model.apply", [("shape", "x", "f32[2,4]", "f32[3,4]")]),
    ]
    assert set(lines(log).values()) == {line_of(Model.__call__)}
    assert told(log, "lower")[-1][1][0][:2] == ("committed", "x")


def test_functions_of_filter_jit_are_distinguished_and_their_arguments_named() -> None:
    ran: list[str] = []

    class Model(eqx.Module):
        weight: jax.Array
        power: int

    @eqx.filter_jit
    def loss(model, x, lr):
        ran.append("loss")
        return (x**model.power * model.weight * lr).sum()

    @eqx.filter_jit
    def score(model, x):
        ran.append("score")
        return (x * model.weight).sum()

    with jaxviz.watch(max_retraces=3) as log:
        loss(Model(ones(3), 2), ones(3), 0.1)
        score(Model(ones(3), 2), ones(3))
        loss(Model(ones(3), 2), ones((2, 3)), 0.1)
        loss(Model(ones(3), 2), ones((2, 3)), 0.2)
        loss(Model(ones(3), 3), ones((2, 3)), 0.2)
        loss(Model(jax.device_put(ones(3), jax.devices()[0]), 3), ones((2, 3)), 0.2)
    assert ran == ["loss", "score", "loss", "loss", "loss"]
    assert told(log) == [
        ("loss", [FIRST]),
        ("score", [FIRST]),
        ("loss", [("shape", "x", "f32[3]", "f32[2,3]")]),
        ("loss", [("static", "lr", "0.1", "0.2")]),
        ("loss", [("static", "model.power", "2", "3")]),
    ]
    assert told(log, "lower")[-1][1][0][:2] == ("committed", "model.weight")
    assert [function.retraces for function in log.functions] == [3, 0]
    assert lines(log) == {
        name: line_of(fun.__wrapped__) for name, fun in zip(lines(log), (loss, score), strict=True)
    }


def test_what_equinox_puts_around_a_function_is_reported() -> None:
    def loss(w, x):
        return (w * x).sum()

    with jaxviz.watch() as log:
        eqx.filter_jit(eqx.filter_value_and_grad(loss))(ones(3), ones(3))
        eqx.filter_jit(eqx.filter_grad(loss))(ones(3), ones(3))
        eqx.filter_jit(eqx.filter_vmap(loss))(ones((2, 3)), ones((2, 3)))
    names = [name for name, _ in told(log)]
    assert names == ["filter_value_and_grad(loss)", "filter_grad(loss)", "filter_vmap(loss)"]
    assert set(lines(log).values()) == {line_of(loss)}


def test_filter_jit_within_another_jit_is_the_user_s() -> None:
    @eqx.filter_jit
    def inner(x, k):
        return x * k

    @jax.jit
    def outer(x):
        return inner(x, 2) + inner(x, 3)

    with jaxviz.watch() as log:
        outer(ones(3))
    assert told(log) == [
        ("inner", [FIRST]),
        ("inner", [("static", "k", "2", "3")]),
        ("outer", [FIRST]),
    ]


class Net(nnx.Module):
    def __init__(self, size, rngs):
        self.layers = getattr(nnx, "List", list)([nnx.Linear(2, size, rngs=rngs)])
        self.scale = 2

    def __call__(self, x):
        return self.layers[0](x) * self.scale


def nnx_model(size):
    model = Net(size, nnx.Rngs(0))
    return model, nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)


def nnx_step(ran: list[str]):
    """A training step that notes each time its code runs."""

    @nnx.jit
    def train(model, optimizer, x):
        ran.append("train")
        grads = nnx.grad(lambda model: model(x).sum())(model)
        optimizer.update(model, grads)

    return train


def test_modules_of_nnx_are_named_by_their_own_paths() -> None:
    ran: list[str] = []
    train = nnx_step(ran)
    model, optimizer = nnx_model(3)
    with jaxviz.watch() as log:
        train(model, optimizer, ones((4, 2)))
        train(model, optimizer, ones((5, 2)))
        model.scale = 3
        train(model, optimizer, ones((5, 2)))
    assert len(ran) == 3
    # Optax jits a function of its own, which some versions of JAX tell too.
    assert [one for one in told(log) if one[0] != "tree_bias_correction"] == [
        ("train", [FIRST]),
        ("train", [("shape", "x", "f32[4,2]", "f32[5,2]")]),
        ("train", [("static", "model.scale", "2", "3")]),
    ]
    assert {line for name, line in lines(log).items() if name.endswith("train")} == {line_of(train)}


def test_another_model_of_nnx_differs_by_its_own_paths() -> None:
    train = nnx_step([])
    with jaxviz.watch() as log:
        train(*nnx_model(3), ones((5, 2)))
        train(*nnx_model(4), ones((5, 2)))
    (_, trace) = [e for e in log.events if e.kind == "trace" and e.name.endswith("train")]
    wheres = [change.where for change in trace.reason]
    assert "model.layers[0].kernel" in wheres
    assert not any("states[" in where for where in wheres)


def test_haiku_s_functions_are_those_that_were_transformed() -> None:
    def first(x):
        return hk.Linear(3)(x)

    def second(x):
        return hk.Linear(3)(x)

    one, other = hk.transform(first), hk.without_apply_rng(hk.transform(second))
    with jaxviz.watch() as log:
        params = jax.jit(one.init)(jax.random.key(0), ones((2, 4)))
        jax.jit(one.apply)(params, None, ones((2, 4)))
        jax.jit(other.apply)(params, ones((2, 4)))
        jax.jit(one.apply)(params, None, ones((3, 4)))
    assert told(log) == [
        ("first.init", [FIRST]),
        ("first.apply", [FIRST]),
        ("second.apply", [FIRST]),
        ("first.apply", [("shape", "x", "f32[2,4]", "f32[3,4]")]),
    ]
    assert lines(log) == {
        "first.init": line_of(first),
        "first.apply": line_of(first),
        "second.apply": line_of(second),
    }


def test_functions_of_a_library_that_the_user_jits_are_placed_by_the_call() -> None:
    adam, sgd = optax.adam(1e-3), optax.sgd(1e-3)
    params = {"w": ones(3)}
    state, other = adam.init(params), sgd.init(params)
    first, second = jax.jit(adam.update), jax.jit(sgd.update)
    with jaxviz.watch() as log:
        first(params, state)
        second(params, other)
        first({"w": ones(3, "bfloat16")}, state)
    assert [one for one in told(log) if one[0] == "update_fn"] == [
        ("update_fn", [FIRST]),
        ("update_fn", [FIRST]),
        ("update_fn", [("dtype", "updates['w']", "f32[3]", "bf16[3]")]),
    ]
    places = [one.definition for one in log.functions if one.name == "update_fn"]
    codes = [place.code for place in places if place is not None]
    assert codes == ["first(params, state)", "second(params, other)"]


@pytest.mark.parametrize("missing", ["equinox._compile_utils", "JitFn"])
def test_a_name_that_is_missing_costs_the_user_s_names_alone(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing in sys.modules:
        monkeypatch.delattr(sys.modules[missing], "hashable_combine")
        jitted: Any = eqx.filter_jit(lambda x: x * 2)
    else:
        jitted = nnx.jit(lambda x: x * 2)
    expected = jnp.full(3, 2.0)
    with jaxviz.watch() as log:
        result = jitted(ones(3))
    assert (result == expected).all()
    assert [event.kind for event in log.events] == ["trace", "lower", "compile"]
