"""Programs that are long, deep or shared are compared in time that grows with what they hold."""

from __future__ import annotations

from typing import Any

import arbitrary
import jax.numpy as jnp
import pytest
from arbitrary import Growing
from compared_sides import Side, wrong
from records import loose_ends

import jaxviz
from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.display import decode, encode


def tower(levels: int, holds: list[int], last: str) -> schema.Program:
    """Each level calls the levels at these distances further in. The innermost one is an eqn."""
    graphs: list[schema.Graph] = []
    for level in range(levels):
        growing = Growing(["x"])
        inner = [level + further for further in holds if level + further < levels]
        for graph in inner:
            body = schema.Body(label="body", graph=graph, inputs=(0,), outputs=(0,))
            growing.eqn("jit", [growing.values - 1], [body])
        if not inner:
            growing.eqn(last, [0])
        graphs.append(growing.grown())
    return arbitrary.of(graphs)


@pytest.mark.parametrize(
    ("levels", "holds"), [(1_000, [1]), (17, [1, 1]), (300, [1, 2])], ids=["deep", "shared", "both"]
)
def test_one_eqn_of_a_tower_is_another(levels: int, holds: list[int]) -> None:
    before, after = tower(levels, holds, "sin"), tower(levels, holds, "cos")
    found = compare_programs(before, after)
    assert found.compared is not None
    assert [mark.kind for mark in found.compared.marks] == ["removed", "added"]
    assert len(found.stages[0].graphs) == levels
    assert loose_ends(found.stages[0]) == []
    assert decode(encode(found)) == found


def test_bodies_that_match_ever_others_are_compared_a_few_times_only() -> None:
    before, after = tower(200, [1], "sin"), tower(200, [1, 2], "sin")
    found = compare_programs(before, after)
    eqns = [
        sum(len(graph.eqns) for graph in one.stages[0].graphs) for one in (before, after, found)
    ]
    assert eqns[2] <= 8 * (eqns[0] + eqns[1])
    assert wrong(found, Side(before, later=False)) == []
    assert wrong(found, Side(after, later=True)) == []


def recurrent(turns: int, odd: tuple[int, ...]) -> schema.Program:
    def program(x: Any, w: Any) -> Any:
        for turn in range(turns):
            x = jnp.tanh(x @ w)
            if turn in odd:
                x = jnp.sin(x)
        return x

    return jaxviz.inspect(program)(jnp.ones((2, 4)), jnp.ones((4, 4))).record


def test_of_iterations_that_are_all_alike_those_that_differ_are_found() -> None:
    before, after = recurrent(300, (50, 200)), recurrent(300, (80, 250))
    found = compare_programs(before, after)
    told = found.compared
    eqns = [eqn.op for graph in found.stages[0].graphs for eqn in graph.eqns]
    assert told is not None
    assert [(mark.kind, eqns[mark.eqn]) for mark in told.marks] == [
        ("removed", "sin"),
        ("added", "sin"),
        ("removed", "sin"),
        ("added", "sin"),
    ]


def test_of_long_programs_that_have_nothing_in_common_each_is_there() -> None:
    def other(x: Any, w: Any) -> Any:
        for _ in range(700):
            x = jnp.exp(-x) + w
        return x

    before, after = recurrent(1_000, ()), jaxviz.inspect(other)(1.0, 2.0).record
    found = compare_programs(before, after)
    assert wrong(found, Side(before, later=False)) == []
    assert wrong(found, Side(after, later=True)) == []
