"""The program of another interpreter that works for the kernel: `python -m jaxviz.capture TASK
KERNEL`. KERNEL is the number of the kernel's process. It reads the request from standard input. To
standard output it writes `READY`, then the answer, or in one line the reason why there is none.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep

from jaxviz.capture.artifacts.module_files import read_here
from jaxviz.capture.stages.compiling import answer_compile
from jaxviz.capture.stages.other_interpreter import READY, memory_limit

TASKS: dict[str, Callable[[bytes], bytes]] = {"compile": answer_compile, "read": read_here}

STACK = 1 << 30
"""The size of its stack, in bytes; a usual thread has 8 MiB. Only used pages take memory. Under a
low limit it is an eighth of the address space."""
SECONDS_BETWEEN_CHECKS = 1
"""The time between two checks whether the kernel is alive."""


def main(task: str, kernel: int) -> None:
    """Ends the process with 0 and an answer, or with 1 and a reason."""
    limit = memory_limit()
    limit_memory(limit)
    threading.Thread(target=end_with, args=(kernel,), daemon=True).start()
    threading.stack_size(min(STACK, limit // 8 & -4096))
    threading.Thread(target=answer, args=(TASKS[task],), daemon=True).start()
    threading.Event().wait()


def answer(work: Callable[[bytes], bytes]) -> None:
    status = 0
    write(READY)
    try:
        written = work(sys.stdin.buffer.read())
    except BaseException as error:
        status, written = 1, reason(error).encode()
    write(written)
    os._exit(status)


def write(written: bytes) -> None:
    with suppress(OSError):  # the kernel has closed the pipe
        sys.stdout.buffer.write(written)
        sys.stdout.buffer.flush()


def reason(error: BaseException) -> str:
    """The message of an exception on one line; its class if Python wrote the message."""
    text = "" if isinstance(error, LookupError | TypeError | AttributeError) else str(error)
    lines = [line.strip(" :") for line in text.splitlines() if line.strip(" :")]
    return ": ".join(lines[:2]) or type(error).__name__


def end_with(kernel: int) -> None:
    """Ends this process when the kernel, its parent, is gone."""
    while os.getppid() == kernel:
        sleep(SECONDS_BETWEEN_CHECKS)
    os._exit(2)


def limit_memory(limit: int) -> None:
    """Makes this process the one that ends if memory runs out: by its limit, or by Linux's
    choice."""
    with suppress(ImportError, OSError, ValueError):  # not on Windows, nor where it is refused
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with suppress(OSError):  # not on Linux
        Path("/proc/self/oom_score_adj").write_text("1000")


main(sys.argv[1], int(sys.argv[2]))
