"""Captures the programs, and times capture against `jax.make_jaxpr` of the same program.

    python bench/capture.py FOLDER ROUNDS NAME ...

Both are timed in turn, on fresh functions, so that no cache serves either. Writes for each program
what the page is sent (`NAME.wire`), its graphs for layout engines (`NAME.json`), its page and its
StableHLO; for `hlo` only the graphs, of the optimized HLO of a training step. Prints JSON, times in
ms and sizes in bytes.
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
from programs import PROGRAMS, flat
from regions import regions_of, regions_of_hlo

import jaxviz
from jaxviz.display import wire

HLO_LAYERS = 8
"""Unrolled layers whose training step compiles to about 20,000 instructions."""
LARGEST_PEER = 10_000
"""Eqns of programs that peers are asked to show, from StableHLO."""
SLOW = 2.0
"""Seconds: a program that takes longer is timed once."""


def main(folder: Path, rounds: int, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        name: hlo(folder) if name == "hlo" else measure(name, folder, rounds) for name in names
    }
    print(json.dumps(found))


def measure(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    plain, captured = [], []
    for _ in range(rounds):
        plain.append(seconds(jax.make_jaxpr, *PROGRAMS[name]()))
        captured.append(seconds(jaxviz.inspect, *PROGRAMS[name]()))
        if captured[-1] > SLOW:
            break
    fn, args = PROGRAMS[name]()
    program = jaxviz.inspect(fn)(*args)
    stage = program.stage("jaxpr")
    sent = wire.encode(program.record)
    (folder / f"{name}.wire").write_bytes(sent)
    (folder / f"{name}.json").write_text(json.dumps(regions_of(stage)))
    program.save(folder / f"{name}.html")
    if len(stage.graphs[0].eqns) <= LARGEST_PEER:
        text = jax.jit(fn).lower(*args).as_text(debug_info=True)
        (folder / f"{name}.mlir").write_text(text)
    return {
        "eqns": sum(len(graph.eqns) for graph in stage.graphs),
        "plain": 1e3 * statistics.median(plain),
        "captured": 1e3 * statistics.median(captured),
        "sent": min(len(sent), len(gzip.compress(sent))),
        "saved": len(json.dumps(program._repr_mimebundle_())),
    }


def hlo(folder: Path) -> dict[str, Any]:
    fn, args = flat(HLO_LAYERS)
    regions = regions_of_hlo(jax.jit(fn).lower(*args).compile().as_text() or "")
    (folder / "hlo.json").write_text(json.dumps(regions))
    return {"eqns": sum(len(region["width"]) for region in regions)}


def seconds(transform: Callable[..., Any], fn: Callable[..., Any], args: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    transform(fn)(*args)
    return time.perf_counter() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
