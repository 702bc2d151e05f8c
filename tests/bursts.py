"""Sends bursts of interrupts to a cell that retraces a function 400 times, and checks what is left.

    python tests/bursts.py --times 10 --seed 1

runs an IPython shell in a process of its own and prints a JSON object. A burst is four signals
SIGINT within 150 ms. Half of the bursts begin as the cell does.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import left_behind
from interrupts import PACKAGE
from shells import SETUP, fresh

LOOP = """
grown = jax.jit(lambda x: x * 2)
for size in range(1, 401):
    grown(np.ones(size))
"""
CELLS = {
    "%%jaxviz": f"%%jaxviz\n{LOOP}",
    "%%jaxviz --hits": f"%%jaxviz --hits\n{LOOP}",
    "watch": f"with jaxviz.watch() as log:{LOOP}".replace("\n", "\n    "),
    "%jaxviz on": LOOP,
}
SECONDS = 0.15


def send(times: list[float], sent: threading.Event) -> None:
    """Sends a signal at each of these times, in seconds from now."""
    began, never = time.monotonic(), threading.Event()
    for at in sorted(times):
        never.wait(max(0.0, began + at - time.monotonic()))
        os.kill(os.getpid(), signal.SIGINT)
    sent.set()


def survived(step: Callable[[], object]) -> None:
    """Takes a step again until it is not interrupted."""
    while True:
        try:
            step()
            return
        except KeyboardInterrupt:
            continue


class Bursts:
    """A shell that gets bursts of interrupts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.shell: Any = next(SHELL)
        self.shell.run_cell("import jaxviz")
        self.shell.run_cell(LOOP)
        self.within: list[str] = []
        """The files whose lines were interrupted, and the callbacks in which Python dropped one."""
        self.lost: list[str] = []
        """Bursts that the cell does not show, with their places. JAX or Python dropped them, or the
        last ones interrupted IPython while it showed the first."""
        self.is_ended = False
        """True if the cell ended by an exception, shown or not."""
        signal.signal(signal.SIGINT, self._interrupted)
        sys.unraisablehook = lambda lost: self.within.append(f"a callback: {lost.object!r}")
        self.before = left_behind.world()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Does as Python's own handler."""
        self.within.append("" if frame is None else frame.f_code.co_filename)
        raise KeyboardInterrupt

    def burst(self, cell: str) -> list[str]:
        """Faults after a burst within a cell."""
        if cell == "%jaxviz on":
            self.shell.run_cell(cell)
        begin = self.random.choice((0.0, self.random.uniform(0, 2 * SECONDS)))
        times = [begin + self.random.uniform(0, SECONDS) for _ in range(4)]
        sent = threading.Event()  # `Thread.join` may return too early once it was interrupted
        sender = threading.Thread(target=send, args=(times, sent))
        out: Any = sys.stdout
        printed = out.tell()
        self.within.clear()
        survived(partial(self._run, CELLS[cell], sender, []))
        survived(partial(survived, sent.wait))
        found: list[str] = []
        if "KeyboardInterrupt" not in out.getvalue()[printed:]:
            ours = [at for at in self.within if at.startswith(PACKAGE) or "jaxviz." in at]
            ours = [] if self.is_ended else ours
            found += [f"none is shown: {at}" for at in ours]
            self.lost += [] if ours else [f"{cell}: {[*self.within]}"]
        found += left_behind.not_let_through()
        self.shell.run_cell("%jaxviz off" if cell == "%jaxviz on" else "1 + 1")
        found += left_behind.differences(self.before, left_behind.world())
        found += left_behind.wrong_watch()
        return found

    def _run(self, code: str, sender: threading.Thread, begun: list[bool]) -> None:
        """Runs a cell once, even if an interrupt comes after it."""
        if not begun:
            begun.append(True)
            sender.start()
            self.is_ended = True
            try:
                result = self.shell.run_cell(code)
                self.is_ended = result is None or not result.success
            except KeyboardInterrupt:
                print("KeyboardInterrupt")


SHELL = fresh(SETUP)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--times", type=int, default=10, help="how many bursts in all")
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    out, sys.stdout = sys.stdout, io.StringIO()
    bursts, faults = Bursts(given.seed), []
    for number in range(given.times):
        cell = [*CELLS][number % len(CELLS)]
        faults += [f"{number} {cell}: {fault}" for fault in bursts.burst(cell)]
    report = {"bursts": given.times, "lost": bursts.lost, "faults": faults}
    print(json.dumps(report), file=out)


if __name__ == "__main__":
    main()
