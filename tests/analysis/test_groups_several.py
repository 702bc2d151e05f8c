"""Programs with several parts of a kind: layers with a different first one, optimizers, variables
with labels in a tuple."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax

import jaxviz
from jaxviz import schema
from jaxviz.analysis.groups.facts.parameters import keys


def rows_of(stage: schema.Stage) -> list[str]:
    return [g.name for graph in stage.graphs for g in graph.groups if g.kind == "repeat"]


def test_jitted_layers_fold_with_the_first_on_both_sides() -> None:
    """The first layer's input is not differentiated: it keeps less, and its derivative is shorter.
    Gradients are known through the function that applies them."""

    @jax.jit
    def layer(p: Any, x: Any) -> Any:
        return x + jnp.tanh(x @ p["w"] + p["b"]) * jax.nn.sigmoid(x)

    def loss(params: Any, x: Any) -> Any:
        for p in params["layers"]:
            x = layer(p, x)
        return jnp.mean((x @ params["out"]) ** 2)

    @jax.jit
    def sgd(params: Any, grads: Any) -> Any:
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    def step(params: Any, x: Any) -> Any:
        return sgd(params, jax.grad(loss)(params, x))

    layers = [{"w": jnp.ones((4, 4)), "b": jnp.ones(4)} for _ in range(9)]
    params = {"layers": layers, "out": jnp.ones((4, 2))}
    stage = jaxviz.inspect(step)(params, jnp.ones((3, 4))).stage("jaxpr")
    assert rows_of(stage) == ["layers[0…8]", "layers[0…8] ⟵", "layers[0…8]"]
    outs = [(g.name, g.role) for graph in stage.graphs for g in graph.groups if "out" in g.name]
    assert outs[:2] == [("out", "forward"), ("out ⟵", "backward")]


def test_several_optimizers_bear_the_keys_of_their_results() -> None:
    made = {"slow": optax.sgd(1e-4), "fast": optax.adam(1e-2)}

    def compare(params: Any, states: Any, x: Any) -> Any:
        grads = jax.grad(lambda p: jnp.mean(jnp.tanh(x @ p["w"] + p["b"]) ** 2))(params)
        found = {}
        for name, optimizer in made.items():
            updates, state = optimizer.update(grads, states[name])
            found[name] = optax.apply_updates(params, updates), state
        return found

    params = {"w": jnp.ones((3, 2)), "b": jnp.ones(2)}
    states = {name: one.init(params) for name, one in made.items()}
    stage = jaxviz.inspect(compare)(params, states, jnp.ones((4, 3))).stage("jaxpr")
    groups = stage.graphs[0].groups
    optimizer = next(at for at, group in enumerate(groups) if group.name == "optimizer")
    assert [group.name for group in groups if group.parent == optimizer] == ["slow", "fast"]


@dataclass
class Variable:
    value: Any
    label: str


jax.tree_util.register_dataclass(Variable, data_fields=["value"], meta_fields=["label"])


def test_a_label_stands_in_place_of_a_position() -> None:
    weights = (Variable(jnp.ones(3), "net/first"), Variable(jnp.ones(3), "net/'second'"))
    program = jaxviz.inspect(lambda weights, plain: (weights, plain[0]))(weights, [jnp.ones(3)])
    assert [leaf.path for leaf in program.record.args] == [
        "weights['net/first'].value",
        """weights["net/'second'"].value""",
        "plain[0]",
    ]
    assert program.record.results[0].path == "result[0]['net/first'].value"


def test_a_key_of_a_layer_and_its_array_is_both() -> None:
    assert keys("params['layers.0.weight']") == ("params", ("layers.0", "weight"))
    assert keys("params['mlp/Affine_0/Linear.weights']")[1][-2:] == ("Linear", "weights")
    assert keys("params['step.size']") == ("params", ("step.size",))
