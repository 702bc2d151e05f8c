"""Groups of small stages made by hand, compared exactly."""

from __future__ import annotations

import pytest
from chains import chain_stage, frame, rows
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups import with_groups
from jaxviz.analysis.groups.facts.call_stacks import is_transformation, library_title, title
from jaxviz.analysis.groups.facts.name_stacks import in_blocks, parse
from jaxviz.analysis.groups.loops.repeats import RunNumbers


def test_scopes_nest_and_the_transpose_bears_an_arrow() -> None:
    scopes = ["jvp(a)", "jvp(a)/b", "jvp()", "transpose(jvp(a))/b", "transpose(jvp(a))", ""]
    order = [0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5]
    stage = chain_stage(scopes, [], [(f"op{i}", s, None) for i, s in enumerate(order)])
    assert rows(with_groups(stage)) == [
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
    assert rows(with_groups(stage)) == ["Net [0:6] call"]


def test_iterations_of_a_loop_repeat() -> None:
    frames = [
        frame("main", 1, None),
        frame("cell", 2, 0),
        frame("cell", 3, 0),
        frame("cell", 4, 0),
        frame("main", 9, None),
    ]
    turn = [("dot", 0, 1), ("add", 0, 2), ("tanh", 0, 3), ("mul", 0, 3)]
    stage = chain_stage([""], frames, [*turn * 4, *[(f"end{i}", 0, 4) for i in range(9)]])
    assert rows(with_groups(stage)) == [
        f"cell {n + 1}/4 [{4 * n}:{4 * n + 4}] call" for n in range(4)
    ]


def test_a_long_row_of_iterations_is_one_group() -> None:
    frames = [frame("main", 1, None), *(frame("cell", line, 0) for line in (2, 3, 4))]
    turn: list[tuple[str, int, int | None]]
    turn = [("dot", 0, 1), ("add", 0, 2), ("tanh", 0, 3), ("mul", 0, 3)]
    groups = with_groups(chain_stage([""], frames, turn * 9)).graphs[0].groups
    assert [(group.name, group.kind) for group in groups[:2]] == [
        ("cell 1…9", "repeat"),
        ("cell 1/9", "call"),
    ]
    assert {group.alike for group in groups[1:]} == {0}
    assert len(groups) == 10


def test_alike_are_those_with_the_same_params_and_wiring() -> None:
    stage = chain_stage([""], [], [(op, 0, None) for op in ("sin", "add", "sin", "add")])
    graph = stage.graphs[0]
    assert RunNumbers(stage).of(0, [(0, 2), (2, 4), (1, 3)]) == [0, 0, -1]
    other = replace(graph.eqns[3], params=(schema.Param(name="axis", value="1", size=1),))
    changed = replace(graph, eqns=[*graph.eqns[:3], other])
    assert RunNumbers(replace(stage, graphs=[changed])).of(0, [(0, 2), (2, 4)]) == [-1, -1]
    twice = replace(graph.eqns[3], invars=(3, 3))
    once = replace(graph.eqns[1], invars=(1, 0))
    rewired = replace(graph, eqns=[graph.eqns[0], once, graph.eqns[2], twice])
    assert RunNumbers(replace(stage, graphs=[rewired])).of(0, [(0, 2), (2, 4)]) == [-1, -1]


def test_what_has_no_structure_is_cut() -> None:
    stage = chain_stage([""], [], [(f"op{i}", 0, None) for i in range(60)])
    assert rows(with_groups(stage)) == [
        "op0…op14 [0:15] section",
        "op15…op29 [15:30] section",
        "op30…op44 [30:45] section",
        "op45…op59 [45:60] section",
    ]


def test_a_short_program_has_no_groups() -> None:
    assert rows(with_groups(chain_stage([""], [], [("sin", 0, None)] * 4))) == []
    assert rows(with_groups(chain_stage([""], [], []))) == []


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


def test_parts_of_a_numbered_block_are_in_it() -> None:
    """Keras' applications name layers so. `conv2d_1` is a layer of its own, and so is what has one
    part."""
    stacks = ["net/block_1_conv", "net/block_1_norm", "net/block_1_add", "conv2d_1", "out_2_bias"]
    assert [names for names, _ in in_blocks([parse(stack) for stack in stacks])] == [
        ("net", "block_1", "block_1_conv"),
        ("net", "block_1", "block_1_norm"),
        ("net", "block_1", "block_1_add"),
        ("conv2d_1",),
        ("out_2_bias",),
    ]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("Block.__call__", "Block"),
        ("make.<locals>.step", "step"),
        ("scale_by_adam.<locals>.update_fn", "scale_by_adam"),
        ("loss.<locals>.<lambda>", "loss"),
        ("Model.encode", "Model.encode"),
        ("<lambda>", ""),
    ],
)
def test_titles(function: str, name: str) -> None:
    assert title(function) == name


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("Linear.__call__", "Linear"),
        ("hmc_proposal.<locals>.generate", "hmc_proposal.generate"),
        ("scale_by_adam.<locals>.update_fn", "scale_by_adam"),
        ("validate_sample.<locals>.wrapper", ""),
        ("_nmap_with_doc.<locals>.wrapped_fun.<locals>.step", ""),
        ("hmc.<locals>._next", ""),
        ("MultiMetric.update", "metrics"),
        ("riemannian_metric", "riemannian_metric"),
        ("<lambda>", ""),
    ],
)
def test_titles_of_libraries(function: str, name: str) -> None:
    """A function that only the library can call bears the name of what made it."""
    assert library_title(replace(frame(function, 1, None), library=True)) == name


def test_sections_say_what_they_do() -> None:
    """Neither numbers nor a library's lines: 15 divisions, then 15 square roots, and so on."""
    frames = [replace(frame("lib", 1, None), library=True)]
    ops = [op for op in ("div", "sqrt", "mul", "reshape") for _ in range(15)]
    stage = chain_stage([""], frames, [(op, 0, 0) for op in ops])
    assert rows(with_groups(stage)) == [
        "div [0:15] section",
        "sqrt [15:30] section",
        "mul [30:45] section",
        "reshape [45:60] section",
    ]


@pytest.mark.parametrize("folder", ["", ".venv/lib/python3.11/site-packages/optax/"])
def test_a_library_is_known_wherever_it_is_installed(folder: str) -> None:
    """Paths are longer where the environment lies below the working directory."""
    assert is_transformation("scale_by_adam.<locals>.update_fn", folder + "_src/transform.py")
    assert not is_transformation("scale_by_adam.<locals>.update_fn", folder + "own/mine.py")
