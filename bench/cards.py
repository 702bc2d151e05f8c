"""Times the card of each program in `tests/truth/errors`, as IPython would show it (a median), the
first card of a kernel, and the delay of a traceback with cards on and off. Prints JSON, in ms of
CPU time.

    python bench/cards.py
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from IPython.utils.capture import capture_output

import jaxviz

sys.path.append(str(Path(__file__).parent.parent / "tests"))
cases: Any = importlib.import_module("truth.errors.cases")
shells: Any = importlib.import_module("shells")

TIMED = shells.SETUP + "import time\nRAISED = []\n"
FAILS = """
@jax.jit
def f(x):
    RAISED.append(time.thread_time())
    return x if x > 0 else -x

f(1.0)
"""
EACH = 5
"""Repetitions for each card."""
ROUNDS = 200


def main() -> None:
    shell = next(shells.fresh(TIMED))
    sources = [case.source for case in cases.HERE]
    first = card(shell, FAILS)
    times = [statistics.median(card(shell, source) for _ in range(EACH)) for source in sources]
    found = {"median": statistics.median(times), "most": max(times), "cards": len(times)}
    print(json.dumps(found | {"first": first, "traceback": tracebacks(shell)}))


def card(shell: Any, source: str) -> float:
    """Ms that the card of an error takes, after the cell that raises it."""
    with capture_output():
        error = shell.run_cell(source).error_in_exec
        start = time.process_time()
        jaxviz.explain(error)._repr_mimebundle_()
        return 1e3 * (time.process_time() - start)


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
    switches = ("on", "off")  # each first in every other round: a cell leaves garbage to the next
    waits = [{way: wait(way) for way in switches[:: (-1) ** number]} for number in range(ROUNDS)]
    return {
        "off": statistics.median(one["off"] for one in waits),
        "more": statistics.median(one["on"] - one["off"] for one in waits),
    }


if __name__ == "__main__":
    main()
