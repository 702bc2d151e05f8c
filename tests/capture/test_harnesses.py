"""JAX's own primitive harnesses: each is captured, and counted again by simple recursion."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from golden_jax import part
from jax._src.internal_test_util import test_harnesses
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from records import loose_ends

import jaxviz
from jaxviz import schema

HARNESSES = test_harnesses.all_harnesses
CHUNKS = 16


class Count(NamedTuple):
    """Over the program with every use of a jaxpr written out."""

    eqns: int
    depth: int
    edges: int
    """Operands that are variables."""


def inside(value: Any) -> list[Jaxpr]:
    if isinstance(value, ClosedJaxpr):
        return [value.jaxpr]
    if isinstance(value, Jaxpr):
        return [value]
    if isinstance(value, dict):
        return [jaxpr for part in value.values() for jaxpr in inside(part)]
    if isinstance(value, tuple | list):
        return [jaxpr for part in value for jaxpr in inside(part)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [
            j for field in dataclasses.fields(value) for j in inside(getattr(value, field.name))
        ]
    return []


def counted(jaxpr: Jaxpr) -> Count:
    eqns = depth = edges = 0
    for eqn in jaxpr.eqns:
        bodies = [counted(body) for body in inside(eqn.params)]
        eqns += 1 + sum(body.eqns for body in bodies)
        depth = max([depth, *(1 + body.depth for body in bodies)])
        edges += sum(not isinstance(atom, Literal) for atom in eqn.invars)
        edges += sum(body.edges for body in bodies)
    return Count(eqns, depth, edges)


def recounted(stage: schema.Stage, number: int = 0) -> Count:
    graph = stage.graphs[number]
    eqns = depth = edges = 0
    for eqn in graph.eqns:
        bodies = [recounted(stage, body.graph) for body in eqn.bodies]
        eqns += 1 + sum(body.eqns for body in bodies)
        depth = max([depth, *(1 + body.depth for body in bodies)])
        edges += sum(not graph.vars[i].literal for i in eqn.invars)
        edges += sum(body.edges for body in bodies)
    return Count(eqns, depth, edges)


def traced(harness: Any) -> tuple[Any, list[Any]] | str:
    """The harness as a function and its arguments, or why JAX itself does not trace it."""
    arguments = harness.dyn_args_maker(np.random.RandomState(0))
    try:
        jax.jit(harness.dyn_fun).trace(*arguments)
    except Exception as error:
        return type(error).__name__
    return harness.dyn_fun, arguments


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", part(range(CHUNKS), of=4))
def test_every_harness_has_the_eqns_that_jax_made(chunk: int, record_property: Any) -> None:
    skipped: dict[str, int] = {}
    captured = 0
    for harness in HARNESSES[chunk::CHUNKS]:
        with jax.enable_x64(True) if hasattr(jax, "enable_x64") else _enable_x64():
            found = traced(harness)
            if isinstance(found, str):
                skipped[found] = skipped.get(found, 0) + 1
                continue
            function, arguments = found
            jitted = jax.jit(function)
            closed = jitted.trace(*arguments).jaxpr
            stage = jaxviz.inspect(jitted)(*arguments).stage("jaxpr")
        assert recounted(stage) == counted(closed.jaxpr), harness.fullname
        assert loose_ends(stage) == [], harness.fullname
        captured += 1
    record_property("captured", captured)
    print(f"{captured} harnesses captured, skipped: {skipped or 'none'}")
    assert captured > 50 * sum(skipped.values())


def _enable_x64() -> Any:
    from jax.experimental import enable_x64  # pyright: ignore[reportAttributeAccessIssue]

    return enable_x64()
