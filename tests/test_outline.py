"""Groups: exact on small stages made by hand, lawful on any, legible on real programs."""

from __future__ import annotations

from cProfile import Profile
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.analysis.alike import Shapes
from jaxviz.analysis.calls import title
from jaxviz.analysis.outline import outline
from jaxviz.analysis.scopes import parse


def chain_stage(
    scopes: list[str], frames: list[schema.Frame], eqns: list[tuple[str, int, int | None]]
) -> schema.Stage:
    """Eqns `(op, scope, frame)`, each of which takes the result of the one before."""
    aval = schema.Aval(
        text="f32[8]",
        kind="array",
        shape=[8],
        dtype="float32",
        weak_type=False,
        sharding=None,
        memory=None,
        layout=None,
        bytes=32,
    )
    graph = schema.Graph(
        name="f",
        vars=[schema.Var(name=f"v{i}", aval=0, literal=False) for i in range(len(eqns) + 1)],
        constvars=[],
        invars=[0],
        outvars=[len(eqns)],
        args=["x"],
        results=["result"],
        eqns=[
            schema.Eqn(
                op=op,
                name="",
                invars=[i],
                outvars=[i + 1],
                params=[],
                bodies=[],
                effects=[],
                frame=frame,
                call=frame,
                inherited=False,
                scope=scope,
                span=None,
                origin=[],
                guess=False,
                trips=None,
                cost=None,
            )
            for i, (op, scope, frame) in enumerate(eqns)
        ],
        groups=[],
        effects=[],
    )
    return schema.Stage(
        kind="jaxpr",
        graphs=[graph],
        avals=[aval],
        frames=frames,
        scopes=scopes,
        text="",
        notes=[],
        cost=None,
        reported=None,
        memory=None,
        took=None,
        error=None,
    )


def frame(function: str, line: int, parent: int | None, code: str = "") -> schema.Frame:
    return schema.Frame(
        function=function,
        file="m.py",
        line=line,
        column=1,
        code=code,
        cell=None,
        count=None,
        library=False,
        parent=parent,
    )


def rows(stage: schema.Stage, graph: int = 0) -> list[str]:
    """The groups as text: a line each, indented as they nest."""
    groups = stage.graphs[graph].groups
    depths: list[int] = []
    for group in groups:
        depths.append(0 if group.parent is None else depths[group.parent] + 1)
    return [
        f"{'  ' * depth}{group.name} [{group.start}:{group.stop}] {group.kind}"
        for group, depth in zip(groups, depths, strict=True)
    ]


def test_scopes_nest_and_the_transpose_bears_an_arrow() -> None:
    scopes = ["jvp(a)", "jvp(a)/b", "jvp()", "transpose(jvp(a))/b", "transpose(jvp(a))", ""]
    order = [0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5]
    stage = chain_stage(scopes, [], [(f"op{i}", s, None) for i, s in enumerate(order)])
    assert rows(outline(stage)) == [
        "forward [0:6] scope",
        "  a [0:5] scope",
        "    b [2:5] scope",
        "backward [6:12] scope",
        "  b ⟵ [6:9] scope",
    ]


def test_calls_nest_and_wrappers_are_skipped() -> None:
    frames = [
        frame("main", 1, None),
        frame("wrapper", 2, 0),
        frame("Net.__call__", 3, 1),
        frame("norm", 4, 2),
        frame("main", 5, None),
    ]
    order = [2, 2, 3, 3, 3, 2, 4, 4, 4]
    stage = chain_stage([""], frames, [(f"op{i}", 0, f) for i, f in enumerate(order)])
    assert rows(outline(stage)) == ["Net [0:6] call"]


def test_turns_of_a_loop_repeat() -> None:
    frames = [
        frame("main", 1, None),
        frame("cell", 2, 0),
        frame("cell", 3, 0),
        frame("cell", 4, 0),
        frame("main", 9, None),
    ]
    turn = [("dot", 0, 1), ("add", 0, 2), ("tanh", 0, 3), ("mul", 0, 3)]
    stage = chain_stage([""], frames, [*turn * 4, *[(f"end{i}", 0, 4) for i in range(9)]])
    assert rows(outline(stage)) == [f"cell {n + 1}/4 [{4 * n}:{4 * n + 4}] call" for n in range(4)]


def test_a_long_row_of_turns_is_one_group() -> None:
    frames = [frame("main", 1, None), *(frame("cell", line, 0) for line in (2, 3, 4))]
    turn: list[tuple[str, int, int | None]]
    turn = [("dot", 0, 1), ("add", 0, 2), ("tanh", 0, 3), ("mul", 0, 3)]
    groups = outline(chain_stage([""], frames, turn * 9)).graphs[0].groups
    assert [(group.name, group.kind) for group in groups[:2]] == [
        ("dot…mul 1…9", "repeat"),
        ("dot…mul 1/9", "call"),
    ]
    assert {group.alike for group in groups[1:]} == {0}
    assert len(groups) == 10


def test_alike_are_those_with_the_same_params_and_wiring() -> None:
    stage = chain_stage([""], [], [(op, 0, None) for op in ("sin", "add", "sin", "add")])
    graph = stage.graphs[0]
    assert Shapes(stage).of(0, [(0, 2), (2, 4), (1, 3)]) == [0, 0, -1]
    other = replace(graph.eqns[3], params=[schema.Param(name="axis", value="1", size=1)])
    changed = replace(graph, eqns=[*graph.eqns[:3], other])
    assert Shapes(replace(stage, graphs=[changed])).of(0, [(0, 2), (2, 4)]) == [-1, -1]
    twice = replace(graph.eqns[3], invars=[3, 3])
    once = replace(graph.eqns[1], invars=[1, 0])
    rewired = replace(graph, eqns=[graph.eqns[0], once, graph.eqns[2], twice])
    assert Shapes(replace(stage, graphs=[rewired])).of(0, [(0, 2), (2, 4)]) == [-1, -1]


def test_what_has_no_structure_is_cut() -> None:
    stage = chain_stage([""], [], [(f"op{i}", 0, None) for i in range(60)])
    assert rows(outline(stage)) == [
        "op0…op19 1/3 [0:20] section",
        "op20…op39 2/3 [20:40] section",
        "op40…op59 3/3 [40:60] section",
    ]


def test_a_short_program_has_no_groups() -> None:
    assert rows(outline(chain_stage([""], [], [("sin", 0, None)] * 4))) == []
    assert rows(outline(chain_stage([""], [], []))) == []


@pytest.mark.parametrize(
    ("stack", "names", "role"),
    [
        ("", (), ""),
        ("a/b", ("a", "b"), ""),
        ("jvp()", (), "forward"),
        ("jvp(layer0)/attn", ("layer0", "attn"), "forward"),
        ("transpose(jvp(layer0))/attn", ("layer0", "attn"), "backward"),
        ("outer/transpose(jvp(a))", ("outer", "a"), "backward"),
        ("jvp(vmap(ij,jk->ik))", ("ij,jk->ik",), "forward"),
        ("jvp(a/b)", ("a/b",), "forward"),
        ("f(x)/((", ("f(x)", "(("), ""),
        ("transpose(jvp(a))/checkpoint/rematted_computation/b", ("a", "b"), "recompute"),
    ],
)
def test_name_stacks(stack: str, names: tuple[str, ...], role: str) -> None:
    assert parse(stack) == (names, role)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("Block.__call__", "Block"),
        ("make.<locals>.step", "step"),
        ("scale_by_adam.<locals>.update_fn", "scale_by_adam"),
        ("loss.<locals>.<lambda>", "loss"),
        ("Model.encode", "Model.encode"),
        ("<lambda>", "lambda"),
    ],
)
def test_titles(function: str, name: str) -> None:
    assert title(function) == name


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
    result = outline(stage)
    assert result == outline(stage)
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
            assert outline(stage).graphs[0].groups
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(20_000) < 2.2 * calls(10_000)
