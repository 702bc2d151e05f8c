"""`%%jaxviz` in a real kernel: the log grows while the cell runs."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from cells import DISPLAYS, SETUP, logs, numbers, ran, seen, until_printed, word
from notebook import OUTPUTS, Kernel, kernel_fixture, log_of, page, view_of

from jaxviz import schema
from jaxviz.display.running_cell import WIDGET
from jaxviz.sentences import sentence

kernel = kernel_fixture(SETUP)


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
    shown = [schema.LOG_MIME, "text/plain", "text/html"]
    assert list(updates[-1]["content"]["data"]) == shown


@pytest.mark.parametrize("asked", [{"allow_stdin": True}, {}])
def test_a_console_and_an_engine_of_ipyparallel_have_the_log_once_in_the_end(
    kernel: Kernel, asked: dict[str, bool]
) -> None:
    content = {"code": "%%jaxviz\njax.jit(lambda x: x)(x3)", "silent": False, **asked}
    messages = [*kernel.until_idle(kernel.send("execute_request", content))]
    shown = [message for message in messages if message["msg_type"].endswith("display_data")]
    assert [message["msg_type"] for message in shown] == ["display_data"]
    [log] = logs(shown)
    assert not log.running
    assert "1 trace" in shown[0]["content"]["data"]["text/plain"]


def test_an_engine_of_ipyparallel_has_a_stage_that_took_long_and_no_progress(
    kernel: Kernel,
) -> None:
    code = """def long(x):
    for turn in range(60):
        x = jnp.sin(x) @ jnp.cos(x * turn)
    return x
%jaxviz long(jnp.ones((8, 8))) --stage hlo"""
    content = {"code": code, "silent": False}
    messages = kernel.until_idle(kernel.send("execute_request", content))
    [shown] = [message for message in messages if message["msg_type"] in DISPLAYS]
    assert shown["content"]["data"]["text/plain"].startswith("long(x)")


def test_in_vs_code_a_log_ends_as_a_widget(kernel: Kernel) -> None:
    [*_, log] = kernel.run("vscode-notebook-cell:/one.ipynb#X1", "%%jaxviz\nstep(x3)")
    assert list(log["data"]) == [schema.LOG_MIME, "text/plain", "text/html", WIDGET]


def test_while_nothing_happens_nothing_is_reported(kernel: Kernel, gate: Path) -> None:
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
for n in range(3_000):
    flooded.eval_shape(jax.ShapeDtypeStruct((n,), jnp.float32))
    if n % 10 == 0: print(n)
"""


def test_a_flood(kernel: Kernel) -> None:
    messages = ran(kernel, FLOOD)
    [*_, log] = logs(messages)
    [function] = [function for function in log.functions if function.name == "flooded"]
    assert (function.traces, function.retraces) == (3_000, 2_999)
    assert len(log.events) + log.omitted == 3_000
    assert all(event.reason[0].where == "x" for event in log.events if event.again)
    log_shown, *printed = page(messages)
    assert log_of(log_shown) == log
    assert "".join(one["text"] for one in printed) == "".join(f"{n}\n" for n in range(0, 3_000, 10))
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
    before = until_printed(messages, "one\n")
    kernel.manager.interrupt_kernel()
    outputs = page([*before, *messages])
    assert [word(output) for output in outputs] == ["log", "one\n", "KeyboardInterrupt"]
    log = log_of(outputs[0])
    assert log is not None
    assert (log.error, log.running) == ("KeyboardInterrupt", False)


def test_an_interrupt_of_what_is_awaited(kernel: Kernel) -> None:
    code = "%%jaxviz\nimport asyncio; print('one')\nwhile True: await asyncio.sleep(0.01)"
    messages = kernel.until_idle(kernel.begin("awaiting", code))
    before = until_printed(messages, "one\n")
    kernel.manager.interrupt_kernel()
    outputs = page([*before, *messages])
    assert [word(output) for output in outputs] == ["log", "one\n", "CancelledError"]
    log = log_of(outputs[0])
    assert log is not None
    assert (log.error, log.running) == ("CancelledError", False)


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
        view = view_of(kernel, key)
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
        assert view.error(3) == str(sentence("trace gone"))
        view.send({"ask": 4, "stage": "hlo"})
        assert view.error(4) == str(sentence("unknown question"))
    gate.write_text("")
    assert [m for m in kernel.until_idle(kernel.begin("", "")) if m["msg_type"] in OUTPUTS] == []


def test_a_log_that_is_the_last_value_is_shown_and_can_be_asked(kernel: Kernel) -> None:
    code = "with jaxviz.watch() as log:\n    step(jnp.ones(77))\nlog"
    [output] = kernel.run("last", code)
    log = log_of(output)
    assert log is not None
    assert not output["data"][schema.LOG_MIME]["strip"]
    assert len(json.dumps(output)) < 200_000
    view = view_of(kernel, output)
    view.send({"ask": 1, "trace": log.events[0].number})
    assert view.answer(1)[0] == {"ask": 1, "done": True}
    kernel.run("last", "jaxviz.Program.name.fget(log.program(log.events[0].number))")
    view.send({"ask": 2, "trace": log.events[0].number})
    assert "no longer has the objects" in view.error(2)
