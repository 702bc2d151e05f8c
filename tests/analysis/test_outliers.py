"""Casts that one layer makes and its siblings do not."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

import jaxviz
from jaxviz.stages import StageKind

W = jax.ShapeDtypeStruct((8, 8), jnp.bfloat16)


def layer(w: Any, x: Any, wide: bool) -> Any:
    h = jnp.tanh(x @ w)
    if wide:
        h = h.astype(jnp.float32)
    return x + jnp.sin(h).astype(x.dtype)


def model(wide: set[int], layers: int = 5, each: Any = layer) -> Any:
    def loss(ws: Any, x: Any) -> Any:
        for at, w in enumerate(ws):
            with jax.named_scope(f"layers[{at}]"):
                x = each(w, x, at in wide)
        return jnp.mean(x.astype(jnp.float32))

    return jaxviz.inspect(jax.grad(loss))([W] * layers, W)


def strays(program: jaxviz.Program, kind: StageKind = "jaxpr") -> list[tuple[str, str, int, bool]]:
    stage = program.stage(kind)
    eqns = [(graph, eqn) for graph in stage.graphs for eqn in graph.eqns]
    found = [(*eqns[one.eqn], one) for one in stage.strays]
    for graph, eqn, _ in found:
        assert stage.avals[graph.vars[eqn.outvars[0]].aval].dtype == "float32"
    return [(eqn.op, one.layer, one.siblings, one.shared) for _, eqn, one in found]


def test_the_one_wide_layer_of_five_has_a_stray_on_each_way() -> None:
    # h is made wide in the forward pass, and its cotangent in the backward pass.
    forward, backward = strays(model({3}))
    assert forward == ("convert_element_type", "layers[3]", 4, False)
    assert backward[:2] == ("convert_element_type", "layers[3] ⟵")


def test_outliers_are_reported_of_stablehlo_by_what_they_were_made_for() -> None:
    ops = strays(model({3}), "stablehlo")
    assert [one[:2] for one in ops] == [
        ("stablehlo.convert", "layers[3]"),
        ("stablehlo.convert", "layers[3] ⟵"),
    ]


def test_a_cast_within_the_bodies_of_a_layer_is_found_too() -> None:
    @jax.jit
    def narrow(w: Any, x: Any) -> Any:
        return x + jnp.tanh(x @ w)

    @jax.jit
    def wider(w: Any, x: Any) -> Any:
        return x + jnp.tanh((x @ w).astype(jnp.float32)).astype(x.dtype)

    def each(w: Any, x: Any, wide: bool) -> Any:
        return jnp.sin((wider if wide else narrow)(w, jnp.cos(x))) * jnp.exp(x)

    found = strays(model({1}, each=each))
    assert {one[1] for one in found} == {"layers[1]", "layers[1] ⟵"}


def test_no_layer_is_a_stray_where_few_or_half_repeat_one_another() -> None:
    assert strays(model(set())) == []
    assert strays(model({2}, layers=3)) == []  # two that are alike are no rule
    assert strays(model({0, 2, 4})) == []  # these three are the rule


def test_what_lies_between_two_siblings_is_no_layer_by_that_alone() -> None:
    def each(w: Any, x: Any, wide: bool) -> Any:
        with jax.named_scope("n1"):
            x = jnp.sin(x) * x + jnp.cos(x)
        s = jnp.exp(x @ w).astype(jnp.float32 if wide else x.dtype)
        x = (s / jnp.sum(s)).astype(x.dtype)
        with jax.named_scope("n2"):
            return jnp.sin(x) * x + jnp.cos(x)

    assert strays(model(set(), each=each)) == []
    assert {one[1] for one in strays(model({3}, each=each))} <= {"layers[3]", "layers[3] ⟵"}
