"""Runs work that could end the kernel in another Python interpreter: MLIR and XLA end the whole
process if a program is nested too deep or too long.

The interpreter runs `__main__.py`. It gets only the request, and uses only the CPU. It is ended if
it takes too long, if nobody waits for it, if the user interrupts the wait, or if the kernel ends.

It starts isolated: a `typing.py` or `numpy.py` in the notebook's folder is not imported. It finds
the standard library first, then the folders from which the kernel imported jaxviz and JAX.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from types import ModuleType

from jaxviz.capture.shown.strings import name
from jaxviz.safety.background import NobodyWaits, result_of
from jaxviz.sentences.amounts import bytes_text

READY = b"ready\n"
"""The other interpreter writes this after its imports."""
MOST_MEMORY = 32 << 30
"""The bytes of its address space, unless the kernel has a lower limit."""

_START = (
    "import runpy, site, sys; sys.path += sys.argv[3:]; site.main(); "
    "runpy.run_module('jaxviz.capture', run_name='__main__')"
)
_NEEDED = ("jaxviz", "jax", "jaxlib", "numpy", "msgspec", "google.protobuf", "IPython")
_LONGEST_LINE = 80


class NoAnswerError(Exception):
    """The other interpreter gave no answer. The message is the reason, as part of a sentence."""


class NoRoomError(NoAnswerError):
    """The interpreter could not start, or had too little memory. The request may be valid."""


def answer_of(
    task: str,
    request: bytes,
    longest: float,
    is_awaited: Callable[[], bool] = lambda: True,
    devices: int | None = None,
) -> bytes:
    """The answer of another interpreter to a request. `task` is one of `__main__.py`. `longest` is
    the time limit in seconds, and `devices` the number of CPU devices there.

    Raises NoAnswerError, and NobodyWaits if `is_awaited` returns False. If an answer is lost, which
    was seen once on a busy machine, the request is sent a second time."""
    end = monotonic() + longest

    def check() -> None:
        if monotonic() > end:
            raise NoAnswerError(f"it was not done within {longest:g} seconds")
        if not is_awaited():
            raise NobodyWaits

    command = [sys.executable, "-S", "-s", "-P", "-c", _START, task, str(os.getpid()), *_folders()]
    answer = _run(command, request, check, devices) or _run(command, request, check, devices)
    if not answer:
        raise NoAnswerError("its answer was lost")
    return answer


def _folders() -> list[str]:
    """The folders of the needed packages in the kernel's order, then other folders with installed
    packages, which those may import."""
    found = {_folder(sys.modules[one]) for one in _NEEDED if one in sys.modules}
    paths = [os.path.abspath(one) for one in sys.path]
    listed = [one for one in paths if one in found]
    others = [one for one in paths if any(Path(one).glob("*.dist-info"))]
    return [*dict.fromkeys([*listed, *sorted(found), *others])]


def _folder(package: ModuleType) -> str:
    inside = Path(os.path.abspath(package.__path__[0]))
    return str(inside.parents[package.__name__.count(".")])


def _run(
    command: list[str], request: bytes, check: Callable[[], None], devices: int | None
) -> bytes:
    """The answer of a process. `check` is called during the wait, and raises to end it."""
    with _started(command, devices) as process:
        try:
            written, errors = result_of(lambda: process.communicate(request), check)
        finally:
            process.kill()
    answer = written.removeprefix(READY)
    if process.returncode == 0:
        return answer
    if process.returncode == 1 and answer:
        limit = _limit(is_cause=True) if lacks_memory(answer) else ""
        raise (NoRoomError if limit else NoAnswerError)(
            name(answer.decode(errors="replace")) + limit
        )
    raise _ended(process.returncode, written.startswith(READY), errors)


def _started(command: list[str], devices: int | None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            env=_environment(devices),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # an interrupt of the kernel does not reach it
        )
    except OSError as error:
        raise NoRoomError(f"{_NOT_STARTED}: {error.strerror or error}") from None


def _environment(devices: int | None) -> dict[str, str]:
    found = {**os.environ, "JAX_PLATFORMS": "cpu"}
    found.pop("PYTHONPATH", None)
    if devices is not None:
        flag = f"--xla_force_host_platform_device_count={devices}"
        found["XLA_FLAGS"] = f"{found.get('XLA_FLAGS', '')} {flag}".strip()
        found.pop("JAX_NUM_CPU_DEVICES", None)
    return found


_NOT_STARTED = "another Python interpreter, which has to do it, could not start"
_FRAME = re.compile(rb"\s*(@ +0x|\*\*\*|#\d|\d+ .* 0x)")
"""A line of the call stack that C++ writes when it ends the process."""
_PREFIX = re.compile(r"^[IWEF]\d{4} \S+ +\d+ (?=\S+:\d+\])")
"""The text before file and line in a log message of C++."""
_NO_MEMORY = re.compile(
    rb"RESOURCE_EXHAUSTED|bad_alloc|MemoryError|out of memory|[Mm]emory allocation|"
    rb"allocate memory|map segment"
)


def lacks_memory(text: bytes) -> bool:
    """True if an error reports too little memory."""
    return bool(_NO_MEMORY.search(text))


def _ended(status: int, is_ready: bool, errors: bytes) -> NoAnswerError:
    """The error for a process that ended without an answer."""
    lines = [one for one in errors.splitlines() if one.strip() and not _FRAME.match(one)]
    last = _PREFIX.sub("", name(lines[-1].decode(errors="replace"))).strip() if lines else ""
    wrote = f"; it wrote last: {last[:_LONGEST_LINE]}" if last else ""
    lacks = lacks_memory(errors)
    limit = _limit(lacks) if lacks or status < 0 else ""
    if not is_ready and (limit or status >= 0):
        return NoRoomError(f"{_NOT_STARTED}: {_end(status)}{limit}{wrote}")
    kind = NoRoomError if limit else NoAnswerError
    return kind(f"the process that did it was ended: {_end(status)}{limit}{wrote}")


def _limit(is_cause: bool) -> str:
    """The limit of memory as text; empty if jaxviz itself set it."""
    limit = memory_limit()
    if limit == MOST_MEMORY:
        return ""
    be = "is" if is_cause else "may be"
    return f"; the limit of {bytes_text(limit)} (ulimit -v) {be} too low for JAX"


def memory_limit() -> int:
    """The bytes of address space for another interpreter: at most the kernel's own limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return MOST_MEMORY
    limits = resource.getrlimit(resource.RLIMIT_AS)
    return min([MOST_MEMORY, *(one for one in limits if one != resource.RLIM_INFINITY)])


def _end(status: int) -> str:
    """The system's name for the end of a process: its signal or exit status."""
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit status {status}"
