"""Passes that are calls: `jax.grad` of a jitted function has the groups of a jitted `jax.grad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz import schema


def loss(params: Any, x: Any) -> Any:
    with jax.named_scope("hidden"):
        hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"]
    return -jnp.mean(jax.nn.log_softmax(logits)[..., 0])


def params() -> Any:
    return {"w1": jnp.ones((4, 8)), "b1": jnp.ones(8), "w2": jnp.ones((8, 2))}


def lanes(stage: schema.Stage) -> list[tuple[str, str]]:
    """The groups of the program with their roles, in a reader's order: those of a called function
    stand where it is called."""
    found: list[tuple[str, str]] = []

    def add(graph: schema.Graph) -> None:
        starts = {group.start: group for group in graph.groups if group.parent is None}
        for at, eqn in enumerate(graph.eqns):
            found.extend((g.name, g.role) for g in graph.groups if g.start == at)
            if at in starts or not starts:
                for body in eqn.bodies:
                    add(stage.graphs[body.graph])

    add(stage.graphs[0])
    return found


@pytest.mark.parametrize(
    "around",
    [
        jax.grad,
        jax.value_and_grad,
        lambda fun: jax.vmap(jax.grad(fun), in_axes=(None, 0)),
        pytest.param(
            lambda fun: jax.grad(jax.checkpoint(fun)),
            marks=pytest.mark.skipif(
                jax.__version_info__ < (0, 7),
                reason="JAX 0.6 writes both passes of a checkpoint in another way",
            ),
        ),
        lambda fun: jax.grad(jax.jit(fun)),
        lambda fun: lambda p, x: jax.tree.map(lambda g: g * 0.1, jax.grad(fun)(p, x)),
    ],
)
def test_a_jitted_function_has_the_lanes_of_one_that_is_jitted_outside(
    around: Callable[[Any], Any],
) -> None:
    x = jnp.ones((3, 4))
    inside = jaxviz.inspect(around(jax.jit(loss)))(params(), x).stage("jaxpr")
    outside = jaxviz.inspect(jax.jit(around(loss)))(params(), x).stage("jaxpr")
    assert ("forward", "forward") in lanes(outside)
    assert lanes(inside) == lanes(outside)
    forward, backward = (
        next(g for g in inside.graphs[0].groups if g.role == role and g.parent is None)
        for role in ("forward", "backward")
    )
    assert backward.twin is not None
    assert inside.graphs[0].groups[backward.twin] == forward


def test_a_loop_whose_bias_jax_moves_out_of_it_is_one_layer() -> None:
    def rnn(params: Any, x: Any) -> Any:
        def read(state: Any, row: Any) -> Any:
            wide = jnp.broadcast_to(params["cell"]["b"] * 2, (3, 8))
            state = jnp.tanh(row @ params["cell"]["w"] + state * 0.5 + wide)
            return state, state

        states = jax.lax.scan(read, jnp.zeros((3, 8)), x)[1]
        logits = states @ params["tags"]["w"] + params["tags"]["b"]
        return -jnp.mean(jax.nn.log_softmax(logits)[..., 0] * 3 - logits.sum())

    shapes = {"cell": {"w": (4, 8), "b": (8,)}, "tags": {"w": (8, 2), "b": (2,)}}
    made = jax.tree.map(jnp.ones, shapes, is_leaf=lambda one: isinstance(one, tuple))
    x = jnp.ones((5, 3, 4))
    inside = jaxviz.inspect(jax.grad(jax.jit(rnn)))(made, x).stage("jaxpr")
    outside = jaxviz.inspect(jax.jit(jax.grad(rnn)))(made, x).stage("jaxpr")
    found = lanes(inside)
    assert [name for name, role in found if role == "forward"][:3] == ["forward", "cell", "tags"]
    assert [name for name, role in found if role == "backward"][2:4] == ["tags ⟵", "cell ⟵"]
    assert found == lanes(outside)
