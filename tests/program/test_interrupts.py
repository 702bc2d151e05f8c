"""An interrupt at any line of ours reaches the user, and what is left behind lets everything
through until the next cell, which takes it away. The user's signal handlers stay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parents[1]
WATCHING = ["watch", "cell", "cells_on", "profiled_watch"]
SHOWING = ["inspect", "display", "explain", "compare", "find_nan", "timeit", "profile"]
STEPS = ["steps", "--probes"]
SHORT = ["--others", "27"]
"""Lines of each tool outside of files that register, replace or open something: 300 in all."""


def told(script: str, *arguments: str) -> list[dict[str, Any]]:
    """The report of a script in its own process."""
    command = [sys.executable, str(HERE / script), *arguments]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def check_interrupts(*arguments: str) -> None:
    reports = told("interrupts.py", *arguments)
    for report in reports:
        counts = {name: len(report[name]) for name in ("missed", "undelivered", "faults")}
        print({**report, **counts})
    assert [fault for report in reports for fault in report["faults"]] == []
    assert all(report["interrupted"] > 20 for report in reports)


@pytest.mark.parametrize("tools", [WATCHING, SHOWING, STEPS], ids=lambda tools: tools[0])
def test_what_an_interrupt_leaves_behind_heals(tools: list[str]) -> None:
    check_interrupts(*tools, *SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("tools", [*[[tool] for tool in (*WATCHING, *SHOWING)], STEPS], ids=str)
def test_what_an_interrupt_at_any_line_leaves_behind_heals(tools: list[str]) -> None:
    check_interrupts(*tools)


def check_bursts(times: int) -> None:
    [report] = told("bursts.py", "--times", str(times))
    print(report)
    assert report["faults"] == []


def test_bursts_of_interrupts_leave_nothing_behind() -> None:
    check_bursts(4)  # one in each kind of cell; `make test-all` sends 200


@pytest.mark.slow
def test_many_bursts_of_interrupts_leave_nothing_behind() -> None:
    check_bursts(200)


USER = """
import os, signal, sys
from signal import SIG_BLOCK, SIGINT, SIGUSR1, SIGUSR2, getsignal, pthread_sigmask

def now():
    numbers = sorted(signal.valid_signals())
    return [*map(getsignal, numbers)], pthread_sigmask(SIG_BLOCK, [])

def loss(w, x):
    os.kill(os.getpid(), SIGINT)
    os.kill(os.getpid(), SIGUSR1)
    within.append(now())
    return (x @ w).sum()

sys.path.insert(0, TESTS)
import interrupted_tools as use
seen, within = [], []
for number in (SIGINT, SIGUSR1):
    signal.signal(number, lambda number, frame: seen.append(number))
pthread_sigmask(SIG_BLOCK, {SIGUSR2})
before = now()
use.loss, use.LOSS = loss, use.jax.jit(loss)
for tool in use.TOOLS.values():
    tool()
    within.append(now())
assert all(one == before for one in within)
assert len(seen) == 2 * (len(within) - len(use.TOOLS)) > 10
print("as before")
"""


def test_the_signal_handlers_of_the_user_stay_while_a_tool_runs(tmp_path: Path) -> None:
    script = tmp_path / "user.py"
    script.write_text(USER.replace("TESTS", repr(str(HERE))), encoding="utf-8")
    answer = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "as before" in answer.stdout, answer.stderr
