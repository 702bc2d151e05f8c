"""`%jaxviz` in a real kernel, whose cells have ids."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import msgspec
import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from notebook import Executor, Kernel, kernel_fixture, log_of, program_of, view_of

from jaxviz import schema
from jaxviz.display.running_cell import CELL

kernel = kernel_fixture()


def test_in_a_kernel(kernel: Kernel) -> None:
    early = "%load_ext jaxviz\nimport jax.numpy as jnp\ndef early(x): return jnp.sin(x) * 2"
    assert kernel.run("a-1", early) == []
    assert kernel.run("b-2", "\n\ndef late(x):\n    return jnp.cos(x)") == []
    [first] = kernel.run("c-3", "%jaxviz early(1.0)")
    assert kernel.run("d-4", "p = %jaxviz -o late(1.0)") == []
    [second] = kernel.run("e-5", "p")
    for output, place in [(first, ("a-1", 1, 3)), (second, ("b-2", 2, 4))]:
        assert list(output["data"]) == [schema.MIME, "text/plain", "text/html"]
        assert len(json.dumps(output)) <= 200_000
        frames = program_of(output["data"][schema.MIME]).stages[0].frames
        assert place in [(frame.cell, frame.count, frame.line) for frame in frames]
    [error] = kernel.run("f-6", "%jaxviz los(1.0)")
    assert error["ename"] == "NameError"
    [listed] = kernel.run("g-7", "%jaxviz")
    assert [line.split()[:3] for line in listed["text"].splitlines()] == [
        ["early", "cell", "[3]"],
        ["late", "cell", "[4]"],
    ]


def test_a_page_may_have_it_traced_once_more(kernel: Kernel) -> None:
    defined = "%load_ext jaxviz\nran = []\ndef f(x):\n    ran.append(x)\n    return x + 1\n"
    *_, output = kernel.run("steps", f"{defined}%jaxviz f(1)")
    view = view_of(kernel, output)
    view.send({"ask": 1, "steps": True})
    display = msgspec.json.decode(zlib.decompress(view.last(1)[1]))
    assert [step["eqns"] for step in display["report"]["steps"]] == [[], [], [0]]
    assert kernel.run("ran", "print(len(ran))")[0]["text"] == "2\n"


def living(kernel: Kernel) -> int:
    """The number of widgets in the kernel."""
    counting = "import ipywidgets; print(len(ipywidgets.Widget.get_manager_state()['state']))"
    return int("".join(output["text"] for output in kernel.run("counting", counting)))


def test_a_cell_of_vs_code_that_runs_again_closes_the_widgets_it_showed(kernel: Kernel) -> None:
    other, again = f"{CELL}/one.ipynb#X1", f"{CELL}/one.ipynb#X2"
    kernel.run("once", "%load_ext jaxviz\ndef twice(x): return x * 2")
    before = living(kernel)
    kernel.run(other, "%jaxviz twice(1.0)")
    each = living(kernel) - before
    assert each > 0
    for _ in range(3):
        assert len(kernel.run(again, "%jaxviz twice(1.0)\n%jaxviz twice(2.0)")) == 2
        assert living(kernel) == before + 3 * each


SETUP = """
%load_ext jaxviz
import asyncio, jax, jaxviz, jax.numpy as jnp
step = jax.jit(lambda x: x * 2)
x3, x4, x5 = jnp.ones(3), jnp.ones(4), jnp.ones(5)
with jaxviz.watch(): step(x3)
"""


def test_a_notebook_that_traces_again_too_often_stops(tmp_path: Path) -> None:
    cells = [
        SETUP,
        "%%jaxviz --max-retraces 1\nstep(x4); 7",
        "%%jaxviz --max-retraces 0\nawait asyncio.sleep(0); step(x5);",
        "print('never')",
    ]
    book = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    with pytest.raises(CellExecutionError, match=r"RetraceError: 1 retrace, and max_retraces is 0"):
        Executor(book, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    kinds = [[output.output_type for output in cell.outputs] for cell in book.cells]
    assert kinds == [[], ["display_data", "execute_result"], ["display_data", "error"], []]
    log = log_of(book.cells[1].outputs[0])
    assert log is not None
    assert not log.running
    nbformat.validate(book)
