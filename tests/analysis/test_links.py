"""Links between the stages, against links that were found by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from arbitrary import Growing, of
from links_table import Links
from msgspec.structs import replace
from truth.links.checked import Checked, checked, truth_of
from truth.links.dataflow import At
from truth.links.functions import FUNCTIONS
from truth.links.labels import Truth
from truth.links.on_devices import ON_DEVICES
from truth.links.removed import guesses as guesses_of_removed
from truth.links.short_functions import ALONE

import jaxviz
from jaxviz import schema
from jaxviz.analysis.links import guess_origins
from jaxviz.stages import StageKind

KINDS: tuple[StageKind, ...] = ("stablehlo", "hlo")
STAGES = [(name, kind) for name in FUNCTIONS for kind in KINDS]


@pytest.mark.parametrize(("name", "kind"), STAGES)
def test_no_link_is_wrong(name: str, kind: StageKind) -> None:
    assert checked(name, kind).wrong == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALONE)
def test_no_link_of_a_short_program_is_wrong(name: str, kind: StageKind) -> None:
    assert checked(name, kind).wrong == []


@cache
def on_devices() -> dict[str, Checked]:
    """Results of the programs for several devices, which need their own process."""
    script = Path(__file__).parents[1] / "truth" / "links" / "checked.py"
    done = subprocess.run([sys.executable, script], capture_output=True, check=True)
    return {name: Checked(**one) for name, one in json.loads(done.stdout).items()}


@pytest.mark.parametrize("name", ON_DEVICES)
def test_no_link_on_several_devices_is_wrong(name: str) -> None:
    assert on_devices()[name].wrong == []


@pytest.mark.parametrize(("name", "kind"), STAGES)
def test_what_is_on_no_line_became_nothing(name: str, kind: str) -> None:
    truth = truth_of(name, kind)
    links = Links(truth.flow.stage)
    labelled = frozenset(chain.from_iterable(map(truth.of, truth.flow.all())))
    gone = [number for number in range(truth.eqns) if number not in labelled]
    assert [number for number in gone if links.made_into(number)] == []


OF_HLO = (0.94, 0.45) if jax.__version_info__ >= (0, 10) else (0.85, 0.4)
"""An older XLA names less."""


def test_recall(capsys: pytest.CaptureFixture[str]) -> None:
    """The linked share of what comes from an eqn, and the part that JAX and XLA link."""
    of_stablehlo = [checked(name, "stablehlo") for name in [*FUNCTIONS, *ALONE]]
    of_hlo = [checked(name, "hlo") for name in [*FUNCTIONS, *ALONE]]
    of_hlo += on_devices().values()
    assert len(of_hlo) >= 46
    assert len(of_stablehlo) >= 40
    for kind, found, least in (("stablehlo", of_stablehlo, (1.0, 0.88)), ("hlo", of_hlo, OF_HLO)):
        made = sum(one.made_for_eqns for one in found)
        linked, exact = sum(one.linked for one in found), sum(one.exact for one in found)
        wrong = sum(len(one.wrong) for one in found)
        with capsys.disabled():
            print(f" {kind}: {linked} of {made}, {exact} exactly, {wrong} wrong", end="")
        assert linked >= least[0] * made
        assert exact >= least[1] * made


def test_a_guess_is_right_where_the_truth_is_known() -> None:
    """A random fifth of XLA's origins is guessed. The labels have the truth."""
    right = wrong = 0
    for name in [*FUNCTIONS, *ALONE]:
        truth = truth_of(name, "hlo")
        places = truth.flow.all()
        for guess in guesses_of_removed(truth.flow.stage, truth.jaxpr, f"{name} 0"):
            if guess.origin and truth.of(places[guess.number]):
                is_right = guess.origin[-1] in truth.of(places[guess.number])
                right, wrong = right + is_right, wrong + (not is_right)
    assert right >= 0.95 * (right + wrong)


def owns(name: str) -> dict[str, set[str]]:
    """Reasons why XLA inserted instructions, by op."""
    found: dict[str, set[str]] = {}
    for _, eqn in numbered(truth_of(name, "hlo").flow.stage):
        found.setdefault(eqn.op, set()).add(str(eqn.own))
    return found


def test_it_is_reported_why_xla_inserted_a_cast_or_a_copy() -> None:
    cast = "a cast, because XLA computes {} of bfloat16 in float32 here"
    found = owns("half_layer")
    assert found["convert"] == {cast.format(op) for op in ("dot_general", "add", "tanh")}
    assert found["dot"] == found["add"] == found["tanh"] == {""}
    copied = {"a copy, so that a value still in use is not overwritten"}
    assert owns("scatter_added")["copy"] == copied
    assert owns("attention")["dot"] == {""}


def test_a_fusion_is_made_from_what_it_holds() -> None:
    truth = truth_of("attention", "hlo")
    links = Links(truth.flow.stage)
    [place] = [at for at in truth.flow.all() if "exponential" in fused(truth, at)]
    assert links.made_from(*place) <= truth.of(place)
    assert {13, 14} <= links.made_from(*place)


def fused(truth: Truth, at: At) -> list[str]:
    """Ops in a fusion."""
    eqn = truth.flow.eqn(at)
    if eqn.op != "fusion":
        return []
    return [held.op for body in eqn.bodies for held in truth.flow.stage.graphs[body.graph].eqns]


@pytest.mark.parametrize(("name", "kind"), STAGES)
def test_a_chain_leads_through_the_bodies_of_the_jaxpr(name: str, kind: str) -> None:
    stage = truth_of(name, kind).flow.stage
    jaxpr = truth_of(name, kind).jaxpr
    inside = {
        number: {body.graph for body in eqn.bodies}
        for number, (_, eqn) in enumerate(numbered(jaxpr))
    }
    graphs = [graph for graph, _ in numbered(jaxpr)]
    for _, eqn in numbered(stage):
        for outer, inner in zip(eqn.origin, eqn.origin[1:], strict=False):
            assert graphs[inner] in inside[outer]


def numbered(stage: schema.Stage) -> list[tuple[int, schema.Eqn]]:
    return [(graph, eqn) for graph, held in enumerate(stage.graphs) for eqn in held.eqns]


def later(ops: list[tuple[str, list[int], list[int]]]) -> schema.Stage:
    """A stage of eqns (op, operands, origin). Value 0 is an input, n the n-th result."""
    growing = Growing(["x"])
    for op, operands, _ in ops:
        growing.eqn(op, operands)
    graph = growing.grown()
    eqns = [
        replace(eqn, origin=tuple(origin))
        for eqn, (_, _, origin) in zip(graph.eqns, ops, strict=True)
    ]
    return replace(of([replace(graph, eqns=eqns)]).stages[0], kind="hlo")


def guesses(ops: list[tuple[str, list[int], list[int]]]) -> list[tuple[int, ...] | None]:
    """Guesses for a program of two additions; the second adds a literal to the result of the
    first."""
    growing = Growing(["x"])
    growing.eqn("add", [0, 0])
    growing.eqn("add", [1, 2])
    graph = growing.grown()
    graph = replace(graph, vars=[*graph.vars, replace(graph.vars[0], name="1.0", literal=True)])
    first, second = graph.eqns
    eqns = [first, replace(second, invars=(1, len(graph.vars) - 1))]
    jaxpr = of([replace(graph, eqns=eqns)]).stages[0]
    found = guess_origins(later(ops), jaxpr).graphs[0].eqns
    return [eqn.origin if eqn.guess else None for eqn in found]


def test_a_guess_is_made_for_what_alone_can_have_made_it() -> None:
    constant = ("constant", [], [])
    assert guesses([constant, ("add", [0, 1], [1]), ("add", [2, 2], [1])]) == [(1,), None, None]
    assert guesses([constant, ("add", [1, 1], [1]), ("add", [1, 2], [0])]) == [(1,), None, None]
    assert guesses([constant, ("add", [0, 1], [0]), ("add", [2, 2], [1])]) == [None] * 3
    copied = [("add", [0, 0], [0]), ("copy", [1], []), ("add", [2, 2], [1])]
    assert guesses(copied) == [None, (1,), None]
    assert guesses([("add", [0, 0], [0]), ("exponential", [1], []), *copied[2:]]) == [None] * 3


def test_a_move_that_is_named_after_an_addition_is_not_linked() -> None:
    named = [("add", [0, 0], [0]), ("transpose", [1], [0]), ("tanh", [2], [1])]
    jaxpr = later([("add", [0, 0], []), ("tanh", [1], [])])
    found = guess_origins(later(named), replace(jaxpr, kind="jaxpr")).graphs[0].eqns
    assert [eqn.origin for eqn in found] == [(0,), (), (1,)]


def test_what_a_reduction_applies_was_made_for_it_whatever_its_copies_say() -> None:
    """XLA for GPUs makes one computation of two that add, and copies of it bear one's names."""

    def sums(x: Any) -> Any:
        return jnp.cumsum(x, 0), jnp.sum(jnp.sin(x), 1), jnp.sum(jnp.cos(x), 0)

    program = jaxviz.inspect(sums)(jnp.ones((30, 20)))
    jaxpr, hlo = program.stage("jaxpr"), program.stage("hlo")
    reductions = [eqn for graph in hlo.graphs for eqn in graph.eqns if eqn.op == "reduce"]
    bodies = [eqn.bodies[0].graph for eqn in reductions]
    assert len({*bodies}) == len(bodies) >= 2
    first = reductions[0].origin
    copied = [
        replace(graph, eqns=[replace(eqn, origin=first) for eqn in graph.eqns])
        if number in bodies
        else graph
        for number, graph in enumerate(hlo.graphs)
    ]
    found = guess_origins(replace(hlo, graphs=copied), jaxpr)
    for reduction, body in zip(reductions, bodies, strict=True):
        assert [eqn.origin for eqn in found.graphs[body].eqns] == [reduction.origin]
