"""Python loops that run many small programs, in profiled cells."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, shell_fixture
from truth.findings import _MARK
from truth.findings_of_profiles import FOUND, SILENT

import jaxviz
from jaxviz.schema import PythonLoop
from jaxviz.tools.profile import cell
from jaxviz.tools.profile.capture import loop_calls


def profiled(run: Callable[[], Any]) -> jaxviz.Log:
    run()
    with jaxviz.watch(profile=True) as log:
        run()
    return log


def loops_of(log: jaxviz.Log) -> tuple[PythonLoop, ...]:
    assert log.profile is not None
    return log.profile.times.loops


@pytest.fixture
def at_any_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are reported however long they take here, so that only the code decides."""
    monkeypatch.setattr(loop_calls, "LONGEST_CALL", 10.0)
    monkeypatch.setattr(cell, "LEAST_OF_LOOP", 0.0)
    monkeypatch.setattr(cell, "MOST_OF_XLA", 1.0)


@pytest.mark.usefixtures("at_any_speed")
@pytest.mark.parametrize("run", FOUND, ids=lambda run: run.__name__)
def test_a_profile_has_the_loops_that_its_comments_say(run: Callable[[], Any]) -> None:
    check(run)


@pytest.mark.parametrize("run", SILENT, ids=lambda run: run.__name__)
def test_a_profile_reports_no_other_loops(run: Callable[[], Any]) -> None:
    check(run)


def check(run: Callable[[], Any]) -> None:
    lines, start = inspect.getsourcelines(run)
    marked = [("python-loop", start + at) for at, line in enumerate(lines) if _MARK.search(line)]
    log = profiled(run)
    found = [(one.kind, one.at.line if one.at else 0) for one in log.findings]
    assert [one for one in found if one[0] == "python-loop"] == marked, log
    for loop in loops_of(log):
        assert 0 <= loop.running <= loop.seconds <= log.seconds


@pytest.mark.usefixtures("at_any_speed")
def test_the_time_of_a_loop_is_in_the_text_of_its_log() -> None:
    [run] = [one for one in FOUND if one.__name__ == "several_ops"]
    log = profiled(run)
    [loop] = loops_of(log)
    assert loop.programs in range(1590, 1601)
    assert "ran 1,600 programs outside jit" in " ".join(str(log).split())


@pytest.mark.usefixtures("at_any_speed")
def test_calls_of_other_loops_are_not_its_own() -> None:
    def run() -> Any:
        x = jnp.ones(8)
        for _ in range(300):
            x = jnp.sin(x) * 2
        for _ in range(400):
            x = jnp.cos(x) * 3
        return x

    lines = [loop.site.code for loop in loops_of(profiled(run))]
    assert lines == ["for _ in range(400):", "for _ in range(300):"]


shell = shell_fixture("", "function")


@pytest.mark.usefixtures("at_any_speed")
def test_a_loop_of_a_cell_is_found(shell: InteractiveShell) -> None:
    code = (
        "import jax.numpy as jnp, jaxviz\nx = jnp.ones(8)\n"
        "for _ in range(500):\n    x = jnp.sin(x) * 2\n"
    )
    Run(shell, code).result.raise_error()
    assert "a Python loop at cell" in Run(shell, f"%%jaxviz --profile\n{code}").out
