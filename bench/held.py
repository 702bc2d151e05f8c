"""Measures the memory of a Program of 57,153 eqns, and of JAX's own jaxpr of it.

    python bench/held.py

Each has its own process. Prints JSON in MB: Python objects (`tracemalloc`), and the memory of the
process, which includes some freed memory.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

STEPS = 3_008


def main() -> None:
    """Both ways of counting: the first slows the second down."""
    counted = {way: {what: one(what, way) for what in ("jaxpr", "program")} for way in COUNTS}
    print(json.dumps({way: beyond(**found) for way, found in counted.items()}))


def one(what: str, way: str) -> dict[str, float]:
    command = [sys.executable, __file__, what, way]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def beyond(jaxpr: dict[str, float], program: dict[str, float]) -> dict[str, float]:
    """Memory of the jaxpr, of a Program with its record beyond it, and of both after they are
    dropped. JAX's caches keep the jaxpr."""
    dropped = program["dropped"] - jaxpr["dropped"]
    return {"jaxpr": jaxpr["held"], "program": program["held"] - jaxpr["held"], "dropped": dropped}


def held(what: str, way: str) -> dict[str, float]:
    import jax
    from programs import rnn

    import jaxviz

    def made(steps: int) -> Any:
        fn, args = rnn(steps)
        if what == "jaxpr":
            return jax.make_jaxpr(fn)(*args)
        program = jaxviz.inspect(fn)(*args)
        assert program.findings is not None
        return program

    made(1)  # all modules are there
    count = COUNTS[way]
    if way == "objects":
        tracemalloc.start()
    start = count()
    found = made(STEPS)
    holds = count() - start
    del found
    return {"held": holds, "dropped": count() - start}


def objects() -> float:
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / 1e6


def resident() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


COUNTS = {"objects": objects, "resident": resident}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(held(*sys.argv[1:])))
    else:
        main()
