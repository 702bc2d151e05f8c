"""`%%jaxviz` and `%jaxviz on` print what was traced, in a shell without a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, fresh

import jaxviz
from jaxviz.magics import load_ipython_extension, unload_ipython_extension, watching
from jaxviz.magics.options import CELL
from jaxviz.session.session import Session

SETUP = """
import jax, jax.numpy as jnp
x3, x4, x5 = jnp.ones(3), jnp.ones(4), jnp.ones(5)
def made():
    return jax.jit(lambda x: jnp.sin(x) * 2)
step = made()
ran = []
"""


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.setattr(watching, "session", Session())
    yield from fresh(SETUP)


def printed(shell: InteractiveShell, code: str) -> str:
    run = Run(shell, code)
    assert run.result.success, run.out
    return run.out


def test_what_was_traced_is_printed_below(shell: InteractiveShell) -> None:
    out = printed(shell, "%%jaxviz\nprint('mine')\nstep(x3); step(x4);")
    mine, first, second, *rest = out.splitlines()
    assert mine == "mine"
    assert first.startswith("2 traces, 1 retrace among them, 2 compilations: ")
    assert second.startswith("  <lambda> (cell 1:5): 2 traces (1 retrace), 2 lowerings, 2 compi")
    assert any("x: f32[3→4] at cell 2:3" in line for line in rest)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("%%jaxviz\n1 + 1", 2),
        ("\n\n%%jaxviz   \n\n1 + 1", 2),
        ("  %%jaxviz\n  1 + 1", 2),
        ("%%jaxviz --hits\nx = !echo 2\nint(x[0])", 2),
        ("%%jaxviz\nfrom __future__ import annotations\nx: no_such_name = 2\nx", 2),
        ("%%jaxviz\nimport asyncio\nawait asyncio.sleep(0, 2)", 2),
        ("%%jaxviz\n\n%%capture captured\n1", None),
        ("%%jaxviz\n%%jaxviz\n1;", None),
        ("%%jaxviz\n", None),
    ],
)
def test_the_cell_runs_as_it_stands(shell: InteractiveShell, code: str, value: object) -> None:
    run = Run(shell, code)
    assert run.result.success, run.out
    assert run.result.result == value
    assert run.out.count("Nothing new was traced") == 1
    assert run.err == ""


def test_lines_are_the_cells_own(shell: InteractiveShell) -> None:
    run = Run(shell, "%%jaxviz\n\nx = 1\n1 / 0")
    assert isinstance(run.result.error_in_exec, ZeroDivisionError)
    assert "----> 4 1 / 0" in run.out
    assert "jaxviz/magics" not in run.out
    assert "Nothing new was traced" in run.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--hit", "there is no option --hit: write --hits; %%jaxviz? explains each."),
        (
            "--save p.json",
            (
                "there is no option --save: the options are --hits, --predict, --profile, --peak, "
                "--max-retraces, --help; %%jaxviz? explains each."
            ),
        ),
        ("--hits=2", "--hits takes no value: leave out '2'."),
        ("--max-retraces", "--max-retraces needs a value: write --max-retraces 0."),
        ("--profile --peak", "--peak needs a value: write --peak 2e12,1e11."),
        (
            "--peak measured",
            "--peak goes with --profile: write %%jaxviz --profile --peak 2e12,1e11.",
        ),
        (
            "--max-retraces=",
            "--max-retraces takes a number of at least 0, not '': write --max-retraces 0.",
        ),
        (
            "--max-retraces -1",
            "--max-retraces takes a number of at least 0, not '-1': write --max-retraces 0.",
        ),
        (
            "--max-retraces 1.5 --hits",
            "--max-retraces takes a number of at least 0, not '1.5': write --max-retraces 0.",
        ),
        (
            "step(x3)",
            (
                "%%jaxviz runs the cell below it and takes no call: write %jaxviz step(x3), with "
                "one %, to see the program of a call."
            ),
        ),
    ],
)
def test_of_a_line_that_is_wrong_a_sentence_and_the_cell_does_not_run(
    shell: InteractiveShell, line: str, message: str
) -> None:
    run = Run(shell, f"%%jaxviz {line}\nran.append(1)")
    assert not run.result.success
    assert run.err.strip() == f"UsageError: {message}"
    assert (run.out, shell.user_ns["ran"]) == ("", [])


@pytest.mark.parametrize("option", ["--max-retraces 1", "--max-retraces=1 --hits"])
def test_a_cell_that_traces_again_too_often_fails(shell: InteractiveShell, option: str) -> None:
    assert Run(shell, f"%%jaxviz {option}\nstep(x3); step(x4);").result.success
    run = Run(shell, f"%%jaxviz {option}\nstep(x5); step(jnp.ones(6)); ran.append(1);")
    assert shell.user_ns["ran"] == [1]
    assert not run.result.success
    error = run.result.error_in_exec
    assert isinstance(error, jaxviz.RetraceError)
    assert str(error).startswith("2 retraces, and max_retraces is 1.\n2 traces, 2 retraces")
    assert "RetraceError: 2 retraces, and max_retraces is 1." in run.out
    assert "Traceback" not in run.out
    assert not shell.last_execution_succeeded


def test_a_cell_that_failed_already_keeps_its_error(shell: InteractiveShell) -> None:
    run = Run(shell, "%%jaxviz --max-retraces 0\nstep(x3); step(x4); boom")
    assert isinstance(run.result.error_in_exec, NameError)


def test_from_on_until_off_cells_that_trace_again_say_so(shell: InteractiveShell) -> None:
    assert printed(shell, "%jaxviz on") == ""
    assert printed(shell, "%jaxviz on") == ""
    assert printed(shell, "step(x3); print('mine')") == "mine\n"
    assert printed(shell, "step(x3);") == ""
    out = printed(shell, "step(x4);")
    assert out.startswith("1 trace, 1 retrace among them, 1 compilation: ")
    assert printed(shell, "step(x4);") == ""
    assert printed(shell, "%jaxviz off") == ""
    assert printed(shell, "%jaxviz off") == ""
    assert printed(shell, "step(x5);") == ""


def test_the_running_cell_is_watched_too(shell: InteractiveShell) -> None:
    assert "1 retrace" in printed(shell, "%jaxviz on\nstep(x3); step(x4);")
    assert printed(shell, "%jaxviz off\nstep(x5);") == ""


def test_what_was_compiled_again_without_a_trace_counts_too(shell: InteractiveShell) -> None:
    assert printed(shell, "%jaxviz on\nstep(x3);") == ""
    out = printed(shell, "step(jax.device_put(x3, jax.devices()[0]));")
    assert out.startswith("0 traces, 0 retraces among them, 1 compilation")


def test_what_a_cell_defines_is_new_each_time_it_runs(shell: InteractiveShell) -> None:
    cell = "%%jaxviz --max-retraces 0\nnew = jax.jit(lambda x: x + 2)\nnew(x3); new(x3);"
    for _ in range(2):
        assert "1 trace, 0 retraces among them" in printed(shell, cell)
    assert "x: f32[3→4]" in printed(shell, "%%jaxviz\nnew(x4);")
    printed(shell, "%jaxviz on")
    assert printed(shell, "later = jax.jit(lambda x: x + 3)\nlater(x3);") == ""
    assert printed(shell, "later = jax.jit(lambda x: x + 3)\nlater(x3);") == ""


def test_cells_within_a_cell_belong_to_it(shell: InteractiveShell) -> None:
    within = "get_ipython().run_cell('step(x3);'); get_ipython().run_cell('step(x4);')\n"
    for head in ("%%jaxviz\n", "%jaxviz on\n"):
        shell.user_ns["step"] = shell.user_ns["made"]()
        out = printed(shell, f"{head}{within}print('mine');")
        assert out.startswith("mine\n2 traces")
        assert out.count("traces,") == 1


def test_a_cell_that_asks_for_its_log_shows_one_while_watching_is_on(
    shell: InteractiveShell,
) -> None:
    printed(shell, "%jaxviz on")
    assert printed(shell, "%%jaxviz\nstep(x3); step(x4);").count("among them") == 1


def test_as_a_function(shell: InteractiveShell) -> None:
    out = printed(shell, "get_ipython().run_cell_magic('jaxviz', '', 'step(x3); 5')")
    assert out.startswith("Out[2]: 5\n1 trace,")
    run = Run(shell, "get_ipython().run_cell_magic('jaxviz', '', 'boom'); ran.append(1)")
    assert isinstance(run.result.error_in_exec, NameError)
    assert shell.user_ns["ran"] == []
    with pytest.raises(jaxviz.RetraceError):
        shell.run_cell_magic("jaxviz", "--max-retraces 0", "step(x4); step(x5);")
    assert printed(shell, "step(jnp.ones(7));") == ""


def test_alone_it_lists_what_was_captured_and_traced(shell: InteractiveShell) -> None:
    printed(shell, "%jaxviz on")
    printed(shell, "step(x3);")
    out = printed(shell, "%jaxviz")
    assert out.startswith("Since %jaxviz on: 1 trace, 0 retraces among them")
    assert re.search(r"<lambda> \(cell 1:5\): 1 trace, 1 lowering, 1 compilation", out)
    Run(shell, "%jaxviz step(x3)")
    assert printed(shell, "%jaxviz").startswith("<lambda>")
    printed(shell, "%jaxviz off")
    assert "Since" not in printed(shell, "%jaxviz")


def test_help(shell: InteractiveShell) -> None:
    shown = shell.object_inspect_text("%%jaxviz")
    assert "%%jaxviz [--hits] [--predict] [--profile] [--peak PEAK]" in shown
    assert "Run the cell unchanged" in shown
    assert "%jaxviz on" in shell.object_inspect_text("%jaxviz")


@pytest.mark.parametrize("option", ["--help", "-h", "--hits --help"])
def test_help_is_printed_and_the_cell_does_not_run(shell: InteractiveShell, option: str) -> None:
    out = printed(shell, f"%%jaxviz {option}\nran.append(1)")
    assert out.startswith("what is recorded:\n  --hits ")
    assert shell.user_ns["ran"] == []
    call = f"get_ipython().run_cell_magic('jaxviz', {option!r}, 'ran.append(1)')"
    assert printed(shell, call) == out
    assert shell.user_ns["ran"] == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%jaxviz o", ["off", "on"]),
        ("%jaxviz of", ["off"]),
        ("%%jaxviz --", sorted(CELL.names)),
        ("%%jaxviz --hits --m", ["--max-retraces"]),
        ("%%jaxviz ", sorted(CELL.names)),
    ],
)
def test_completion(shell: InteractiveShell, line: str, expected: list[str]) -> None:
    with provisionalcompleter():
        found = [c.text for c in shell.Completer.completions(line, len(line))]
    assert [text for text in found if text.startswith("-") or text in ("on", "off")] == expected


def test_loading_in_the_midst_of_a_cell_and_again(shell: InteractiveShell) -> None:
    printed(shell, "%load_ext jaxviz")
    out = printed(shell, "%%jaxviz\nstep(x3);\n%reload_ext jaxviz\nstep(x4);")
    assert out.startswith("1 trace,")
    unload_ipython_extension(shell)
    assert "Cell magic `%%jaxviz` not found" in Run(shell, "%%jaxviz\n1").err
    load_ipython_extension(shell)
    code = "%load_ext jaxviz\nget_ipython().run_cell('1;')\n%jaxviz on\nstep(x5); step(x3)"
    assert "retrace" in printed(shell, code)
