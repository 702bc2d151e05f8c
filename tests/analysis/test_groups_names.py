"""A group's name: a layer, the reader's function, a library's call, an array it mostly works on, or
its lines, whichever comes first; and never a word that nobody wrote."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from truth.libraries.agreement import inspected

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


def test_statements_on_one_line_are_distinguished() -> None:
    def both(x: Any) -> Any:
        # fmt: off
        up = jnp.tanh(x) * 2 + jnp.cos(x) / 3 + x * 3 - x / 7; down = jnp.exp(x) * 2 + jnp.log(x) / 3 - x / 5 + x * 4  # noqa: E501, E702
        # fmt: on
        return up * down + up - down

    assert names(both, jnp.ones(3)) == ["up", "down"]


def test_calls_on_one_line_are_distinguished() -> None:
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


def called(fun: Any, *args: Any) -> list[list[str]]:
    """Names of the functions that the eqns of each graph call."""
    stage = jaxviz.inspect(fun)(*args).stage("jaxpr")
    return [[eqn.name for eqn in graph.eqns if eqn.name] for graph in stage.graphs]


KEY, ROW = jax.random.key(0), jnp.ones(3)


def draw_noise(key: Any) -> Any:
    return jax.random.normal(key, (3,)) * 2


def choose_token(key: Any, logits: Any) -> Any:
    token = jax.random.categorical(key, logits / 0.8)
    return token + 1


def choose_larger(x: Any) -> Any:
    return jnp.where(x > 0, x, 0.5 * x)


def choose_on_several_lines(x: Any) -> Any:
    return jnp.where(
        x > 0,
        x,
        0.5 * x,
    )


def pick(x: Any) -> Any:
    return jnp.take(x, jnp.array([0, 2])) + x.take(1)


def spread(x: Any) -> Any:
    return x.var() + jnp.std(x)


def drop(key: Any, x: Any) -> Any:
    kept = jax.random.bernoulli(key, 0.9, x.shape)
    return kept * x


PUBLIC = [
    (draw_noise, (KEY,), ["normal"]),
    (choose_token, (KEY, ROW), ["categorical"]),
    (choose_larger, (ROW,), ["where"]),
    (choose_on_several_lines, (ROW,), ["where"]),
    (pick, (ROW,), ["take", "take"]),
    (spread, (ROW,), ["var", "std"]),
    (drop, (KEY, ROW), ["bernoulli"]),
]


@pytest.mark.parametrize(("fun", "args", "expected"), PUBLIC)
def test_a_private_function_of_jax_has_the_name_that_the_reader_called(
    fun: Any, args: Any, expected: list[str]
) -> None:
    first, *bodies = called(fun, *args)
    assert first == expected
    assert not [name for names in bodies for name in names if name.startswith("_")]


def test_a_private_function_of_the_reader_keeps_its_name() -> None:
    @jax.jit
    def _where(x: Any) -> Any:
        return jnp.where(x > 0, x, 0.5 * x)

    assert called(lambda x: _where(x) * 2, ROW) == [["_where"], ["where"], []]


def test_programs_are_the_same_whatever_a_library_function_is_called_by() -> None:
    normal = jax.random.normal
    found = jaxviz.compare(
        jaxviz.inspect(lambda key: normal(key, (3,)))(KEY),
        jaxviz.inspect(lambda key: jax.random.normal(key, (3,)))(KEY),
    )
    assert found.same


def test_the_derivative_of_a_product_is_a_layer_as_the_product_is() -> None:
    def predict(params: Any, x: Any) -> Any:
        x = x @ params["embed"]
        for layer in params["layers"]:
            x = jnp.tanh(x @ layer["w"] + layer["b"])
        return x.mean(axis=0) @ params["readout"]

    def loss(params: Any, x: Any) -> Any:
        return -jnp.mean(jax.nn.log_softmax(predict(params, x))[0] * 2)

    layers = [{"w": jnp.eye(4), "b": jnp.ones(4)} for _ in range(3)]
    params = {"embed": jnp.ones((2, 4)), "layers": layers, "readout": jnp.ones((4, 3))}
    found = names(jax.grad(loss), params, jnp.ones((5, 2)))
    backward = found[found.index("backward") :]
    assert "embed ⟵" in backward
    assert "readout ⟵" in backward
    assert backward.index("readout ⟵") < backward.index("layers[2] ⟵")
    assert backward.index("layers[0] ⟵") < backward.index("embed ⟵")


@pytest.mark.parametrize("name", ["linen_gan", "equinox_vae", "linen_cached_decode", "nnx_unet"])
def test_no_call_has_a_private_name(name: str) -> None:
    graphs = inspected(name).stage("jaxpr").graphs
    assert not [e.name for graph in graphs for e in graph.eqns if e.name.startswith("_")]
