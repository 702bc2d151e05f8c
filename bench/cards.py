"""Times the card of each program in `tests/failing`, as IPython would show it. Prints JSON: the
median and the longest, ms of processor time, and how many there were.

    python bench/cards.py
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from IPython.utils.capture import capture_output

import jaxviz

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from failing_cases import CASES
from shells import fresh

SETUP = """
import math, jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
"""
DEVICES = "sharding"
"""The kind whose programs need two devices."""


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
    print(json.dumps({"median": statistics.median(times), "most": max(times), "cards": len(times)}))


if __name__ == "__main__":
    main()
