"""Whole programs, compared with files that a person can read: `pytest --update-golden`."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest
from programs import CALLS, Call
from records import loose_ends

import jaxviz
from jaxviz import schema

GOLDEN = Path(__file__).parents[1] / "golden"


def captured(call: Call) -> jaxviz.Program:
    return jaxviz.inspect(call.function, static_argnames=call.static)(*call.args)


@pytest.mark.parametrize("name", CALLS)
def test_golden(name: str, update_golden: bool) -> None:
    program = captured(CALLS[name])
    path = GOLDEN / f"{name}.json"
    if update_golden:
        program.save(path)
    golden = jaxviz.load(path)
    assert loose_ends(program.stage("jaxpr")) == []
    if golden.record.jax == jax.__version__:
        assert program == golden
    else:
        assert signature(program) == signature(golden)


def signature(program: jaxviz.Program) -> tuple[str, list[schema.Leaf], list[schema.Leaf]]:
    """Parts that are equal on all versions of JAX."""
    return program.name, program.args, program.results


def test_two_captures_are_equal() -> None:
    for call in CALLS.values():
        assert captured(call) == captured(call)


def test_every_kind_of_body_is_there() -> None:
    held = {
        (eqn.op, body.label)
        for path in GOLDEN.glob("*.json")
        for graph in jaxviz.load(path).stage("jaxpr").graphs
        for eqn in graph.eqns
        for body in eqn.bodies
    }
    assert held == {
        ("cond", "branch 0"),
        ("cond", "branch 1"),
        ("cond", "branch 2"),
        ("cond", "false"),
        ("cond", "true"),
        ("custom_jvp_call", "body"),
        ("custom_linear_solve", "matvec"),
        ("custom_linear_solve", "solve"),
        ("custom_linear_solve", "transpose_solve"),
        ("custom_linear_solve", "vecmat"),
        ("custom_vjp_call", "body"),
        ("custom_vmap_call", "body"),
        ("jit", "body"),
        ("linear_call", "body"),
        ("pallas_call", "index map 0"),
        ("pallas_call", "index map 1"),
        ("pallas_call", "kernel"),
        ("reduce", "reducer"),
        ("remat2", "body"),
        ("scan", "body"),
        ("scatter-add", "update"),
        ("shard_map", "body"),
        ("while", "body"),
        ("while", "condition"),
    }
