"""Times the static picture, for which a cell waits.

    python bench/pictures.py NAME ...

Prints JSON: CPU time in ms of the first picture of a process, of later ones (median) and of those
that V8 draws without its compiler; MB that the engine reads, and MB that it holds at the end.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

ROUNDS = 9
BEFORE = {
    "toy": {"first": 3.4, "again": 1.2, "held": 0.05},
    "mlp": {"first": 4.0, "again": 3.0, "held": 0.14},
    "nested": {"first": 17.1, "again": 15.4, "held": 0.32},
    "flat": {"first": 84.4, "again": 17.6, "held": 1.2},
    "rnn50k": {"first": 111.0, "again": 107.0, "held": 9.5},
}
"""Figures of the drawing in Python up to commit 6018b82, on the same machine."""
ABOUT = """CPU time of `jaxviz.picture.draw.picture`: for the first picture of a process, for which
the engine reads its code, and the median of later ones, each by an engine that has read the code
and drawn nothing. *V8* draws the same without its compiler, because the kernel's engine has none.
*Sent* is the part of the program that the engine reads; *held* is its memory at the end. *Before*
is the drawing in Python up to commit 6018b82, and its largest memory."""


def main(names: list[str]) -> None:
    """A process for each program."""
    command = [sys.executable, __file__, "--one"]
    ran = {
        name: subprocess.run([*command, name], capture_output=True, check=True) for name in names
    }
    print(json.dumps({name: json.loads(done.stdout) for name, done in ran.items()}))


def measured(name: str) -> dict[str, Any]:
    from capture import with_fresh_engine
    from programs import PROGRAMS

    import jaxviz
    from jaxviz.picture import draw

    fn, args = PROGRAMS[name]()
    record = jaxviz.inspect(fn)(*args).record
    first, again = spent(draw.picture, record), []
    for _ in range(ROUNDS - 1):
        with_fresh_engine()
        again.append(spent(draw.picture, record))
    calls = arguments_of(draw, "drawn")
    draw.retained.stored, draw.MOST_RETAINED = None, draw.MEMORY
    draw.picture(record)
    engine = draw.retained.take(draw.engine_class())
    return {
        "first": first,
        "again": statistics.median(again),
        "v8": in_v8(calls[0][1:]),
        "sent": len(calls[0][1]) / 1e6,
        "held": engine.memory()["malloc_size"] / 1e6,
    }


def in_v8(arguments: list[Any]) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(arguments, file)
        file.flush()
        command = ["node", "--jitless", "bench/picture.mjs", file.name]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def arguments_of(module: Any, name: str) -> list[Any]:
    """The arguments of later calls of a function of a module, as a list that grows."""
    function, found = getattr(module, name), []

    def keeping(*arguments: Any) -> Any:
        found.append(arguments)
        return function(*arguments)

    setattr(module, name, keeping)
    return found


def spent(call: Any, *arguments: Any) -> float:
    start = time.process_time()
    call(*arguments)
    return 1e3 * (time.process_time() - start)


def rows(found: dict[str, Any], labels: dict[str, str], eqns: dict[str, int]) -> list[list[str]]:
    """For a table with `HEAD`."""
    table: list[list[str]] = []
    for name, one in found.items():
        before = BEFORE[name]
        times = [one["first"], one["again"], one["v8"], before["first"], before["again"]]
        sizes = [one["sent"], one["held"], before["held"]]
        table.append(
            [labels[name], f"{eqns[name]:,}", *(f"{time:,.1f}" for time in times)]
            + [f"{size:,.2f}" for size in sizes]
        )
    return table


HEAD = ["program", "eqns", "first ms", "again ms", "V8 ms", "before: first ms", "again ms"]
HEAD += ["sent MB", "held MB", "before: MB"]

if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(measured(sys.argv[2])))
    else:
        main(sys.argv[1:])
