"""Captures the programs, and times capture against `jax.make_jaxpr` of the same program.

    python bench/capture.py FOLDER ROUNDS NAME ...

Both are timed in turn, on new functions, so that no cache answers. Then come the steps of the first
access: the records, with the findings, and the output, with the picture also alone. For comparison:
JAX's time to trace under `jit` and to print the jaxpr, and the time and size of the records as
JSON. Writes for each program its wire form (`NAME.wire`), its graphs for layout engines
(`NAME.json`), and for peers its page and its StableHLO; for `hlo` only the graphs, of the optimized
HLO of a training step. Prints JSON: CPU times in ms, and sizes in bytes.
"""

from __future__ import annotations

import gc
import gzip
import json
import statistics
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import msgspec
from programs import PEER_PROGRAMS, PROGRAMS, flat
from regions import regions_of, regions_of_hlo

import jaxviz
from jaxviz.analysis.findings import findings
from jaxviz.display import wire
from jaxviz.picture.draw import SECONDS, engine_class, picture, read, retained

HLO_LAYERS = 8
"""Unrolled layers whose training step compiles to about 20,000 instructions."""
SLOW = 2.0
"""Seconds: a program that takes longer is timed once."""


def main(folder: Path, rounds: int, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        name: hlo(folder) if name == "hlo" else measure(name, folder, rounds) for name in names
    }
    print(json.dumps(found))


def measure(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    keys = ("plain", "printed", "traced", "captured", "recorded", "searched", "shown", "drawn")
    times: dict[str, list[float]] = {key: [] for key in (*keys, "as json")}
    fresh = PROGRAMS[name]
    while True:
        closed = timed(times["plain"], lambda call: jax.make_jaxpr(call[0])(*call[1]), fresh())
        timed(times["printed"], str, closed)
        timed(times["traced"], lambda call: jax.jit(call[0]).trace(*call[1]), fresh())
        call = fresh()
        program = timed(times["captured"], lambda call: jaxviz.inspect(call[0])(*call[1]), call)
        timed(times["recorded"], lambda program: program.record, program)
        timed(times["searched"], findings, program.record)
        with_fresh_engine()
        output = timed(times["shown"], lambda program: program._repr_mimebundle_(), program)
        with_fresh_engine()
        timed(times["drawn"], picture, program.record)
        as_json = timed(times["as json"], deflated, program.record)
        if times["captured"][-1] > SLOW or len(times["captured"]) == rounds:
            break
    fn, args = call
    stage = program.stage("jaxpr")
    sent = wire.encode(program.record)
    (folder / f"{name}.wire").write_bytes(sent)
    (folder / f"{name}.json").write_text(json.dumps(regions_of(stage)))
    if name in PEER_PROGRAMS:
        program.save(folder / f"{name}.html")
        text = jax.jit(fn).lower(*args).as_text(debug_info=True)
        (folder / f"{name}.mlir").write_text(text)
    return {key: 1e3 * statistics.median(found) for key, found in times.items()} | {
        "eqns": sum(len(graph.eqns) for graph in stage.graphs),
        "sent": min(len(sent), len(gzip.compress(sent))),
        "saved": len(json.dumps(output)),
        "json": len(as_json),
    }


def deflated(record: Any) -> bytes:
    """The records as JSON by msgspec, deflated by zlib: both are written in C."""
    return zlib.compress(msgspec.json.encode(record))


def with_fresh_engine() -> None:
    """Pictures are drawn by an engine that has read its code and drawn nothing: it keeps rows that
    it has ordered, which the same program in the next round would find."""
    kind = engine_class()
    retained.put(kind, read(kind(), SECONDS))


def hlo(folder: Path) -> dict[str, Any]:
    fn, args = flat(HLO_LAYERS)
    regions = regions_of_hlo(jax.jit(fn).lower(*args).compile().as_text() or "")
    (folder / "hlo.json").write_text(json.dumps(regions))
    return {"eqns": sum(len(region["width"]) for region in regions)}


def timed(times: list[float], make: Callable[[Any], Any], of: Any) -> Any:
    """Returns the result, and adds its seconds of CPU time to `times`. Garbage of earlier rounds is
    collected before."""
    gc.collect()
    start = time.process_time()
    made = make(of)
    times.append(time.process_time() - start)
    return made


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
