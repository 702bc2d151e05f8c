"""The panel gets the state of a kernel over a comm, and may ask questions."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import msgspec
from notebook import Comm, Kernel, kernel_fixture

from jaxviz import schema
from jaxviz.display import decode
from jaxviz.sentences import sentence

SETUP = """
%load_ext jaxviz
import threading
import jax, jax.numpy as jnp
x3, x4, x5 = (jnp.ones(n) for n in (3, 4, 5))
@jax.jit
def step(x):
    return jnp.sin(x) * 2
def panels():
    return [one for one in threading.enumerate() if one.name == "jaxviz panel"]
"""
PANEL = {"version": schema.VERSION, "panel": True}
kernel = kernel_fixture(SETUP, "function")


class Seen:
    """A panel that is seen: it reads what comes, and says so."""

    def __init__(self, kernel: Kernel) -> None:
        self.comm = Comm(kernel, {**PANEL, "ask": 1, "follow": True})
        self.came = self.comm.heard()

    def told(self) -> schema.Panel:
        """The next state of the kernel that the panel gets."""
        panel, told = self.next()
        while panel is None:
            panel, told = self.next()
        assert told == {"ask": 1, "state": True}
        return panel

    def next(self) -> tuple[schema.Panel | None, Any]:
        message = next(self.came)
        if not message["buffers"]:
            return None, message["content"]["data"]
        self.comm.send({"heard": 1})
        data = zlib.decompress(bytes(message["buffers"][0]))
        return msgspec.json.decode(data, type=schema.Panel), message["content"]["data"]

    def until(self, fits: Any) -> schema.Panel:
        panel = self.told()
        while not fits(panel):
            panel = self.told()
        return panel


def test_it_is_reported_at_once_and_when_something_changed(kernel: Kernel) -> None:
    seen = Seen(kernel)
    first = seen.told()
    assert (first.watching, first.log.events, first.captures, first.since) == (False, [], [], 0)
    kernel.begin("on", "%jaxviz on")
    assert seen.told().watching
    kernel.begin("steps", "step(x3); step(x4); step(x5)")
    panel = seen.until(lambda panel: panel.since == 2)
    [step] = [one for one in panel.log.functions if one.name == "step"]
    assert (step.traces, step.retraces) == (3, 2)
    kernel.begin("none", "step(x3)")
    assert seen.until(lambda panel: panel.since == 0).log.functions[0].retraces == 2
    kernel.begin("placed", "step(jax.device_put(x3, jax.devices()[0]))")
    panel = seen.until(lambda panel: panel.since == 1)
    assert (panel.recompiled, panel.relowered) == (1, 0)
    kernel.begin("shown", "%jaxviz step(x3)")
    [capture] = seen.until(lambda panel: panel.captures).captures
    assert (capture.name, capture.cell, capture.count) == ("step", "shown", 6)
    assert capture.definition is not None
    assert (capture.definition.cell, capture.definition.line) == ("setup", 7)


def test_while_nothing_changes_nothing_is_reported(kernel: Kernel) -> None:
    seen = Seen(kernel)
    seen.told()
    for _ in range(3):
        assert kernel.run("quiet", "step(x3); step(x4); None") == []
    seen.comm.send({"ask": 2, "clear": True})
    assert seen.next() == (None, {"ask": 2, "done": True})


def test_a_hidden_panel_gets_no_events(kernel: Kernel) -> None:
    seen = Seen(kernel)
    seen.told()
    seen.comm.send({"stop": 1})
    kernel.run("on", "%jaxviz on\nstep(x3); step(x4); %jaxviz step(x3)")
    seen.comm.send({"ask": 2, "clear": True})
    assert seen.next() == (None, {"ask": 2, "done": True})


def test_it_is_reported_while_a_cell_runs_and_asks_for_the_program(
    kernel: Kernel, tmp_path: Path
) -> None:
    (gate := tmp_path / "gate").touch()
    with kernel.beside():
        seen = Seen(kernel)
        seen.told()
    code = f"%jaxviz on\nstep(x3); step(x4)\nimport os\nwhile os.path.exists({str(gate)!r}): pass"
    request = kernel.begin("running", code)
    panel = seen.until(lambda panel: panel.since == 1)
    event = next(one for one in panel.log.events if one.again and one.kind == "trace")
    first = next(one for one in panel.log.events if one.kind == "trace")
    with kernel.beside():
        seen.comm.send({"ask": 2, "trace": event.number})
        seen.comm.send({"ask": 3, "compare": [first.number, event.number]})
    programs = {}
    while len(programs) < 2:
        message = next(seen.came)
        if message["content"]["data"].get("done"):
            programs[message["content"]["data"]["ask"]] = decode(bytes(message["buffers"][0]))
    assert programs[2].name == "step"
    assert programs[3].compared is not None
    gate.unlink()
    [*_] = kernel.until_idle(request)


def test_what_a_cell_has_kept_is_there_also_where_no_panel_was_seen(kernel: Kernel) -> None:
    """Nor anything shown under the cell."""
    kernel.run("on", "%jaxviz on")
    code = "g = jax.jit(lambda x: jnp.cos(x)); g(x3)\ndel g"
    assert kernel.run("kept", code) == []
    kernel.run("gone", "import gc; gc.collect(); jax.clear_caches()")
    seen = Seen(kernel)
    event = seen.told().log.events[-1]
    seen.comm.send({"ask": 2, "trace": event.number})
    data, stage = seen.comm.answer(2)
    assert data == {"ask": 2, "done": True}
    assert stage is not None
    assert [eqn.op for eqn in stage.graphs[0].eqns] == ["cos"]
    seen.comm.send({"ask": 3, "clear": True})
    seen.comm.send({"ask": 4, "trace": event.number})
    assert seen.comm.error(4) == str(sentence("trace gone"))


def test_it_turns_watching_on_and_off(kernel: Kernel) -> None:
    seen = Seen(kernel)
    seen.told()
    for number, on in ((2, True), (3, False)):
        seen.comm.send({"ask": number, "watch": on})
        heard = [seen.next(), seen.next()]
        assert (None, {"ask": number, "done": True}) in heard
        assert [panel.watching for panel, _ in heard if panel] == [on]


def test_what_happened_is_forgotten(kernel: Kernel) -> None:
    kernel.run("on", "%jaxviz on")
    kernel.run("steps", "step(x3); step(x4)\n%jaxviz step(x3)")
    seen = Seen(kernel)
    full = seen.told()
    assert (len(full.captures), full.log.functions[0].traces) == (1, 2)
    seen.comm.send({"ask": 2, "clear": True})
    panel = seen.until(lambda panel: panel.log.functions == [])
    assert (panel.captures, panel.watching) == ([], True)


def threads(kernel: Kernel) -> str:
    """The number of panels that follow the kernel. After a subshell was deleted, ipykernel may warn
    about its task on stderr, in whichever cell runs then."""
    said = kernel.run("check", "print(len(panels()))")
    return "".join(one["text"] for one in said if one["name"] == "stdout")


def test_a_page_that_is_gone_costs_nothing(kernel: Kernel) -> None:
    seen = Seen(kernel)
    seen.told()
    seen.comm.close()
    kernel.run("on", "%jaxviz on\nstep(x3); step(x4)")
    assert threads(kernel) == "0\n"


def test_a_page_that_left_without_a_word_costs_nothing(kernel: Kernel) -> None:
    for _ in range(3):
        with kernel.beside():
            left, subshell = Seen(kernel), kernel.subshell
            left.told()
        assert kernel.control("delete_subshell_request", {"subshell_id": subshell})
    seen = Seen(kernel)
    seen.told()
    kernel.run("wait", "while len(panels()) > 1: pass")
    assert threads(kernel) == "1\n"
