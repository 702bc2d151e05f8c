"""The cost of a whole program: of loops, calls and shared bodies, and where it is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import arbitrary
import jax
import jax.numpy as jnp
import pytest
from arbitrary import Growing
from hypothesis import given
from hypothesis import strategies as st
from jax import lax
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.analysis.cost import with_costs
from jaxviz.stages import StageKind

F = jnp.ones


def test_a_scan_of_a_hundred_products() -> None:
    products = jaxviz.inspect(lambda c: lax.scan(lambda c, _: (c @ c, None), c, None, 100)[0])
    program = products(F((16, 16)))
    loops: dict[StageKind, str] = {"jaxpr": "scan", "stablehlo": "stablehlo.while", "hlo": "while"}
    for kind, loop in loops.items():
        stage = program.stage(kind)
        eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
        [scan] = [eqn for eqn in eqns if eqn.op == loop]
        [product] = [eqn for eqn in eqns if "dot" in eqn.op]
        assert scan.trips == 100
        counting = 0 if kind == "jaxpr" else 200  # each trip counts on, and compares
        assert flops(scan.cost) == flops(stage.cost) == 819_200 + counting
        assert flops(product.cost) == 8_192
    assert flops(program.stage("hlo").reported) == 8_194


def test_a_loop_that_counts_between_constants() -> None:
    def powers(x: Any, y: Any) -> Any:
        return lax.while_loop(lambda c: c[1] < 7, lambda c: (c[0] * y, c[1] + 3), (x, 1))

    program = jaxviz.inspect(powers)(F(5), 2.0)
    for kind in ("jaxpr", "stablehlo", "hlo"):
        stage = program.stage(kind)
        loops = [eqn.trips for graph in stage.graphs for eqn in graph.eqns if len(eqn.bodies) == 2]
        assert loops == [2]
        assert stage.cost is not None
        assert (stage.cost.flops, stage.cost.least) == (2 * (5 + 1 + 1), False)


def flops(cost: schema.Cost | None) -> int | None:
    assert cost is not None
    return cost.flops


def test_what_is_not_known_makes_the_total_a_least() -> None:
    def newton(x: Any) -> Any:
        return lax.while_loop(lambda x: x * x > 2.0, lambda x: x - 0.1, x)

    def called(x: Any) -> Any:
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((8, 4), x.dtype), x) + 1.0

    loop = jaxviz.inspect(newton)(1.0).stage("jaxpr")
    assert loop.graphs[0].eqns[0].trips is None
    assert (
        loop.cost
        == loop.graphs[0].eqns[0].cost
        == schema.Cost(flops=3, transcendentals=0, bytes=33, least=True)
    )
    found = jaxviz.inspect(called)(F((8, 4))).stage("jaxpr")
    assert found.graphs[0].eqns[0].cost == schema.Cost(
        flops=None, transcendentals=None, bytes=256, least=True
    )
    assert found.cost == schema.Cost(
        flops=32, transcendentals=0, bytes=256 + 128 + 4 + 128, least=True
    )


def nested(record: schema.Program, kinds: list[str], lengths: list[int]) -> schema.Stage:
    """With eqns that hold bodies as calls and scans."""
    count = 0

    def called(eqn: schema.Eqn) -> schema.Eqn:
        nonlocal count
        if not eqn.bodies:
            return replace(eqn, op="add")
        count += 1
        op = kinds[count % len(kinds)]
        trips = lengths[count % len(lengths)] if op == "scan" else None
        return replace(eqn, op=op, params=(), trips=trips)

    stage = record.stages[0]
    graphs = [replace(graph, eqns=[*map(called, graph.eqns)]) for graph in stage.graphs]
    return with_costs(replace(stage, graphs=graphs), None)


def instances(stage: schema.Stage, graph: int = 0, runs: int = 1) -> Iterator[tuple[int, int]]:
    """Flops and bytes of every eqn without bodies wherever it stands, as often as it runs. What
    nothing uses never does."""
    for eqn in stage.graphs[graph].eqns:
        if eqn.cost is not None and not eqn.cost.flops and not eqn.cost.bytes:
            continue
        if not eqn.bodies:
            assert eqn.cost is not None
            yield runs * (eqn.cost.flops or 0), runs * (eqn.cost.bytes or 0)
        for body in eqn.bodies:
            yield from instances(stage, body.graph, runs * (1 if eqn.trips is None else eqn.trips))


@given(
    arbitrary.dags(),
    st.lists(st.sampled_from(["jit", "scan", "remat2"]), min_size=1),
    st.lists(st.integers(0, 5), min_size=1),
)
def test_the_total_is_that_of_all_instances(
    record: schema.Program, kinds: list[str], lengths: list[int]
) -> None:
    stage = nested(record, kinds, lengths)
    found = [*instances(stage)]
    assert stage.cost == schema.Cost(
        flops=sum(flops for flops, _ in found),
        transcendentals=0,
        bytes=sum(moved for _, moved in found),
        least=False,
    )


def tower(levels: int, held: int, op: str) -> schema.Stage:
    """Each level calls the next `held` times, one after another; the last is an addition."""
    graphs: list[schema.Graph] = []
    for level in range(levels):
        growing = Growing(["x"])
        for value in range(held):
            body = schema.Body(label="body", graph=level + 1, inputs=(0,), outputs=(0,))
            last = level + 1 == levels
            growing.eqn("add" if last else op, [value], None if last else [body])
        graphs.append(growing.grown())
    return with_costs(arbitrary.of(graphs).stages[0], None)


def test_a_thousand_levels_and_a_body_that_is_shared_ever_again() -> None:
    assert flops(tower(1_000, 1, "remat2").cost) == 1
    assert flops(tower(16, 2, "jit").cost) == 2**16


def test_more_than_a_page_can_count_is_at_least_what_it_can() -> None:
    most = 2**53 - 1
    assert tower(60, 2, "jit").cost == schema.Cost(
        flops=most, transcendentals=0, bytes=most, least=True
    )


@pytest.mark.parametrize(
    ("axes", "devices"),
    [(("a", "b"), 8), (("a",), 4), (("b",), 2)],
)
def test_a_shard_map_runs_its_body_on_each_device(axes: tuple[str, ...], devices: int) -> None:
    stage = tower(2, 1, "shard_map")
    mesh = (schema.MeshAxis(name="a", size=4), schema.MeshAxis(name="b", size=2))
    [shard_map] = stage.graphs[0].eqns
    manual = replace(shard_map, attributes=schema.Manual(mesh=mesh, axes=axes))
    outer = replace(stage.graphs[0], eqns=[manual])
    found = with_costs(replace(stage, graphs=[outer, stage.graphs[1]]), None)
    assert flops(found.cost) == devices
