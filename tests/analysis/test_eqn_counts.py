"""All places that say how many eqns a program has say the same number, and a reader who counts the
lines of its text finds it too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import models
import pytest
import samples

import jaxviz
from jaxviz import schema
from jaxviz.display.outputs import captured
from jaxviz.display.text.outline import all_eqns
from jaxviz.picture.draw import picture

one = jax.jit(lambda x: jnp.sin(x) + 1.0)


def shared(x: Any) -> Any:
    """A function that is called three times, and relu, which JAX jits, twice."""
    return jax.nn.relu(one(x)) + jax.nn.relu(one(x) * 2.0) + one(x)


def looped(x: Any) -> Any:
    """A branch in a loop, and a reduction that applies its body to elements."""

    def turn(carry: Any, x: Any) -> tuple[Any, Any]:
        return jax.lax.cond(carry > 0, lambda: carry * x, lambda: carry - x), one(x)

    total, ys = jax.lax.scan(turn, 0.0, x)
    return jax.lax.reduce(ys, total, lambda a, b: a * b + a, (0,))


def step() -> jaxviz.Program:
    fun, args = models.plain_step()
    return jaxviz.inspect(fun)(*args)


PROGRAMS: dict[str, Callable[[], jaxviz.Program]] = {
    "shared": lambda: jaxviz.inspect(shared)(jnp.ones(3)),
    "looped": lambda: jaxviz.inspect(looped)(jnp.ones(3)),
    "step": step,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_count_is_that_of_the_lines(name: str) -> None:
    program = PROGRAMS[name]()
    stage = program.stage("jaxpr")
    lines = len(re.findall(r":\S+ = \w", stage.text))
    assert all_eqns(stage) == lines
    printed = re.search(r": (\d+) eqns, ", str(program))
    assert printed is not None
    assert int(printed[1]) == lines
    assert f"{lines} eqns" in repr(program)
    assert captured("key", program.record).eqns == lines
    assert f">{lines} eqns<" in picture(program.record)


@pytest.mark.parametrize("fun", [shared, looped])
def test_a_trace_counts_as_its_program(fun: Any) -> None:
    jax.clear_caches()
    jitted = jax.jit(fun)
    with jaxviz.watch() as log:
        jitted.trace(jnp.ones(3))
    [event] = [one for one in log.events if one.kind == "trace" and one.name == fun.__name__]
    assert event.eqns == all_eqns(jaxviz.inspect(fun)(jnp.ones(3)).stage("jaxpr"))


def test_what_is_stored_is_what_is_counted() -> None:
    for path in samples.PROGRAMS:
        for stage in samples.load(path).stages:
            stored = sum(len(graph.eqns) for graph in stage.graphs)
            assert all_eqns(stage) == stored, f"{path.name} {stage.kind}"


def test_a_body_counts_once_in_whatever_holds_it() -> None:
    graphs = jaxviz.inspect(shared)(jnp.ones(3)).stage("jaxpr").graphs
    calls = [eqn for eqn in graphs[0].eqns if eqn.op in ("jit", "pjit")]
    assert len(calls) == 3
    assert [schema.count_eqns(graphs, [call]) for call in calls] == [3, 3, 3]
    assert schema.count_eqns(graphs, calls) == 5
