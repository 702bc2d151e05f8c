"""Equal layers become runs, and the layer that differs from them is marked with a word."""

from __future__ import annotations

import re

import pytest
from truth.layer_runs import CASES, expected

import jaxviz
from jaxviz.schema import Graph, Group

PASSES = ("forward", "backward", "optimizer")


def stem(group: Group) -> str:
    return re.sub(r"\d+(…\d+)?|…", "#", group.name)


def shown(graph: Graph) -> str:
    """The runs, the odd layers and their siblings, as `truth/layer_runs.py` writes them."""
    groups = graph.groups
    marked = [one for one in groups if one.kind == "repeat" or one.unlike]
    families = {(stem(one), one.role) for one in marked}
    lines: list[str] = []
    for at, one in enumerate(groups):
        around = None if one.parent is None else groups[one.parent]
        if one.name in PASSES:
            lines.append(one.name)
        elif (stem(one), one.role) in families and not (around and around.kind == "repeat"):
            count = sum(inner.parent == at for inner in groups)
            times = f" ×{count}" if one.kind == "repeat" else ""
            unlike = f" ≠ {one.unlike}" if one.unlike else ""
            name = re.sub(rf" 1…{count}(?= |$)", "", one.name)
            lines.append(f"{'  ' * bool(one.role)}{name}{times}{unlike}")
    return "\n".join(lines) if families else ""


@pytest.mark.parametrize("name", CASES)
def test_runs_and_odd_layers_are_those_that_their_author_expects(name: str) -> None:
    fun, args = CASES[name]
    assert shown(jaxviz.inspect(fun)(*args).stage("jaxpr").graphs[0]) == expected(fun)
