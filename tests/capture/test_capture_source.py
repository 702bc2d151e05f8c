"""Every eqn has the user's line that made it, in a file or in a cell."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from programs import shaped
from records import marked

import jaxviz
from jaxviz import schema
from jaxviz.capture.shown.source import note_cell


def chain(stage: schema.Stage, frame: int | None) -> list[tuple[str, int, int, str]]:
    """A frame and its callers, innermost first."""
    found = []
    while frame is not None:
        record = stage.frames[frame]
        found.append((record.function, record.line, record.column, record.code))
        frame = record.parent
    return found


def in_cell(source: str, file: str, name: str) -> Any:
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space: dict[str, object] = {"jax": jax, "jnp": jnp}
    exec(compile(source, file, "exec"), space)
    return space[name]


def test_a_line_in_a_file():
    def scaled(x):
        return jnp.sin(x) * 2.0

    stage = jaxviz.inspect(scaled)(shaped(3)).stage("jaxpr")
    first = scaled.__code__.co_firstlineno
    sin, mul = stage.graphs[0].eqns
    assert chain(stage, sin.frame) == [("scaled", first + 1, 16, "return jnp.sin(x) * 2.0")]
    assert chain(stage, mul.frame)[0][1] == first + 1
    assert {frame.file for frame in stage.frames} == {"tests/capture/test_capture_source.py"}
    assert not sin.inherited


def test_callers_are_frames_too_and_shared():
    def square(x):
        return x * x

    def total(x):
        return square(x) + square(x + 1)

    stage = jaxviz.inspect(total)(shaped(3)).stage("jaxpr")
    functions = [
        [function for function, *_ in chain(stage, eqn.frame)] for eqn in stage.graphs[0].eqns
    ]
    assert functions == [["square", "total"], ["total"], ["square", "total"], ["total"]]


def test_a_body_continues_the_stack_of_its_eqn():
    # Up to 0.6 JAX keeps the trace of `relu` with the lines of whoever called it first.
    jax.clear_caches()

    def step(carry, x):
        return jax.nn.relu(carry + x), None

    def unrolled(xs):
        return jax.lax.scan(step, 0.0, xs)[0]

    stage = jaxviz.inspect(unrolled)(shaped(3)).stage("jaxpr")
    frames = {
        (eqn.op, tuple(function for function, *_ in chain(stage, eqn.frame)))
        for graph in stage.graphs
        for eqn in graph.eqns
    }
    assert ("add", ("step", "unrolled")) in frames
    assert ("max", ("step", "unrolled")) in frames
    assert all(eqn.frame is not None for graph in stage.graphs for eqn in graph.eqns)


def test_lines_of_a_cell():
    source = "def f(x):\n    y = jnp.sin(x)\n    return y\n"
    file = "/tmp/ipykernel_4242/1234567.py"
    note_cell(file, "\n  \n" + source, "b7c1", 3)
    stage = jaxviz.inspect(in_cell(source, file, "f"))(shaped(3)).stage("jaxpr")
    (frame,) = stage.frames
    assert (frame.file, frame.cell, frame.count) == ("cell 3", "b7c1", 3)
    assert (frame.line, frame.column, frame.code) == (4, 9, "y = jnp.sin(x)")


def test_a_cell_that_was_not_noted_shows_no_path():
    source = "def f(x):\n    return x + 1\n"
    function = in_cell(source, "/tmp/ipykernel_77/99.py", "f")
    (frame,) = jaxviz.inspect(function)(shaped(3)).stage("jaxpr").frames
    assert (frame.file, frame.cell, frame.count, frame.line) == ("cell", None, None, 2)


def test_a_file_elsewhere_shows_its_last_two_parts():
    function = in_cell("def f(x):\n    return x + 1\n", "/home/someone/secret/models/net.py", "f")
    (frame,) = jaxviz.inspect(function)(shaped(3)).stage("jaxpr").frames
    assert frame.file == "models/net.py"


@pytest.mark.parametrize(
    ("folder", "file", "shown"),
    [
        ("~/notebooks", "~/model.py", "model.py"),
        ("~/notebooks", "~/lib/model.py", "lib/model.py"),
        ("~/notebooks", "~/notebooks/model.py", "model.py"),
        ("~/notebooks", "~/notebooks/a/b/model.py", "a/b/model.py"),
        ("~", "~/lib/model.py", "lib/model.py"),
        ("~/..", "~/model.py", "model.py"),
        ("~/..", "~/a/b/model.py", "a/b/model.py"),
        ("/", "~/a/b/model.py", "a/b/model.py"),
        ("/", "/data/model.py", "data/model.py"),
        ("~/notebooks", "/data/kim/model.py", "kim/model.py"),
        ("~/notebooks", "/home/other/model.py", "model.py"),
        ("~/notebooks", "/Users/other/lib/model.py", "lib/model.py"),
    ],
)
def test_the_home_folder_s_name_is_not_shown(
    folder: str, file: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "people" / "alice"
    (home / "notebooks").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(folder.replace("~", str(home)))
    f = in_cell("def f(x):\n    return x * 2.0", file.replace("~", str(home)), "f")
    program = jaxviz.inspect(f)(1.0)
    assert [frame.file for frame in program.stage("jaxpr").frames] == [shown]
    assert "alice" not in str(program.record)


def test_a_home_folder_behind_a_link_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "alice").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "alice")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    f = in_cell("def f(x):\n    return x * 2.0", str(tmp_path / "alice" / "model.py"), "f")
    assert "alice" not in str(jaxviz.inspect(f)(1.0).record)


def test_a_package_s_lines_are_not_the_user_s():
    package = "/usr/lib/python3/site-packages/nets/linear.py"
    linear = in_cell("def linear(x):\n    return x + 1\n", package, "linear")

    def model(x):
        return linear(x)

    stage = jaxviz.inspect(model)(shaped(3)).stage("jaxpr")
    (eqn,) = stage.graphs[0].eqns
    assert [(frame.function, frame.library) for frame in stage.frames] == [
        ("model", False),
        ("linear", True),
    ]
    assert (eqn.frame, eqn.call) == (0, 1)
    stage = jaxviz.inspect(linear)(shaped(3)).stage("jaxpr")
    (eqn,) = stage.graphs[0].eqns
    assert [(frame.function, frame.file) for frame in stage.frames] == [
        ("linear", "nets/linear.py")
    ]
    assert (eqn.frame, eqn.call) == (0, 0)


def test_a_frame_is_the_expression_by_characters_in_any_script() -> None:
    lines = [
        "def 학습(값, 비율):",
        "    결과 = jnp.sin(값) * 비율; 둘 = jnp.cos(",
        "        결과 + 값)",
        "    return '🎈', 둘.sum()",
    ]
    found = [
        "jnp.sin(값)",
        "jnp.sin(값) * 비율",
        "결과 + 값",
        "jnp.cos(\n        결과 + 값)",
        "둘.sum()",
    ]
    names: dict[str, Any] = {"jnp": jnp}
    file = "<ipython-input-7-학습>"
    text = "\n".join(lines)
    linecache.cache[file] = (len(text), None, [f"{line}\n" for line in lines], file)
    exec(compile(text, file, "exec"), names)
    fun = names["학습"]
    frames = jaxviz.inspect(lambda x, y: fun(x, y)[1])(1.0, 2.0).record.stages[0].frames
    own = {marked(lines, frame) for frame in frames if frame.function == "학습"}
    assert own == {*found}


def test_a_cell_that_changes_after_the_capture_is_reported_as_it_was():
    file = "/tmp/ipykernel_7/412.py"
    note_cell(file, "def f(x):\n    return jnp.sin(x)", "old", 3)
    program = jaxviz.inspect(in_cell("def f(x):\n    return jnp.sin(x)\n", file, "f"))(1.0)
    note_cell(file, "def f(x):\n    return jnp.cos(x)", "new", 4)
    linecache.cache[file] = (1, None, ["def f(x):\n", "    return jnp.cos(x)\n"], file)
    stage = program.stage("jaxpr")
    [sin] = stage.graphs[0].eqns
    assert [code for *_, code in chain(stage, sin.frame)] == ["return jnp.sin(x)"]
    assert {(frame.cell, frame.count) for frame in stage.frames} == {("old", 3)}
    assert "jnp.sin" in program.record.listings[0].text
