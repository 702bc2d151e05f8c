"""Measure capture against `jax.make_jaxpr` of the same program, and what is sent.

Both are timed in one run, interleaved, on fresh functions, so that no cache serves either. Writes
`docs/benchmarks.md` with the machine and the commit.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxviz
from jaxviz.display import wire
from jaxviz.display.bundle import mimebundle

REPORT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
ROUNDS = {5: 30, 700: 15, 5_000: 7, 50_000: 3}


def chain(eqns: int) -> Callable[..., Any]:
    """A function of that many eqns: layers of a product, a bias, a tanh, a scale and a skip."""

    def program(x: Any, w: Any) -> Any:
        for _ in range(eqns // 5):
            x = x + 0.5 * jnp.tanh(jax.lax.dot(x, w) + 1.0)
        return x

    return program


class Row(NamedTuple):
    eqns: int
    plain: float
    captured: float
    sent: int
    saved: int


def measure(eqns: int, rounds: int) -> Row:
    args = jnp.ones((8, 8)), jnp.ones((8, 8))
    plain, captured = [], []
    for _ in range(rounds):
        plain.append(seconds(lambda: jax.make_jaxpr(chain(eqns))(*args)))
        captured.append(seconds(lambda: jaxviz.inspect(chain(eqns))(*args)))
    program = jaxviz.inspect(chain(eqns))(*args)
    found = len(program.stage("jaxpr").graphs[0].eqns)
    saved = len(json.dumps(mimebundle(program.record)))
    sent = len(wire.encode(program.record))
    return Row(found, statistics.median(plain), statistics.median(captured), sent, saved)


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def report(rows: list[Row]) -> str:
    commit = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    described = subprocess.run(commit, capture_output=True, text=True, check=False).stdout.strip()
    machine = f"{os.cpu_count()} cores of {platform.machine()}"
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench` at commit {described} on {machine},",
        f"Python {platform.python_version()}, jax {jax.__version__}. Medians, interleaved.",
        "",
        "| eqns | `jax.make_jaxpr` ms | `jaxviz.inspect` ms | ratio | sent kB | output kB |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.eqns:,} | {row.plain * 1e3:.1f} | {row.captured * 1e3:.1f} "
        f"| {row.captured / row.plain:.2f} | {row.sent / 1e3:.1f} | {row.saved / 1e3:.1f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    text = report([measure(eqns, rounds) for eqns, rounds in ROUNDS.items()])
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
