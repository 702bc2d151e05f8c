"""Groups of any stage obey the same laws, and groups of a long stage are short and found fast."""

from __future__ import annotations

from cProfile import Profile
from typing import Any

import jax
import jax.numpy as jnp
from chains import chain_stage, frame
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.analysis.groups import with_groups


@st.composite
def stages(draw: st.DrawFn) -> schema.Stage:
    parts = st.sampled_from(["a", "b", "jvp()", "transpose(jvp())", "jvp(c)", "vmap(d)", "(", ""])
    scopes = draw(st.lists(st.lists(parts, max_size=3).map("/".join), min_size=1, max_size=8))
    frames: list[schema.Frame] = []
    for index in range(draw(st.integers(1, 12))):
        parent = draw(st.none() | st.integers(0, index - 1)) if index else None
        function = draw(st.sampled_from(["f", "g", "M.__call__", "h.<locals>.<lambda>"]))
        frames.append(frame(function, draw(st.integers(1, 4)), parent, "y = f(x)"))
    eqn = st.tuples(
        st.sampled_from(["add", "mul", "sin"]),
        st.integers(0, len(scopes) - 1),
        st.none() | st.integers(0, len(frames) - 1),
    )
    eqns = draw(st.lists(eqn, max_size=60))
    times = draw(st.integers(1, 3))
    stage = chain_stage(scopes, frames, eqns * times)
    graph = stage.graphs[0]
    leaves = st.sampled_from(
        ["p['l'][0]['w']", "p['l'][1]['w']", "p['h']", "s[0].mu['h']", "x", "", "p.q[3]['\u202e']"]
    )
    args = draw(st.lists(leaves, max_size=6))
    if eqns:
        invars = list(range(min(len(args), len(graph.vars))))
        graph = replace(graph, invars=invars, args=args[: len(invars)])
        stage = replace(stage, graphs=[graph])
    return stage


@given(stages())
@settings(deadline=None, max_examples=300)
def test_groups_nest_and_never_cross(stage: schema.Stage) -> None:
    result = with_groups(stage)
    assert result == with_groups(stage)
    for graph in result.graphs:
        runs: dict[int | None, tuple[int, int]] = {None: (0, len(graph.eqns))}
        ends: dict[int | None, int] = {}
        for index, group in enumerate(graph.groups):
            assert group.parent is None or group.parent < index
            start, stop = runs[group.parent]
            assert start <= group.start < group.stop <= stop
            assert group.kind == "repeat" or (group.start, group.stop) != (start, stop)
            assert group.stop - group.start >= 3 or group.role == "recompute"
            if group.twin is not None:
                assert group.twin < index
                assert graph.groups[group.twin].role in ("forward", "recompute")
            assert group.start >= ends.get(group.parent, 0)
            assert group.name
            ends[group.parent] = group.stop
            runs[index] = group.start, group.stop


def test_no_run_of_a_long_program_is_long() -> None:
    def long(x: Any) -> Any:
        for _ in range(2500):
            x = jnp.sin(x) * 2.0
        return x

    stage = jaxviz.inspect(long)(jax.ShapeDtypeStruct((3,), jnp.float32)).stage("jaxpr")
    graph = stage.graphs[0]
    items: dict[int | None, int] = {None: len(graph.eqns)}
    for index, group in enumerate(graph.groups):
        items[index] = group.stop - group.start
        items[group.parent] -= group.stop - group.start - 1
    assert len(graph.eqns) == 5000
    assert max(items.values()) <= 40


def test_twice_the_eqns_are_twice_the_work() -> None:
    def calls(count: int) -> int:
        frames = [frame("main", 1, None), *(frame("cell", n, 0) for n in range(4))]
        eqns: list[tuple[str, int, int | None]]
        eqns = [(f"op{i % 7}", 0, 1 + i % 4) for i in range(count)]
        stage = chain_stage([""], frames, eqns)
        with Profile() as profile:
            assert with_groups(stage).graphs[0].groups
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(20_000) < 2.2 * calls(10_000)
