"""`%%jaxviz` in a real kernel: the log grows while the cell runs; outputs stay whole."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from notebook import OUTPUTS, Comm, Kernel, Message, log_of, page, started

from jaxviz import schema
from jaxviz.display.traces import LOST

SETUP = """
%load_ext jaxviz
import sys, threading
from unittest import mock
import jax, jax.numpy as jnp
from IPython.display import clear_output, display
x3, x4, x5, x6, x7 = (jnp.ones(n) for n in (3, 4, 5, 6, 7))
@jax.jit
def step(x):
    return jnp.sin(x) * 2
import jaxviz
with jaxviz.watch(): step(x3)
ran = []
"""
numbers = count()
DISPLAYS = ("display_data", "update_display_data")


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as kernel:
        kernel.run("setup", SETUP)
        yield kernel


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A pipe: who reads it waits until somebody writes."""
    pipe = tmp_path / "gate"
    os.mkfifo(pipe)
    return pipe


def logs(messages: list[Message]) -> list[schema.Log]:
    """What was shown of logs, in turn."""
    found = [log_of(message["content"]) for message in messages if message["msg_type"] in DISPLAYS]
    return [log for log in found if log is not None]


def ran(kernel: Kernel, code: str) -> list[Message]:
    """What the kernel says of a new cell."""
    return [*kernel.until_idle(kernel.begin(f"cell-{next(numbers)}", code))]


def seen(kernel: Kernel, code: str) -> tuple[schema.Log | None, list[Any]]:
    """The last log that the page shows, and a word on each output, in their order."""
    outputs = page(ran(kernel, code))
    found = [log for log in map(log_of, outputs) if log is not None]
    assert len(found) <= 1
    return found[0] if found else None, [word(output) for output in outputs]


def word(output: Message) -> str:
    if log_of(output):
        return "log"
    return output.get("text") or output.get("ename") or output["data"]["text/plain"]


def test_the_users_outputs_are_whole_and_in_order_below_the_log(kernel: Kernel) -> None:
    code = "print('one'); step(x4)\nprint('two', file=sys.stderr); display(3)\nprint('four'); 5"
    log, outputs = seen(kernel, f"%%jaxviz\n{code}")
    assert outputs == ["log", "one\n", "two\n", "3", "four\n", "5"]
    assert log is not None
    assert (log.running, log.error) == (False, None)
    assert [(event.kind, event.name, event.again) for event in log.events] == [
        ("trace", "step", True),
        ("lower", "step", False),
        ("compile", "step", False),
    ]
    site = log.events[0].site
    assert site is not None
    assert (site.cell, site.line) == (f"cell-{next(numbers) - 1}", 2)


def test_the_log_is_there_from_the_start_and_grows_while_the_cell_runs(
    kernel: Kernel, gate: Path
) -> None:
    request = kernel.begin("growing", f"%%jaxviz\nstep(x5)\nopen({str(gate)!r}).read()\nstep(x6)")
    messages = kernel.until_idle(request)
    first = next(message for message in messages if message["msg_type"] == "display_data")
    [log] = logs([first])
    assert (log.running, log.events) == (True, [])
    grown = next(log for message in messages for log in logs([message]) if log.functions)
    while len(grown.events) < 3:
        grown = next(log for message in messages for log in logs([message]))
    assert grown.running
    assert [function.name for function in grown.functions] == ["step"]
    gate.write_text("")
    rest = [*messages]
    [*_, last] = logs(rest)
    assert (last.running, len(last.events)) == (False, 6)
    updates = [message for message in rest if message["msg_type"] == "update_display_data"]
    assert all(m["content"]["transient"] == first["content"]["transient"] for m in updates)
    assert list(updates[-1]["content"]["data"]) == [
        schema.LOG_MIME,
        "text/plain",
        "text/html",
        "application/vnd.jupyter.widget-view+json",
    ]


def test_while_nothing_happens_nothing_is_said(kernel: Kernel, gate: Path) -> None:
    request = kernel.begin("quiet", f"%%jaxviz\nstep(x3)\nopen({str(gate)!r}).read(); step(x3)")
    messages = kernel.until_idle(request)
    next(message for message in messages if message["msg_type"] == "display_data")
    gate.write_text("")
    [*_, last] = rest = logs([*messages])
    assert len(rest) == 1
    assert last.events == []


FLOOD = """%%jaxviz
@jax.jit
def flooded(x): return x
for n in range(10_000):
    flooded.eval_shape(jax.ShapeDtypeStruct((n,), jnp.float32))
    if n % 10 == 0: print(n)
"""


def test_a_flood(kernel: Kernel) -> None:
    messages = ran(kernel, FLOOD)
    [*_, log] = logs(messages)
    [function] = [function for function in log.functions if function.name == "flooded"]
    assert (function.traces, function.retraces) == (10_000, 9_999)
    assert len(log.events) + log.omitted == 10_000
    assert all(event.reason[0].where == "x" for event in log.events if event.again)
    log_shown, *printed = page(messages)
    assert log_of(log_shown) == log
    assert "".join(one["text"] for one in printed) == "".join(
        f"{n}\n" for n in range(0, 10_000, 10)
    )
    updates = [message for message in messages if message["msg_type"] in DISPLAYS]
    dates = [message["header"]["date"] for message in updates]
    every_20 = zip(dates, dates[20:], strict=False)
    assert all(later - date > timedelta(seconds=1) for date, later in every_20)
    assert all(len(json.dumps(message["content"])) < 200_000 for message in updates)


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("await step", "TypeError"),
    ],
)
def test_a_cell_that_fails_fails_as_ever_and_the_log_says_so(
    kernel: Kernel, failing: str, error: str
) -> None:
    log, outputs = seen(kernel, f"%%jaxviz\nprint('one')\n{failing}\nprint('two')")
    assert outputs[:3] == ["log", "one\n", error]
    assert log is not None
    assert (log.error, log.running) == (error, False)


def test_a_cell_that_does_not_begin_shows_nothing(kernel: Kernel) -> None:
    assert seen(kernel, "%%jaxviz\nprint('one')\n1 +") == (None, ["SyntaxError"])


def test_an_interrupt(kernel: Kernel, gate: Path) -> None:
    code = f"%%jaxviz\nprint('one')\nopen({str(gate)!r}).read()\nprint('two')"
    messages = kernel.until_idle(kernel.begin("interrupted", code))
    before = [next(m for m in messages if m["msg_type"] == kind) for kind in DISPLAYS[:1]]
    before += [next(m for m in messages if m["msg_type"] == "stream")]
    kernel.manager.interrupt_kernel()
    outputs = page([*before, *messages])
    assert [word(output) for output in outputs] == ["log", "one\n", "KeyboardInterrupt"]
    log = log_of(outputs[0])
    assert log is not None
    assert (log.error, log.running) == ("KeyboardInterrupt", False)


def test_an_interrupt_of_what_is_awaited(kernel: Kernel) -> None:
    code = "%%jaxviz\nimport asyncio; print('one')\nwhile True: await asyncio.sleep(0.01)"
    messages = kernel.until_idle(kernel.begin("awaiting", code))
    before = [next(m for m in messages if m["msg_type"] == kind) for kind in DISPLAYS[:1]]
    before += [next(m for m in messages if m["msg_type"] == "stream")]
    kernel.manager.interrupt_kernel()
    outputs = page([*before, *messages])
    assert [word(output) for output in outputs] == ["log", "one\n", "CancelledError"]
    log = log_of(outputs[0])
    assert log is not None
    assert (log.error, log.running) == ("CancelledError", False)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print(1); clear_output(); print(2)", ["2\n", "log"]),
        ("print(1); clear_output()", ["log"]),
        ("print(1); clear_output(wait=True); print(2)", ["2\n", "log"]),
        ("print(1); clear_output(wait=True); display(2)", ["2", "log"]),
        ("print(1); clear_output(wait=True)", ["log", "1\n"]),
        ("clear_output(wait=True); 2", ["2", "log"]),
        ("clear_output(wait=True); 1 / 0", ["ZeroDivisionError", "log"]),
        ("for n in range(3): clear_output(wait=True); print(n)", ["2\n", "log"]),
        # Whatever came then would clear the user's last output.
        ("for n in range(3): print(n); clear_output(wait=True)", ["2\n"]),
        ("clear_output(wait=True); print(1); clear_output(); print(2)", ["2\n", "log"]),
    ],
)
def test_where_the_cell_clears_its_outputs(kernel: Kernel, code: str, expected: list[str]) -> None:
    assert seen(kernel, f"%%jaxviz\n{code}")[1] == expected


@pytest.mark.parametrize(
    "code",
    [
        "with out: clear_output(wait=True); display(1)",
        "with out: clear_output()",
        "clear_output(wait=True)\nwith out: display(1); print(2)",
    ],
)
def test_what_a_widget_captures_is_no_output_of_the_cells(kernel: Kernel, code: str) -> None:
    messages = ran(kernel, f"%%jaxviz\nimport ipywidgets; out = ipywidgets.Output()\n{code}")
    begun = [m["content"] for m in messages if m["msg_type"] == "display_data"]
    assert [log_of(one) is not None for one in begun] == [True, *([False] * ("display" in code))]
    [first, *_, last] = logs(messages)
    assert (first.running, last.running) == (True, False)


def test_threads_that_go_on_after_the_cell_say_nothing_more(kernel: Kernel, gate: Path) -> None:
    thread = f"""%%jaxviz
def later():
    open({str(gate)!r}).read()
    step(jnp.ones(90))
    done.set()
done = threading.Event()
threading.Thread(target=later).start()
"""
    [*_, log] = logs(ran(kernel, thread))
    assert not log.running
    gate.write_text("")
    messages = ran(kernel, "done.wait()")
    assert logs(messages) == []
    assert kernel.comms("jaxviz") == ["jaxviz"]


def test_the_kernel_is_asked_while_the_cell_runs(kernel: Kernel, gate: Path) -> None:
    code = f"""%%jaxviz
@jax.jit
def both(x): return x + 1
both(x3); both(x4)
open({str(gate)!r}).read()
"""
    messages = kernel.until_idle(kernel.begin("asked", code))
    shown = next(m["content"] for m in messages for log in logs([m]) if len(log.events) == 6)
    log = log_of(shown)
    assert log is not None
    first, _, _, second, _, compiled = log.events
    key = shown["data"][schema.LOG_MIME]["key"]
    with kernel.beside():
        view = Comm(kernel, {"version": schema.VERSION, "key": key})
        for ask, event in enumerate([first, compiled]):
            view.send({"ask": ask, "trace": event.number})
            told, stage = view.answer(ask)
            assert told == {"ask": ask, "done": True}
            assert stage is not None
            assert [eqn.op for eqn in stage.graphs[0].eqns] == ["add"]
            assert stage.cost is not None
        view.send({"ask": 2, "compare": [first.number, second.number]})
        told, stage = view.answer(2)
        assert told["done"]
        assert stage is not None
        assert "f32[3→4]" in stage.text
        view.send({"ask": 3, "trace": 10**9})
        assert view.answer(3)[0] == {"ask": 3, "error": LOST}
        view.send({"ask": 4, "stage": "hlo"})
        assert "no such thing" in view.answer(4)[0]["error"]
    gate.write_text("")
    assert [m for m in kernel.until_idle(kernel.begin("", "")) if m["msg_type"] in OUTPUTS] == []


def test_a_log_that_is_the_last_value_is_shown_and_can_be_asked(kernel: Kernel) -> None:
    code = "with jaxviz.watch() as log:\n    step(jnp.ones(77))\nlog"
    [output] = kernel.run("last", code)
    log = log_of(output)
    assert log is not None
    assert not output["data"][schema.LOG_MIME]["strip"]
    assert len(json.dumps(output)) < 200_000
    view = Comm(kernel, {"version": schema.VERSION, "key": output["data"][schema.LOG_MIME]["key"]})
    view.send({"ask": 1, "trace": log.events[0].number})
    assert view.answer(1)[0] == {"ask": 1, "done": True}
    kernel.run("last", "jaxviz.Program.name.fget(log.program(log.events[0].number))")
    view.send({"ask": 2, "trace": log.events[0].number})
    assert "no longer holds" in view.answer(2)[0]["error"]


@pytest.fixture
def watching(kernel: Kernel) -> Iterator[Kernel]:
    """Watching is on, and `step` was traced, which is new."""
    kernel.run("on", f"step = jax.jit(lambda x: x * {next(numbers)})")
    assert said(ran(kernel, "%jaxviz on\nstep(x3);")) == []
    yield kernel
    assert said(ran(kernel, "%jaxviz off")) == []


def said(messages: list[Message]) -> list[str]:
    """All messages but those of any cell."""
    kinds = [message["msg_type"] for message in messages]
    return [kind for kind in kinds if kind not in ("status", "execute_input")]


def test_a_cell_that_traces_nothing_again_says_nothing(watching: Kernel) -> None:
    code = "step(x3); jax.jit(lambda x: x)(x4); print('mine'); 7"
    assert said(ran(watching, code)) == ["stream", "execute_result"]


def test_a_strip_is_there_from_the_first_retrace(watching: Kernel, gate: Path) -> None:
    code = f"print('one'); step(x4)\nopen({str(gate)!r}).read(); print('two')\nstep(x5); 7"
    messages = watching.until_idle(watching.begin("strip", code))
    before = [next(messages)]
    while before[-1]["msg_type"] != "display_data":
        before.append(next(messages))
    [log] = logs(before)
    assert (log.running, log.functions[0].retraces) == (True, 1)
    gate.write_text("")
    outputs = page([*before, *messages])
    assert [word(output) for output in outputs] == ["one\n", "log", "two\n", "7"]
    display = outputs[1]["data"][schema.LOG_MIME]
    assert display["strip"]
    log = log_of(outputs[1])
    assert log is not None
    assert (log.running, log.functions[0].retraces) == (False, 2)


def test_one_log_where_a_watched_cell_asks_for_its_own(watching: Kernel) -> None:
    log, outputs = seen(watching, "%%jaxviz\nstep(x4); step(x5); 7")
    assert outputs == ["log", "7"]
    assert log is not None
    assert log.functions[0].retraces == 2


def test_outputs_that_the_user_captures_are_the_users(watching: Kernel) -> None:
    _, outputs = seen(watching, "%%capture mine\nprint('one'); step(x4); step(x5); 7")
    assert outputs == ["log"]
    printing = "print(len(mine.outputs), mine.stdout)"
    assert seen(watching, printing) == (None, ["1 one\n\n"])
    _, outputs = seen(watching, "%%jaxviz\n%%capture mine\nstep(x6); 8")
    assert outputs == ["log"]
    assert seen(watching, "print(mine.outputs[0].data)") == (None, ["{'text/plain': '8'}\n"])


FAULTS = {
    "the log": "'jaxviz.magics.watching.Log'",
    "the session": "'jaxviz.magics.watching.session.open'",
    "the display": "'jaxviz.magics.watching.Live'",
    "the place": "'jaxviz.display.live.Place'",
    "the bundle": "'jaxviz.display.live.log_bundle'",
    "the key": "'jaxviz.display.bundle.keep'",
    "the thread": "'jaxviz.display.live.Thread.start'",
    "the message": "'jaxviz.display.place.Place.put'",
    "the hook": "'jaxviz.display.place.Place._note'",
    "the hooks": "'ipykernel.zmqshell.ZMQDisplayPublisher.register_hook'",
    "the publisher": "'ipykernel.zmqshell.ZMQDisplayPublisher.publish'",
    "the widget": "'jaxviz.display.logs.widget_view'",
    "the programs": "'jaxviz.session.Log.settle'",
    "the end": "'jaxviz.magics.watching.Live.end'",
    "the record": "'jaxviz.session.Log.record'",
    "the summary": "'jaxviz.session.Log.__repr__'",
}
MINE = """
import warnings
print('one', step(x6).shape); warnings.warn('mine')
step(jnp.ones(len(ran) + 20)); ran.append(1); print('two')
"""


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_of_ours_changes_nothing_of_the_users(kernel: Kernel, fault: str) -> None:
    for last in ("7", "boom"):
        plain = users(kernel, f"#\n{MINE}{last}")
        kernel.run("fault", f"fault = mock.patch({FAULTS[fault]}, side_effect=Exception('ours'))")
        try:
            for switch, head in (("off", "%%jaxviz"), ("on", "#"), ("on", LIMITED)):
                kernel.run("switch", f"fault.start()\n%jaxviz {switch}")
                found = users(kernel, f"{head}\n{MINE}{last}")
                kernel.run("switch", "fault.stop()")
                assert found.stderr == plain.stderr
                assert found.stdout.startswith(plain.stdout)
                assert OURS.fullmatch(found.stdout.removeprefix(plain.stdout)), found.stdout
                limited = head == LIMITED and found.others[-1] == "RetraceError"
                assert found.others == [*plain.others, *(["RetraceError"] if limited else [])]
        finally:
            kernel.run("switch", "mock.patch.stopall()\n%jaxviz off")


LIMITED = "%%jaxviz --max-retraces 0"
OURS = re.compile(r"(?:\d+ traces?, .*)?", re.DOTALL)
"""Where no page shows the log, it is printed."""


class Users(NamedTuple):
    """What is the user's own of a cell's outputs."""

    stdout: str
    stderr: str
    others: list[str]


def users(kernel: Kernel, code: str) -> Users:
    outputs = [output for output in page(ran(kernel, code)) if not log_of(output)]
    text = {"stdout": "", "stderr": ""}
    for output in outputs:
        if "name" in output:
            text[output["name"]] += re.sub(r"\S*/ipykernel_\d+/\d+", "cell", output["text"])
    return Users(**text, others=[word(output) for output in outputs if "name" not in output])
