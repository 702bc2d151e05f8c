"""The engine that draws pictures is apart from the kernel: what happens without it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import msgspec
import pytest

import jaxviz
from jaxviz import schema
from jaxviz.display import bundle
from jaxviz.picture import draw
from jaxviz.picture.draw import picture


def program(name: str) -> schema.Program:
    path = Path(__file__).parents[1] / "golden" / name
    return msgspec.json.decode(path.read_bytes(), type=schema.Program)


def test_without_the_engine_the_fix_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_quickjs", None)
    with pytest.raises(ValueError, match="run `pip install quickjs-ng`"):
        picture(program("while_newton.json"))


def test_without_the_engine_outputs_have_text_and_one_of_them_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "_quickjs", None)
    monkeypatch.setattr(bundle, "_noted", set())
    inspected = jaxviz.inspect(lambda x: x * 2.0)(1.0)
    first, second = (inspected._repr_mimebundle_() for _ in "12")
    assert first[schema.MIME] == second[schema.MIME]
    assert first["text/plain"] == second["text/plain"] == str(inspected)
    for shown in (first, second):
        assert "<pre>&lt;lambda&gt;(x) → ~f32[]: 1 eqn" in shown["text/html"]
        assert "A still picture" not in shown["text/html"]
    assert "No picture: the package quickjs-ng" in first["text/html"]
    assert "No picture" not in second["text/html"]
    with jaxviz.watch() as log:
        jax.jit(lambda x: x + 1.0)(1.0)
    assert "<pre>1 trace, " in log._repr_mimebundle_()["text/html"]


def test_another_engine_of_the_same_name_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like the archived one, it lacks the JavaScript of recent years."""

    class Context:
        def eval(self, code: str) -> Any:
            return {"typeof Iterator": "undefined"}[code]

    module = ModuleType("_quickjs")
    monkeypatch.setattr(module, "Context", Context, raising=False)
    monkeypatch.setitem(sys.modules, "_quickjs", module)
    with pytest.raises(ValueError, match="run `pip uninstall -y quickjs quickjs-ng`"):
        picture(program("while_newton.json"))


def test_kernel_and_page_agree_on_the_tools_that_mark_a_picture() -> None:
    source = Path("js/src/tools/marks.ts").read_text("utf-8")
    table = source[source.index("const MARKS") : source.index("};", source.index("const MARKS"))]
    assert set(re.findall(r"^  (\w+):", table, re.MULTILINE)) == draw.MARKING
