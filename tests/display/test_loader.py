"""A page without our extension loads the live view from what the notebook contains."""

from __future__ import annotations

import json
import re
import zlib

import msgspec
from nbformat.v4 import new_code_cell, new_notebook
from notebook import Comm, Executor, Kernel, kernel_fixture, view_of

from jaxviz import schema
from jaxviz.display import decode
from jaxviz.display.running_cell import WIDGET
from jaxviz.display.widget import built

kernel = kernel_fixture()


def test_one_loader_is_there_before_anything_is_shown(kernel: Kernel) -> None:
    kernel.run("load", "%load_ext jaxviz\ndef twice(x): return x * 2")
    loader = kernel.comms("jupyter.widget")
    assert loader
    [shown] = kernel.run("a", "%jaxviz twice(1.0)")
    kernel.run("b", "%%jaxviz\ntwice(1.0)")
    assert kernel.comms("jupyter.widget") == loader
    assert WIDGET not in shown["data"]
    process = re.search(r"jaxviz-in-(\w+)", shown["data"]["text/html"])
    assert process
    message = next(Comm(kernel, {"script": process[1]}).heard())
    script, style = (bytes(buffer).decode() for buffer in message["buffers"])
    assert (script, style) == (built("widget.js"), built("widget.css"))


def test_a_kernel_gives_its_script_to_its_own_loader_alone(kernel: Kernel) -> None:
    [message] = Comm(kernel, {"script": "of another process"}).heard()
    assert message["msg_type"] == "comm_close"


def test_a_page_that_holds_a_part_or_a_picture_asks_for_all(kernel: Kernel) -> None:
    kernel.run("quick", "%load_ext jaxviz\nimport jax\ndef quick(x): return jax.numpy.cos(x) * 2")
    [output] = kernel.run("all", "%jaxviz quick(5.0)")
    view = view_of(kernel, output)
    view.send({"ask": 1, "stage": "hlo"})
    view.answer(1)
    view.send({"ask": 2, "whole": True})
    message = next(view.heard())
    assert message["content"]["data"] == {"ask": 2, "done": True}
    whole = decode(bytes(message["buffers"][0]))
    assert (whole.name, [stage.kind for stage in whole.stages]) == ("quick", ["jaxpr", "hlo"])
    [*_, output] = kernel.run("log", "%%jaxviz\njax.jit(quick)(1.0)")
    view = view_of(kernel, output)
    view.send({"ask": 1, "whole": True})
    [log] = next(view.heard())["buffers"]
    record = msgspec.json.decode(zlib.decompress(log), type=schema.Log)
    assert [function.name for function in record.functions] == ["quick"]


def test_a_live_program_takes_the_place_of_no_report(kernel: Kernel) -> None:
    kernel.run("own", "import jax, jaxviz\ndef own(x): return jax.numpy.cos(x) * 2")
    for tool in ("profile", "statistics", "steps", "timeit"):
        [shown] = kernel.run(tool, f"jaxviz.{tool}(own)(5.0)")
        assert "jaxviz-in-" not in shown["data"]["text/html"]
        assert "<img " in shown["data"]["text/html"]


def test_a_notebook_executed_without_a_page_holds_no_script_and_no_widget() -> None:
    def executed(outputs: int) -> int:
        cells = ["%load_ext jaxviz\ndef twice(x): return x * 2", *["%jaxviz twice(1.0)"] * outputs]
        notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
        Executor(notebook).execute()
        assert "widgets" not in notebook.metadata
        return len(json.dumps(notebook))

    first, more = executed(1), executed(5)
    assert first < 10_000
    assert (more - first) / 4 < 8_000
