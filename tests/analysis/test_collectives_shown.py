"""Collectives stay with their eqns in every smaller form of a program."""

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
from jaxviz.display.fit import reductions
from jaxviz.display.wire import decode, encode
from jaxviz.picture.drawable import drawable
from jaxviz.schema.check import first_fault


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
    for _, data in reductions(whole, encode(whole), "jaxpr"):
        found = decode(data)
        assert first_fault(found) is None
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
    assert first_fault(jaxviz.compare(one, other).record) is None


def test_the_summary_adds_up_what_each_device_sends():
    """By hand: over a loop of five turns of 1,536 bytes, of two branches the one of 1,024, and
    896 bytes along both axes twice; how often a loop runs that ends by itself is not known."""

    def exchanging(x):
        x = lax.cond(x[0, 0] > 0, lambda y: lax.psum(y, "b"), lambda y: y[:, ::-1], in_scan(x))
        return lax.psum(x[:8], ("a", "b")).sum() + lax.psum(x[:8], ("a", "b"))

    program = jaxviz.inspect(on_devices(exchanging, out_specs=P(None)))(X)
    text = "each device sends 7.5 KiB along a, 1.0 KiB along b, 1.8 KiB along a and b"
    assert text in str(program)

    def ending(x):
        return lax.while_loop(lambda c: c.sum() < 9.0, lambda c: lax.psum(c, "a"), x)

    program = jaxviz.inspect(on_devices(ending))(X)
    assert "each device sends at least 1.5 KiB along a" in str(program)
