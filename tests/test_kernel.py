"""`%jaxviz` in a real kernel, whose cells have ids."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from jaxviz import schema
from jaxviz.display import decode


class Kernel:
    """A kernel that runs cells as JupyterLab sends them, with their ids."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client

    def run(self, cell: str, code: str) -> list[dict[str, Any]]:
        """The contents of the cell's outputs."""
        content = {"code": code, "silent": False, "store_history": True, "stop_on_error": False}
        message = self.client.session.msg(
            "execute_request", content, metadata={"cellId": cell, "deletedCells": []}
        )
        self.client.shell_channel.send(message)
        outputs: list[dict[str, Any]] = []
        while True:
            reply = self.client.get_iopub_msg(timeout=120)
            if reply["parent_header"].get("msg_id") != message["msg_id"]:
                continue
            kind, found = reply["msg_type"], reply["content"]
            if kind == "status" and found["execution_state"] == "idle":
                return outputs
            if kind in ("stream", "display_data", "execute_result", "error"):
                outputs.append(found)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_in_a_kernel(kernel: Kernel) -> None:
    early = "%load_ext jaxviz\nimport jax.numpy as jnp\ndef early(x): return jnp.sin(x) * 2"
    assert kernel.run("a-1", early) == []
    assert kernel.run("b-2", "\n\ndef late(x):\n    return jnp.cos(x)") == []
    [first] = kernel.run("c-3", "%jaxviz early(1.0)")
    assert kernel.run("d-4", "p = %jaxviz -o late(1.0)") == []
    [second] = kernel.run("e-5", "p")
    for output, place in [(first, ("a-1", 1, 3)), (second, ("b-2", 2, 4))]:
        assert list(output["data"]) == [
            schema.MIME,
            "text/plain",
            "text/html",
            "application/vnd.jupyter.widget-view+json",
        ]
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


def living(kernel: Kernel) -> int:
    """How many widgets the kernel keeps."""
    counting = "import ipywidgets; print(len(ipywidgets.Widget.get_manager_state()['state']))"
    [printed] = kernel.run("counting", counting)
    return int(printed["text"])


def test_a_cell_that_runs_again_closes_the_widgets_it_showed(kernel: Kernel) -> None:
    kernel.run("once", "%load_ext jaxviz\ndef twice(x): return x * 2")
    before = living(kernel)
    kernel.run("other", "%jaxviz twice(1.0)")
    each = living(kernel) - before
    assert each > 0
    for _ in range(3):
        assert len(kernel.run("again", "%jaxviz twice(1.0)\n%jaxviz twice(2.0)")) == 2
        assert living(kernel) == before + 3 * each


def program_of(display: dict[str, Any]) -> schema.Program:
    assert display["version"] == schema.VERSION
    return decode(b64decode(display["program"]))
