"""Measures growth during long use of jaxviz, and during the same use without it.

    python bench/endurance.py [SHARE]

Runs 3,000 cells under `%jaxviz on`, 20,000 retraces in a `watch`, and 2,000 displayed captures,
each in its own kernel, and the same cells without jaxviz. SHARE is the part of these that runs, 1
by default. Then `bench/endurance.mjs` opens and closes a notebook of 100 outputs 20 times,
and keeps the panel open for 10 minutes at 100 retraces a second.

Prints a table, and ends with 1 if something grows. Growth is from the end of the first fifth to the
end. Limits: no more descriptors and threads; memory at most the plain run's growth plus 5 % and 5
MB; CPU time of the last cells at most 1.1 times that of the second ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from jupyter_client.manager import start_new_kernel
from lab import ROOT, await_answer, cell, served, shown, undrawn, write

OUTPUTS = 100
"""The number of outputs of the notebook that is opened and closed."""
WINDOW = 100
"""The number of cells whose CPU times are compared."""
SLACK_SHARE, SLACK_MB, SLACK_CPU = 0.05, 5.0, 1.1
"""Limits of the growth beyond the plain run, and of the slowdown of the last cells."""

SETUP = """
import gc, os, resource
import jax, jax.numpy as jnp

def model(w, x):
    for _ in range(4):
        x = jnp.tanh(x @ w) + 1
    return x.sum()

step = jax.jit(jax.grad(model))
w = jnp.ones((4, 4))

def traced(first, count):
    for n in range(first, first + count):
        step.trace(w, jax.ShapeDtypeStruct((n, 4), 'float32'))

def measured():
    gc.collect()
    pages = int(open('/proc/self/statm').read().split()[1])
    used = resource.getrusage(resource.RUSAGE_SELF)
    files, threads = (len(os.listdir(f'/proc/self/{of}')) for of in ('fd', 'task'))
    return files, threads, pages * resource.getpagesize() / 1e6, used.ru_utime + used.ru_stime
"""


class State(NamedTuple):
    """Memory, descriptors and threads of a kernel, and its CPU time in seconds."""

    files: int
    threads: int
    megabytes: float
    seconds: float


class Use(NamedTuple):
    """Something that is done again and again, with jaxviz and without."""

    name: str
    times: int
    begin: str
    """The cell that comes first, with jaxviz alone."""
    cell: str
    """The cell that is run again and again; `{n}` is the number of the run."""
    plain: str
    """The same without jaxviz."""
    at_once: int = 1
    """Repetitions within one cell."""


USES = (
    Use(
        "cells under `%jaxviz on`",
        3_000,
        "%load_ext jaxviz\n%jaxviz on",
        "step(w, jnp.ones(({n} % 5 + 1, 4))).block_until_ready()",
        "step(w, jnp.ones(({n} % 5 + 1, 4))).block_until_ready()",
    ),
    Use(
        "retraces in a `watch`",
        20_000,
        "import jaxviz\nblock = jaxviz.watch()\nlog = block.__enter__()",
        "traced({n}, 20)",
        "traced({n}, 20)",
        at_once=20,
    ),
    Use(
        "displayed captures",
        2_000,
        "%load_ext jaxviz",
        "%jaxviz jax.grad(model)(w, jnp.ones(({n} % 50 + 1, 4)))",
        "print(jax.make_jaxpr(jax.grad(model))(w, jnp.ones(({n} % 50 + 1, 4))))",
    ),
)


class Growth(NamedTuple):
    """Growth of a run from the end of its first fifth to its end."""

    files: int
    threads: int
    megabytes: float
    slower: float
    """The processor time of the last cells by that of the second ones."""


def main(share: float) -> bool:
    """Runs all, prints it, and returns whether nothing grows."""
    print("| what | times | descriptors | threads | MB (plain) | last cells / second ones |")
    print("|---|--:|--:|--:|--:|--:|")
    rows = [*of_kernels(share), *of_pages(share)]
    return all(rows)


def of_kernels(share: float) -> Iterator[bool]:
    for use in USES:
        times = max(int(use.times * share) // use.at_once, 3 * WINDOW)
        ours, bare = (grown(use, times, with_jaxviz) for with_jaxviz in (True, False))
        print(
            f"| {use.name} | {times * use.at_once:,} | {ours.files:+} | {ours.threads:+} "
            f"| {ours.megabytes:.1f} ({bare.megabytes:.1f}) | {ours.slower:.2f} |",
            flush=True,
        )
        most = bare.megabytes * (1 + SLACK_SHARE) + SLACK_MB
        steady = ours.files <= 0 and ours.threads <= 0 and ours.slower <= SLACK_CPU
        yield steady and ours.megabytes <= most


def grown(use: Use, times: int, with_jaxviz: bool) -> Growth:
    """Runs a use in a kernel of its own."""
    # IPython's history opens and closes files of its own: sqlite's journal.
    manager, client = start_new_kernel(extra_arguments=["--HistoryManager.enabled=False"])
    try:

        def run(code: str) -> None:
            reply = client.execute_interactive(code, timeout=600, output_hook=lambda _: None)
            if reply["content"]["status"] != "ok":
                raise RuntimeError(f"{use.name}: {reply['content']}")

        def state() -> State:
            content = client.execute_interactive(
                "0",
                user_expressions={"measured": "measured()"},
                timeout=600,
                output_hook=lambda _: None,
            )["content"]
            text = content["user_expressions"]["measured"]["data"]["text/plain"]
            return State(*json.loads(text.replace("(", "[").replace(")", "]")))

        run(SETUP)
        if with_jaxviz:
            run(use.begin)
        states: dict[int, State] = {}
        for n in range(times):
            if n in (WINDOW, 2 * WINDOW, times // 5, times - WINDOW):
                states[n] = state()
            code = use.cell if with_jaxviz else use.plain
            run(code.replace("{n}", str(n * use.at_once + 1)))
        last, fifth = state(), states[times // 5]
        second = states[2 * WINDOW].seconds - states[WINDOW].seconds
        return Growth(
            last.files - fifth.files,
            last.threads - fifth.threads,
            last.megabytes - fifth.megabytes,
            (last.seconds - states[times - WINDOW].seconds) / second,
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def of_pages(share: float) -> Iterator[bool]:
    """The same of a page in JupyterLab, as `bench/endurance.mjs` says."""
    folder = Path(mkdtemp(prefix="jaxviz-endurance-"))
    write(folder / "outputs.ipynb", [cell("f(x)", shown()) for _ in range(OUTPUTS)])
    write(folder / "plain.ipynb", [cell("f(x)", undrawn()) for _ in range(OUTPUTS)])
    cells = [cell(SETUP), cell("%load_ext jaxviz\n%jaxviz on"), cell(ENDLESS)]
    write(folder / "panel.ipynb", cells)
    write(folder / "bare.ipynb", [cells[0], cell("0"), cells[2]])
    server = served(folder)
    try:
        await_answer()
        command = ["node", "bench/endurance.mjs", os.environ.get("JAXVIZ_PORT", "8946"), str(share)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    finally:
        server.terminate()
        server.wait()
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    for name, one in found.items():
        print(f"| {name} | {one['times']} | | | {one['grown']:.1f} ({one['plain']:.1f}) | |")
        yield one["grown"] <= one["plain"] * (1 + SLACK_SHARE) + SLACK_MB


ENDLESS = """
import time
for n in range(1, 10**9):
    begin = time.perf_counter()
    traced(n % 5_000 + 1, 1)
    if n % 5_000 == 0:
        step.clear_cache()
    time.sleep(max(0.0, begin + 0.01 - time.perf_counter()))
"""
"""A cell of 100 retraces a second, until it is interrupted."""


if __name__ == "__main__":
    sys.exit(not main(float(sys.argv[1]) if sys.argv[1:] else 1.0))
