"""The golden programs with all three stages, which the tests of the page read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from records import loose_ends

import jaxviz

HERE = Path(__file__).parents[1]
FOLDER = HERE / "golden" / "stages"
NAMES = ("mlp", "scan_products", "attention_step", "sharded")


@pytest.fixture(scope="session", autouse=True)
def written(request: pytest.FixtureRequest) -> None:
    """Eight devices must be asked for before JAX starts: in a process of its own."""
    if request.config.getoption("--update-golden"):
        subprocess.run([sys.executable, HERE / "staged.py", FOLDER], cwd=HERE.parent, check=True)


@pytest.mark.parametrize("name", NAMES)
def test_all_stages_are_whole(name: str) -> None:
    program = jaxviz.load(FOLDER / f"{name}.json")
    assert [stage.kind for stage in program.record.stages] == ["jaxpr", "stablehlo", "hlo"]
    for stage in program.record.stages:
        assert stage.error is None
        assert stage.text != ""
        assert loose_ends(stage) == []


@pytest.mark.parametrize("name", NAMES)
def test_most_is_known_to_be_made_for_an_eqn_of_the_jaxpr(name: str) -> None:
    jaxpr, *later = jaxviz.load(FOLDER / f"{name}.json").record.stages
    count = sum(len(graph.eqns) for graph in jaxpr.graphs)
    for stage in later:
        origins = [eqn.origin for graph in stage.graphs for eqn in graph.eqns]
        assert all(0 <= one < count for origin in origins for one in origin)
        assert sum(map(bool, origins)) > 0.5 * len(origins)
