"""One model has one outline, whichever library it is written in: the same roles, layers and
counts, with names as that library spells them."""

from __future__ import annotations

import re

import jax
import pytest
from same_models import STYLES
from svg import check, texts
from truth.libraries.outlines import Part, outline

import jaxviz
from jaxviz.analysis.groups.facts.name_stacks import OPTIMIZER
from jaxviz.picture.draw import picture

LAYERS = {"mlp": ["hidden", "out"], "transformer": ["embed", "blocks[0…2] ×3", "norm", "head"]}
"""The parts of each model."""
SEEN = {"mlp": ["hidden", "out"], "transformer": ["embed", "blocks.0", "norm", "head"]}
"""The parts that the first view shows: the beginnings of their texts."""
CASES = [(model, style) for model, styles in STYLES.items() for style in styles]


def layers(role: Part) -> list[str]:
    """The layers that a role holds, or that its model holds, but for the loss: with numbers of
    lists as plain JAX has them."""
    parts = [part for part in role.parts if not part.is_loss]
    held = parts[0].parts if len(parts) == 1 and parts[0].parts else parts
    said = [f"{part.plain} ×{part.times}" if part.times else part.plain for part in held]
    return [re.sub(r"_(\d+…\d+)", r"[\1]", name) for name in said]


@pytest.mark.parametrize(("model", "style"), CASES)
def test_a_model_has_the_same_outline_in_each_style(model: str, style: str) -> None:
    jax.clear_caches()
    fun, args = STYLES[model][style]()
    parts = outline(jaxviz.inspect(fun)(*args).stage("jaxpr"))
    step = parts[0].parts if len(parts) == 1 else parts
    assert [part.role for part in step] == ["forward", "loss", "backward", "optimizer"]
    forward, _, backward, optimizer = step
    assert layers(forward) == LAYERS[model]
    assert [name for name in layers(backward) if "cross_entropy" not in name] == LAYERS[model][::-1]
    assert [part.plain for part in optimizer.parts] == ["scale_by_adam", "scale", "apply_updates"]


@pytest.mark.parametrize(("model", "style"), CASES)
def test_its_passes_and_layers_are_seen_first(model: str, style: str) -> None:
    jax.clear_caches()
    fun, args = STYLES[model][style]()
    shown = texts(check(picture(jaxviz.inspect(fun)(*args).record)))
    for name in ["forward", "backward", "optimizer", *SEEN[model]]:
        assert [text for text in shown if re.match(rf"{name}(?!\w)", text.strip())], (name, shown)


def test_the_count_of_an_nnx_optimizer_is_its_own() -> None:
    """`nnx.Optimizer` counts its steps after the updates: no update reads it."""
    jax.clear_caches()
    fun, args = STYLES["mlp"]["Flax NNX"]()
    stage = jaxviz.inspect(fun)(*args).stage("jaxpr")
    graph, found = next(
        (graph, group)
        for graph in stage.graphs
        for group in graph.groups
        if group.role == OPTIMIZER
    )
    one = [at for at, var in enumerate(graph.vars) if var.name == "1:u32[]"]
    (count,) = (at for at, eqn in enumerate(graph.eqns) if not {*one}.isdisjoint(eqn.invars))
    assert found.start <= count < found.stop
