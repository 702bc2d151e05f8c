"""Waits that no busy machine ends: a limit is in seconds of processor time, not in seconds.

Where 16 other processes share two cores, what takes 20 seconds takes minutes. A process that is
stuck either works on and on, which its processor time says, or does next to nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from subprocess import PIPE, CompletedProcess, Popen
from typing import Any

import psutil

LIMIT = 60.0
"""A process is stuck after this many seconds of work without an answer, or of almost no work in it
and in the processes beside it."""
NOTHING = 1.0
"""Seconds of processor time that are next to nothing: a kernel without work takes less in LIMIT."""


class Patience:
    """Waits for an answer of processes, as long as these do something for it."""

    def __init__(self, processes: Sequence[int], limit: float = LIMIT) -> None:
        self._processes, self._limit = processes, limit
        self._first = self._last = self._seconds()
        self._since = time.monotonic()

    def check(self) -> None:
        """Raises TimeoutError if the processes are stuck. To be called while there is no answer."""
        now = self._seconds()
        worked = max(one - before for one, before in zip(now, self._first, strict=True))
        if worked > self._limit:
            raise TimeoutError(f"no answer after {worked:.0f} s of work")
        if sum(now) - sum(self._last) > NOTHING:
            self._last, self._since = now, time.monotonic()
        elif time.monotonic() - self._since > self._limit:
            raise TimeoutError(f"no answer, and no work for {self._limit:.0f} s")

    def _seconds(self) -> list[float]:
        """The processor time of each process and of those that it began."""
        return [processor_time(one) for one in self._processes]


def processor_time(process: int) -> float:
    """CPU seconds of a process and of its children; 0 if it has ended."""
    with suppress(psutil.NoSuchProcess):
        one = psutil.Process(process)
        inner = sum(processor_time(child.pid) for child in one.children())
        return sum(one.cpu_times()[:4]) + inner
    return 0.0


def outputs_of(running: Sequence[Popen[str]], limit: float = LIMIT) -> list[tuple[str, str]]:
    """Outputs of processes, when all have ended. No process remains afterwards. Raises TimeoutError
    if they are stuck."""
    patience = Patience([one.pid for one in running], limit)
    with ThreadPoolExecutor(len(running)) as pool:
        try:
            told = [pool.submit(one.communicate) for one in running]
            while wait(told, timeout=1).not_done:
                patience.check()
        finally:
            for one in running:
                one.kill()
    return [one.result() for one in told]


def completed(command: Sequence[str], **how: Any) -> CompletedProcess[str]:
    """Runs a command that may get stuck, like `subprocess.run` with captured outputs."""
    with Popen(
        command, stdout=PIPE, stderr=PIPE, encoding="utf-8", errors="replace", **how
    ) as process:
        [(out, errors)] = outputs_of([process])
    return CompletedProcess(command, process.returncode, out, errors)
