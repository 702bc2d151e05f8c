"""Has work done by another Python interpreter, for what could end the kernel: MLIR and XLA end the
whole process where a program is nested or goes on without end.

It has nothing of the kernel's but the request, and only the CPU. It is ended when it takes too
long, when nobody waits for it any more, when the wait is interrupted, and when the kernel is gone.
`__main__.py` is what it runs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from time import monotonic

from jaxviz.background import NobodyWaits, waited
from jaxviz.capture.shown.strings import name


class NoAnswerError(Exception):
    """The other interpreter gave no answer. Its message is the reason, as part of a sentence."""


def answer_of(
    task: str,
    request: bytes,
    longest: float,
    is_awaited: Callable[[], bool] = lambda: True,
    devices: int | None = None,
) -> bytes:
    """What another interpreter answers to a request. `task` is one of `__main__.py`, `longest` the
    most seconds that it may take, and `devices` how many the CPU is to have there.

    Raises NoAnswerError, and NobodyWaits where `is_awaited` says so. An answer that was lost on its
    way, as was seen once on a busy machine, is asked for a second time."""
    end = monotonic() + longest

    def look() -> None:
        if monotonic() > end:
            raise NoAnswerError(f"it was not done within {longest:g} seconds")
        if not is_awaited():
            raise NobodyWaits

    command = [sys.executable, "-P", "-m", "jaxviz.capture", task, str(os.getpid())]
    answer = _asked(command, request, look, devices) or _asked(command, request, look, devices)
    if not answer:
        raise NoAnswerError("its answer was lost")
    return answer


def _asked(
    command: list[str], request: bytes, look: Callable[[], None], devices: int | None
) -> bytes:
    """The answer of a process. `look` is called while it is waited for, and may end that."""
    with subprocess.Popen(
        command,
        env=_environment(devices),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt of the kernel's is not one of its own
    ) as process:
        try:
            answer = waited(lambda: process.communicate(request)[0], look)
        finally:
            process.kill()
    if process.returncode == 0:
        return answer
    if process.returncode == 1 and answer:
        raise NoAnswerError(name(answer.decode(errors="replace")))
    raise NoAnswerError(f"the process that did it was ended: {_end(process.returncode)}")


def _environment(devices: int | None) -> dict[str, str]:
    paths = os.pathsep.join(one for one in sys.path if one)
    found = {**os.environ, "PYTHONPATH": paths, "JAX_PLATFORMS": "cpu"}
    if devices is not None:
        flag = f"--xla_force_host_platform_device_count={devices}"
        found["XLA_FLAGS"] = f"{found.get('XLA_FLAGS', '')} {flag}".strip()
        found.pop("JAX_NUM_CPU_DEVICES", None)
    return found


def _end(status: int) -> str:
    """How a process was ended, as the system says it."""
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit status {status}"
