"""Runs a script as the processes of a job of `jax.distributed`, on this machine."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from patience import outputs_of

LIMIT = 240
"""For how many seconds a process of a job may work: far more than one takes."""


def run_job(script: Path, count: int) -> list[Any]:
    """Runs a job, and returns what each process printed, as JSON. The script gets the process's
    number, the number of processes, and the port of the first. No process remains afterwards."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    running = [
        subprocess.Popen(
            [sys.executable, str(script), str(index), str(count), port],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for index in range(count)
    ]
    ended = outputs_of(running, LIMIT)
    assert [one.returncode for one in running] == [0] * count, [error for _, error in ended]
    return [json.loads(out) for out, _ in ended]
