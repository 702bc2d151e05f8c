"""The lanes and groups of 50 small gradients: as their authors would draw them, and as they are
drawn, with the number of eqns in each group (`golden/gradients.txt`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
import transformed_gradients  # noqa: F401
from golden_jax import GOLDEN_JAX
from gradients import GRADIENTS

import jaxviz
from jaxviz import schema

GOLDEN = Path(__file__).parents[1] / "golden" / "gradients.txt"
LANES = ("forward", "backward", "optimizer")
LOOPS = {"scan", "while", "cond", "custom_vjp_call", "custom_jvp_call", "remat"}
NAMES = {
    "remat2": "remat",
    "checkpoint": "remat",
    "pjit": "jit",
    "custom_vjp_call_jaxpr": "custom_vjp_call",
}


def drawn(stage: schema.Stage, counts: bool = False, number: int = 0) -> str:
    """The groups of a graph, and its eqns with bodies."""
    graph = stage.graphs[number]
    return joined(members(stage, number, None, 0, len(graph.eqns), counts))


def joined(parts: Iterator[str]) -> str:
    found = list(parts)
    has_lanes = bool(found) and found[-1].startswith(LANES)
    return (" · " if has_lanes else ", ").join(found)


def members(
    stage: schema.Stage, number: int, parent: int | None, start: int, stop: int, counts: bool
) -> Iterator[str]:
    graph = stage.graphs[number]
    at = start
    for index, group in enumerate(graph.groups):
        if group.parent == parent:
            yield from calls(stage, graph.eqns[at : group.start], counts)
            inside = members(stage, number, index, group.start, group.stop, counts)
            count = f" {group.stop - group.start}" if counts else ""
            yield f"{group.name}{count}{bracketed(joined(inside))}"
            at = group.stop
    yield from calls(stage, graph.eqns[at:stop], counts)


def calls(stage: schema.Stage, eqns: list[schema.Eqn], counts: bool) -> Iterator[str]:
    for eqn in eqns:
        op = NAMES.get(eqn.op, eqn.op)
        inside = ", ".join(filter(None, (drawn(stage, counts, body.graph) for body in eqn.bodies)))
        users = eqn.name in ("loss", "summed", "doubled")
        if inside or op in LOOPS or (op == "jit" and users):
            yield (
                f"{op} {eqn.name}{bracketed(inside)}" if op == "jit" else f"{op}{bracketed(inside)}"
            )


def bracketed(text: str) -> str:
    return f" ({text})" if text else ""


@pytest.mark.parametrize("name", GRADIENTS)
def test_a_gradient_has_the_lanes_and_groups_of_its_author(name: str) -> None:
    fun, args, truth = GRADIENTS[name]
    assert drawn(jaxviz.inspect(fun)(*args).stage("jaxpr")) == truth


@pytest.mark.skipif(jax.__version__ != GOLDEN_JAX, reason="the eqns of another JAX are others")
def test_gradients_are_drawn_as_the_golden_file_says(update_golden: bool) -> None:
    lines = [
        f"{name}: {drawn(jaxviz.inspect(fun)(*args).stage('jaxpr'), counts=True)}"
        for name, (fun, args, _) in GRADIENTS.items()
    ]
    if update_golden:
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == GOLDEN.read_text(encoding="utf-8").splitlines()
