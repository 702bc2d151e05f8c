"""Times the card of each program in `tests/failing`, as IPython would show it, and how soon a
traceback is printed with a card to follow and without. Prints JSON, in ms of processor time.

    python bench/cards.py
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from IPython.utils.capture import capture_output

import jaxviz

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from failing_cases import CASES
from shells import fresh

SETUP = """
import math, time, jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
RAISED = []
"""
DEVICES = "sharding"
"""The kind whose programs need two devices."""
FAILS = """
@jax.jit
def f(x):
    RAISED.append(time.thread_time())
    return x if x > 0 else -x

f(1.0)
"""
ROUNDS = 60


def main() -> None:
    shell = next(fresh(SETUP))
    times: list[float] = []
    for case in CASES:
        if case.kind == DEVICES:
            continue
        with capture_output():
            error = shell.run_cell(case.source).error_in_exec
            start = time.process_time()
            found = jaxviz.explain(error)
            found._repr_mimebundle_()
        times.append(1e3 * (time.process_time() - start))
    found = {"median": statistics.median(times), "most": max(times), "cards": len(times)}
    print(json.dumps(found | {"traceback": tracebacks(shell)}))


def tracebacks(shell: Any) -> dict[str, float]:
    """Ms of the main thread from where JAX raises until a traceback is printed: the median without
    a card, and how much more it is with one, in turn."""
    printed: list[float] = []
    show = shell._showtraceback

    def heard(*traceback: Any) -> None:
        show(*traceback)
        printed.append(time.thread_time())

    def wait(switch: str) -> float:
        with capture_output():
            shell.run_line_magic("jaxviz", switch)
            shell.run_cell(FAILS)
        return 1e3 * (printed[-1] - shell.user_ns["RAISED"][-1])

    shell._showtraceback = heard
    waits = [(wait("off"), wait("on")) for _ in range(ROUNDS)]
    return {
        "off": statistics.median(off for off, _ in waits),
        "more": statistics.median(on - off for off, on in waits),
    }


if __name__ == "__main__":
    main()
