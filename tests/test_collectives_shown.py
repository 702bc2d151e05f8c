"""What devices exchange stays with its eqns in all that is made smaller of a program."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P
from msgspec.structs import replace
from test_collectives import X, in_scan, on_devices

import jaxviz
from jaxviz import schema
from jaxviz.display.fit import smaller
from jaxviz.display.wire import decode, encode
from jaxviz.drawable import drawable
from jaxviz.schema.check import misfit


def layered(x):
    for number in range(40):
        with jax.named_scope(f"layer{number}"):
            x = lax.psum(jnp.sin(jnp.cos(x)) * 2, "a") + lax.all_gather(x, "a").sum(0)
    return in_scan(x)


def record() -> schema.Program:
    body = on_devices(layered)

    def around(x):
        return body(jnp.sin(x))

    return jaxviz.inspect(around)(X).record


def kinds(stage: schema.Stage) -> set[tuple[str, str]]:
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    return {(eqns[one.eqn].op, one.kind) for one in stage.collectives}


RIGHT = {("psum", "all-reduce"), ("all_gather", "all-gather")}


def test_in_all_that_a_notebook_may_save():
    whole = record()
    assert len(whole.stages[0].collectives) == 81
    for _, data in smaller(whole, encode(whole), "jaxpr"):
        found = decode(data)
        assert misfit(found) is None
        assert kinds(found.stages[0]) <= RIGHT


@pytest.mark.parametrize("most", [5, 20, 1000])
def test_in_what_a_picture_shows(most):
    stage = drawable(record(), replace(schema.UNCHOSEN, depth=9), most).stages[0]
    assert kinds(stage) <= RIGHT
    assert len(stage.collectives) == sum(
        eqn.op in ("psum", "all_gather")
        for graph in stage.graphs
        if isinstance(graph, schema.Graph)
        for eqn in graph.eqns
        if eqn.params
    )


def test_not_in_a_comparison():
    one = jaxviz.inspect(on_devices(in_scan))(X)
    other = jaxviz.inspect(on_devices(layered, in_specs=P("a")))(X)
    assert misfit(jaxviz.compare(one, other).record) is None
