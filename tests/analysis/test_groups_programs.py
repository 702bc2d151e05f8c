"""Outlines of training steps over plain pytrees, read as text."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import models
import pytest
import transformers
from chains import rows
from golden_jax import GOLDEN_JAX, Golden

import jaxviz
from jaxviz import schema

GOLDEN = Path(__file__).parents[1] / "golden" / "outline"
PROGRAMS = {
    **{name: getattr(transformers, name) for name in ("gpt_step", "scan_step")},
    **{name: getattr(models, name) for name in ("scopes_step", "plain_step", "remat_step")},
    **{name: getattr(models, name) for name in ("accumulate_step", "lora_step", "rnn_step")},
    **{name: getattr(models, name) for name in ("unet_step", "ppo_step")},
}


def telling(stage: schema.Stage, graph: int = 0) -> list[str]:
    """The groups as text with the role where it begins, the twin's eqns, and who is alike."""
    groups = stage.graphs[graph].groups
    found: list[str] = []
    for row, group in zip(rows(stage, graph), groups, strict=True):
        outer = "" if group.parent is None else groups[group.parent].role
        role = "" if group.role == outer else f", {group.role}"
        twin = None if group.twin is None else groups[group.twin]
        of = "" if twin is None else f", of [{twin.start}:{twin.stop}]"
        alike = "" if group.alike < 0 else f", alike {group.alike}"
        found.append(f"{row}{role}{of}{alike}")
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_programs_read_well(name: str, golden: Golden) -> None:
    fun, args = PROGRAMS[name]()
    read_well(name, jaxviz.inspect(fun)(*args).stage("jaxpr"), golden)


def read_well(name: str, stage: schema.Stage, golden: Golden) -> None:
    """The outline is that of the file, or on other versions of JAX its outermost groups."""
    text = "\n".join(telling(stage)) + "\n"
    expected = golden(GOLDEN / f"{name}.txt", text)
    if jax.__version__ == GOLDEN_JAX:
        assert text == expected
    else:
        assert outermost(text) == outermost(expected)


def outermost(text: str) -> list[str]:
    """Names of the outermost groups, on which the versions of JAX and optax agree."""
    lines = [line for line in text.splitlines() if not line.startswith(" ")]
    return [re.sub(r"\[\d+:\d+\]|, alike \d+", "", line) for line in lines]


def test_each_layer_s_derivative_and_update_is_its_twin() -> None:
    fun, args = models.plain_step()
    groups = jaxviz.inspect(fun)(*args).stage("jaxpr").graphs[0].groups
    twins = {
        (group.name, group.role): groups[group.twin].name
        for group in groups
        if group.twin is not None and "layers" in group.name
    }
    assert twins == {
        (f"layers[{n}]{mark}", role): f"layers[{n}]"
        for n in range(3)
        for mark, role in ((" ⟵", "backward"), ("", "optimizer"))
    }
