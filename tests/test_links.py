"""Links between the stages, against links that were found by hand."""

from __future__ import annotations

from functools import cache
from itertools import chain

import jax
import pytest
from arbitrary import Growing, of
from labelled.dataflow import At, plain
from labelled.functions import FUNCTIONS
from labelled.labels import Truth
from links_table import Links
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.analysis.links import guessed
from jaxviz.stages import StageKind

KINDS: tuple[StageKind, ...] = ("stablehlo", "hlo")
STAGES = [(name, kind) for name in FUNCTIONS for kind in KINDS]


@cache
def truth_of(name: str, kind: StageKind) -> Truth:
    function, args = FUNCTIONS[name]()
    program = jaxviz.inspect(function)(*args)
    return Truth(name, program.stage(kind), program.stage("jaxpr"))


def described(truth: Truth, at: At) -> str:
    """`multiply(dot, x) f32[5,7]`."""
    found = truth.flow.operands(at)
    operands = [one if isinstance(one, str) else plain(truth.flow.eqn(one).op) for one in found]
    return f"{truth.flow.eqn(at).op}({', '.join(operands)}) {truth.flow.type(at)}"


@pytest.mark.parametrize(("name", "kind"), STAGES)
def test_no_link_is_wrong(name: str, kind: str) -> None:
    truth = truth_of(name, kind)
    wrong = [
        f"{described(truth, at)} was made for {sorted(truth.of(at))}, not {eqn.origin}"
        for at in truth.flow.all()
        if (eqn := truth.flow.eqn(at)).origin and eqn.origin[-1] not in truth.of(at)
    ]
    assert wrong == []


@pytest.mark.parametrize(("name", "kind"), STAGES)
def test_what_is_on_no_line_became_nothing(name: str, kind: str) -> None:
    truth = truth_of(name, kind)
    links = Links(truth.flow.stage)
    labelled = frozenset(chain.from_iterable(map(truth.of, truth.flow.all())))
    gone = [number for number in range(truth.eqns) if number not in labelled]
    assert [number for number in gone if links.made_into(number)] == []


OF_HLO = next(
    recall
    for version, recall in (((0, 11), (0.94, 0.68)), ((0, 10), (0.94, 0.72)), ((0,), (0.85, 0.6)))
    if jax.__version_info__ >= version
)
"""XLA 0.10 names the elements of a loop's carry after their eqn, as no other version does."""


def test_recall(capsys: pytest.CaptureFixture[str]) -> None:
    """Of what came from an eqn, how much is linked, and how much of that by JAX and XLA."""
    eqns = 0
    for kind, (least, least_exact) in (("stablehlo", (0.99, 0.9)), ("hlo", OF_HLO)):
        truths = [truth_of(name, kind) for name in FUNCTIONS]
        places = [(truth, at) for truth in truths for at in truth.flow.all() if truth.of(at)]
        found = [truth.flow.eqn(at) for truth, at in places]
        linked = [eqn for eqn in found if eqn.origin]
        exact = [eqn for eqn in linked if not eqn.guess]
        with capsys.disabled():
            print(f" {kind}: {len(linked)} of {len(found)}, {len(exact)} exactly", end="")
        assert len(linked) >= least * len(found)
        assert len(exact) >= least_exact * len(found)
        eqns = sum(truth.eqns for truth in truths)
    assert len(FUNCTIONS) == 6
    assert eqns in (120, 122)


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
    """Of eqns the op, the operands and the origin; value 0 is an input, n the n-th result."""
    growing = Growing(["x"])
    for op, operands, _ in ops:
        growing.eqn(op, operands)
    graph = growing.grown()
    eqns = [
        replace(eqn, origin=origin) for eqn, (_, _, origin) in zip(graph.eqns, ops, strict=True)
    ]
    return replace(of([replace(graph, eqns=eqns)]).stages[0], kind="hlo")


def guesses(ops: list[tuple[str, list[int], list[int]]]) -> list[list[int] | None]:
    """Of a program of two additions, the second of what the first makes and a literal."""
    growing = Growing(["x"])
    growing.eqn("add", [0, 0])
    growing.eqn("add", [1, 2])
    graph = growing.grown()
    graph = replace(graph, vars=[*graph.vars, replace(graph.vars[0], name="1.0", literal=True)])
    first, second = graph.eqns
    eqns = [first, replace(second, invars=[1, len(graph.vars) - 1])]
    jaxpr = of([replace(graph, eqns=eqns)]).stages[0]
    found = guessed(later(ops), jaxpr).graphs[0].eqns
    return [eqn.origin if eqn.guess else None for eqn in found]


def test_a_guess_is_made_for_what_alone_can_have_made_it() -> None:
    constant = ("constant", [], [])
    assert guesses([constant, ("add", [0, 1], [1]), ("add", [2, 2], [1])]) == [[1], None, None]
    assert guesses([constant, ("add", [1, 1], [1]), ("add", [1, 2], [0])]) == [[1], None, None]
    assert guesses([constant, ("add", [0, 1], [0]), ("add", [2, 2], [1])]) == [None] * 3
    copied = [("add", [0, 0], [0]), ("copy", [1], []), ("add", [2, 2], [1])]
    assert guesses(copied) == [None, [1], None]
    assert guesses([("add", [0, 0], [0]), ("exponential", [1], []), *copied[2:]]) == [None] * 3


def test_a_move_that_is_named_after_an_addition_is_not_linked_to_it() -> None:
    named = [("add", [0, 0], [0]), ("transpose", [1], [0]), ("tanh", [2], [1])]
    jaxpr = later([("add", [0, 0], []), ("tanh", [1], [])])
    found = guessed(later(named), replace(jaxpr, kind="jaxpr")).graphs[0].eqns
    assert [eqn.origin for eqn in found] == [[0], [1], [1]]
    assert [eqn.guess for eqn in found] == [False, True, False]
