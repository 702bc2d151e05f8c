"""Groups of StableHLO and HLO are those of the jaxpr eqns that their eqns were made for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.analysis.groups import with_groups

FOLDER = Path(__file__).parents[1] / "golden" / "stages"


def stages(name: str) -> tuple[schema.Stage, schema.Stage, schema.Stage]:
    jaxpr, stablehlo, hlo = jaxviz.load(FOLDER / f"{name}.json").record.stages
    return jaxpr, stablehlo, hlo


def shown(stage: schema.Stage) -> Iterator[str]:
    """The groups of the program, indented, with their twins."""
    groups = stage.graphs[0].groups
    for group in groups:
        depth, outer = 0, group.parent
        while outer is not None:
            depth, outer = depth + 1, groups[outer].parent
        twin = "" if group.twin is None else f" of {groups[group.twin].name}"
        yield f"{'  ' * depth}{group.name}{twin} {group.start}-{group.stop}"


def test_stablehlo_has_the_groups_of_the_jaxpr() -> None:
    jaxpr, stablehlo, _ = stages("attention_step")
    mine = with_groups(stablehlo, jaxpr).graphs[0].groups
    theirs = {(group.name, group.role) for group in jaxpr.graphs[0].groups}
    assert {(group.name, group.role) for group in mine if group.kind != "section"} <= theirs
    assert [group.name for group in mine if group.parent is None] == [
        "forward",
        "backward",
        "optimizer",
    ]


def test_hlo_has_the_parts_of_a_training_step_each_in_one_piece() -> None:
    jaxpr, _, hlo = stages("attention_step")
    names = [line.split(" ")[0] for line in shown(with_groups(hlo, jaxpr)) if line[0] != " "]
    assert names == ["forward", "backward", "optimizer"]


def test_a_backward_group_of_hlo_is_the_derivative_of_its_forward_group() -> None:
    jaxpr, _, hlo = stages("attention_step")
    groups = with_groups(hlo, jaxpr).graphs[0].groups
    twins = {g.name: groups[g.twin].name for g in groups if g.twin is not None}
    assert twins["backward"] == "forward"
    assert twins["attention ⟵"] == "attention"


@pytest.mark.parametrize("name", ["mlp", "scan_products", "attention_step", "sharded"])
def test_the_order_of_hlo_makes_each_value_before_it_is_used(name: str) -> None:
    jaxpr, _, hlo = stages(name)
    for before, after in zip(hlo.graphs, with_groups(hlo, jaxpr).graphs, strict=True):
        known = {*after.invars, *after.constvars}
        for eqn in after.eqns:
            assert known.issuperset(eqn.invars)
            known.update(eqn.outvars)
        assert sorted(e.outvars for e in before.eqns) == sorted(e.outvars for e in after.eqns)


def test_without_a_jaxpr_groups_are_found_again() -> None:
    _, stablehlo, _ = stages("attention_step")
    bare = replace(stablehlo, graphs=[replace(graph, groups=[]) for graph in stablehlo.graphs])
    assert with_groups(bare).graphs[0].groups
