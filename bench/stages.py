"""Times the later stages of a program against what JAX itself takes for them.

    python bench/stages.py FOLDER ROUNDS NAME ...

Plain JAX and ours are timed in turn, each on a fresh function, ours once its jaxpr has its records.
XLA takes a tenth more or less from one compilation to the next, so the one within ours is timed by
itself (`compile`), beside that of the program without numbers (`compile plain`). What JAX takes to
lower eqns that bear numbers, without which no op says its eqn, and what JAX and XLA take to give
out what they made, as text and op by op, and what XLA reports of it, is timed too: no record of
ours can be made in less. So is what XLA takes to read its own text. Writes for each program what
the page is sent of each stage (`NAME-KIND.wire`). Prints JSON, times in ms of the processor, of all
threads, and sizes in bytes.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jax
from jax.stages import Lowered
from jaxlib.mlir import ir
from msgspec.structs import replace
from programs import STAGED

import jaxviz
from jaxviz.capture._jax import with_jaxpr, without_arguments
from jaxviz.capture.jaxprs.clone import cloned
from jaxviz.capture.stages._modules import hlo_module
from jaxviz.display import wire
from jaxviz.program import StageKind

KINDS: tuple[StageKind, ...] = ("stablehlo", "hlo")
SLOW = 10_000
"""Ms: a program that compiles for longer is timed once."""

Times = dict[str, list[float]]


def main(folder: Path, rounds: int, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    print(json.dumps({name: measure(name, folder, rounds) for name in names}))


def measure(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    times: Times = {}
    while True:
        plain(name, times)
        program = ours(name, times)
        if times["compile"][-1] > SLOW or len(times["compile"]) == rounds:
            break
    found = {key: statistics.median(runs) for key, runs in times.items()}
    return found | {kind: stage(program, kind, folder / f"{name}-{kind}.wire") for kind in KINDS}


def plain(name: str, times: Times) -> None:
    fn, args = STAGED[name]()
    traced = jax.jit(fn).trace(*args)
    lowered = timed(times, "lower", traced.lower)
    numbered = timed(times, "lower numbered", lambda: with_numbers(traced).lower())
    timed(times, "lower given", lambda: walked(numbered.compiler_ir("stablehlo").operation))
    compiled = timed(times, "compile plain", lowered.compile)
    [texts, *_] = timed(times, "compile given", lambda: given(compiled))
    timed(times, "compile read", lambda: [hlo_module(text) for text, _ in texts])


def with_numbers(traced: Any) -> Any:
    """The traced call with a name of its own for each eqn."""
    return with_jaxpr(without_arguments(traced), cloned(traced.jaxpr).closed)


def walked(module: Any) -> int:
    """Asks for the text of a module, and for the name, operands, types, location and attributes of
    each op in it; how many there are."""
    count = len(module.get_asm())
    names, waiting = ir.AsmState(module), [module]
    while waiting:
        op = waiting.pop()
        given = [one.get_name(names) for one in op.operands]
        given += [f"{one.get_name(names)}: {one.type}" for one in op.results]
        given += [op.name, op.location, *(op.attributes[key] for key in op.attributes)]
        count += len(given)
        blocks = (block for region in op.regions for block in region.blocks)
        waiting += [inner.operation for block in blocks for inner in block.operations]
    return count


def given(compiled: Any) -> list[Any]:
    """Asks for the text of an executable's modules, for their messages, and for what XLA reports
    of its cost and its memory."""
    modules = compiled.runtime_executable().hlo_modules()
    texts = [(one.to_string(), one.as_serialized_hlo_module_proto()) for one in modules]
    return [texts, compiled.cost_analysis(), compiled.memory_analysis()]


def ours(name: str, times: Times) -> jaxviz.Program:
    fn, args = STAGED[name]()
    program = jaxviz.inspect(fn)(*args)
    assert program.record
    timed(times, "stablehlo ms", lambda: program.stage("stablehlo"))
    compile_ = Lowered.compile
    within = patch.object(
        Lowered, "compile", lambda self: spent(times, "compile", lambda: compile_(self))
    )
    with within:
        timed(times, "hlo ms", lambda: program.stage("hlo"))
    return program


def stage(program: jaxviz.Program, kind: StageKind, file: Path) -> dict[str, Any]:
    """The size of a stage in the form that the page gets."""
    found = program.stage(kind)
    if found.error is not None:
        raise RuntimeError(found.error)
    sent = wire.encode(replace(program.record, stages=[found]))
    file.write_bytes(sent)
    eqns = sum(len(graph.eqns) for graph in found.graphs)
    return {"eqns": eqns, "sent": len(sent), "took": found.took}


def timed(times: Times, key: str, make: Callable[[], Any]) -> Any:
    """Returns the timed result. Garbage is collected before, so that it costs nobody time."""
    gc.collect()
    return spent(times, key, make)


def spent(times: Times, key: str, make: Callable[[], Any]) -> Any:
    """Returns the result, and adds its CPU time to `times`."""
    start = time.process_time()
    made = make()
    times.setdefault(key, []).append(1e3 * (time.process_time() - start))
    return made


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
