"""A group's name: a layer, the reader's function, a library's call, an array it mostly works on, or
its lines, whichever comes first; and never a word that nobody wrote."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from library_programs.agreement import inspected

import jaxviz


def names(fun: Any, *args: Any) -> list[str]:
    stage = jaxviz.inspect(fun)(*args).stage("jaxpr")
    return [group.name for group in stage.graphs[0].groups]


class Model(NamedTuple):
    A: Any
    C: Any


def test_a_function_that_uses_one_field_keeps_its_name() -> None:
    def predict(model: Model, mean: Any) -> Any:
        return jnp.tanh(model.A @ mean) * 2 + mean

    def correct(model: Model, mean: Any, y: Any) -> Any:
        seen = model.C @ mean
        return mean + jnp.tanh(y - seen) @ model.C

    def step(model: Model, mean: Any, y: Any) -> Any:
        return correct(model, predict(model, mean), y)

    model = Model(jnp.eye(3), jnp.eye(3))
    assert names(step, model, jnp.ones(3), jnp.ones(3)) == ["predict", "correct"]


def test_a_scan_over_the_readers_function_has_the_scans_name() -> None:
    def combine(one: Any, two: Any) -> Any:
        return one[0] * two[0], two[0] * one[1] + two[1]

    def recur(p: Any, x: Any) -> Any:
        decay = jnp.exp(-jnp.exp(p["A"])) * jnp.ones_like(x)
        _, states = jax.lax.associative_scan(combine, (decay, x * p["D"]))
        return states @ p["out"]

    found = names(recur, {"A": jnp.ones(4), "D": jnp.ones(4), "out": jnp.eye(4)}, jnp.ones((9, 4)))
    assert found[0] == "associative_scan"
    assert {"A", "D"}.isdisjoint(found)


def test_attention_over_one_array_is_not_named_by_it() -> None:
    def attention(params: Any, x: Any) -> Any:
        query, key, value = jnp.split(x @ params["qkv"], 3, axis=-1)
        return jax.nn.softmax(query @ key.T / 2.0) @ value

    def block(params: Any, x: Any) -> Any:
        return x + attention(params, x), jnp.tanh(x @ params["up"]) * 2 - x

    params = {"qkv": jnp.ones((4, 12)), "up": jnp.eye(4)}
    assert names(block, params, jnp.ones((3, 4)))[0] == "attention"


def test_a_line_that_is_mostly_one_call_is_named_by_it() -> None:
    """A line that gives its result a name is called by that: `weights`."""

    def mixed(x: Any, y: Any) -> Any:
        rest = jnp.sin(x) * 2 + jnp.cos(y) / 3 - jnp.exp(x) * y + x * y - x / 5
        weights = jax.nn.softmax(jnp.concatenate([x, y]))
        return rest * weights[:3], jax.nn.softmax(jnp.concatenate([y, x, y]))

    assert names(mixed, jnp.ones(3), jnp.ones(3)) == ["rest", "weights", "softmax"]


def test_statements_on_one_line_are_told_apart() -> None:
    def both(x: Any) -> Any:
        # fmt: off
        up = jnp.tanh(x) * 2 + jnp.cos(x) / 3 + x * 3 - x / 7; down = jnp.exp(x) * 2 + jnp.log(x) / 3 - x / 5 + x * 4  # noqa: E501, E702
        # fmt: on
        return up * down + up - down

    assert names(both, jnp.ones(3)) == ["up", "down"]


def test_calls_on_one_line_are_told_apart() -> None:
    def waves(x: Any) -> Any:
        return jnp.sin(x) * 2 + jnp.cos(x) / 3

    def steps(x: Any) -> Any:
        return jnp.floor(x) * 2 + jnp.ceil(x) / 3

    def both(x: Any, w: Any) -> Any:
        a = waves(x); b = steps(x); return (a + b) @ w  # fmt: skip  # noqa: E702

    assert names(both, jnp.ones((3, 4)), jnp.ones((4, 2))) == ["waves", "steps"]


def test_a_decoder_of_scanned_and_recomputed_layers_is_one_module() -> None:
    stage = inspected("linen_maxtext").stage("jaxpr")
    groups = stage.graphs[0].groups
    modules = [group for group in groups if group.name == "Transformer"]
    assert len(modules) == 1
    inside = [g for g in groups if g.parent is not None and groups[g.parent] is modules[0]]
    assert [g.name for g in inside] == ["token_embedder", "layers", "decoder_norm", "logits_dense"]
    layers = inside[1]
    (scan,) = (e for e in stage.graphs[0].eqns[layers.start : layers.stop] if e.op == "scan")
    assert scan.trips == 4
    backward = next(group for group in groups if group.name == "layers ⟵")
    assert groups[backward.twin or 0] is layers


def test_inputs_do_not_bear_the_names_of_equinox_wrappers() -> None:
    @eqx.filter_jit
    def loss(model: Any, x: Any) -> Any:
        return jnp.mean(jax.vmap(model)(x) ** 2)

    model = eqx.nn.Linear(3, 2, key=jax.random.key(0))
    stage = jaxviz.inspect(loss)(model, jnp.ones((4, 3))).stage("jaxpr")
    assert not [name for graph in stage.graphs for name in graph.args if "nodonate" in name]
