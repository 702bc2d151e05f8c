"""A log in a cell that clears or captures its outputs, and a log as a strip of events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from cells import SETUP, logs, numbers, ran, seen, word
from notebook import Kernel, Message, kernel_fixture, log_of, page

from jaxviz import schema

kernel = kernel_fixture(SETUP)


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


@pytest.fixture
def watching(kernel: Kernel) -> Iterator[Kernel]:
    """Watching is on, and `step` was traced, which is new."""
    kernel.run("on", f"step = jax.jit(lambda x: x * {next(numbers)})")
    assert said(ran(kernel, "%jaxviz on\nstep(x3);")) == []
    yield kernel
    assert said(ran(kernel, "%jaxviz off")) == []


def said(messages: list[Message]) -> list[str]:
    """All messages but those of any cell; one print that the kernel sends in parts is one."""
    kinds = [message["msg_type"] for message in messages]
    own = (kind for kind in kinds if kind not in ("status", "execute_input"))
    return [kind for kind, parts in groupby(own) for _ in ([0] if kind == "stream" else parts)]


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
