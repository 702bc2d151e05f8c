"""Makes the stage `hlo`: the optimized module that XLA compiled for one device, as a record, with
the cost and the memory that XLA reports of its executable."""

from __future__ import annotations

import math
from typing import Any

from msgspec.structs import replace

from jaxviz.capture._modules import executable_module, parameter_shardings, reprinted
from jaxviz.capture.hlo.computations import Computations
from jaxviz.capture.hlo.hlo_origins import Origins
from jaxviz.capture.hlo.instruction_text import lines_of, stripped
from jaxviz.capture.hlo.shapes import module_of
from jaxviz.capture.op_names import Names
from jaxviz.capture.strings import plain
from jaxviz.schema import Cost, Memory, Stage

CLONE = (
    "This was compiled again, with each op named after its eqn: it has the same instructions, "
    "but is not the very executable that a call runs."
)
NO_TEXT = "XLA does not print this module, so that instructions have no text and few params."


def hlo_stage(compiled: Any, jaxpr: Stage, token: str, took: int | None, notes: list[str]) -> Stage:
    """The stage of a `jax.stages.Compiled`.

    Its op names contain `token` before the number of each eqn of `jaxpr` that an instruction was
    made for; a `jaxpr` without graphs is one that is not known. `took` is how many milliseconds
    compiling took. Raises what JAX raises if the backend does not show its executables.
    """
    stage = stage_of(executable_module(compiled), jaxpr, token, parameter_shardings(compiled))
    return replace(
        stage,
        notes=[*notes, *stage.notes],
        reported=reported_cost(compiled),
        memory=reported_memory(compiled),
        took=took,
    )


def stage_of(optimized: Any, jaxpr: Stage, token: str, shardings: list[str]) -> Stage:
    """The stage of jaxlib's `HloModule`, without what only its executable reports. `shardings` are
    those of the entry's parameters, for modules whose text does not have them."""
    module = module_of(optimized.as_serialized_hlo_module_proto())
    names = Names(token)
    names.rename(module)
    printed = reprinted(optimized, stripped(module).SerializeToString())
    text = plain(names.without(printed.rstrip()))
    computations = Computations(module, names, Origins(jaxpr), lines_of(text), shardings)
    return Stage(
        kind="hlo",
        graphs=computations.graphs(jaxpr.graphs[0] if jaxpr.graphs else None),
        avals=computations.shapes.records,
        frames=jaxpr.frames,
        scopes=list(names.scopes),
        call=None,
        text=text,
        notes=_notes(module, text),
        cost=None,
        reported=None,
        memory=None,
        took=None,
        error=None,
    )


def _notes(module: Any, text: str) -> list[str]:
    assigned = module.device_assignment
    devices = assigned.replica_count * assigned.computation_count
    parts = f"Each of {devices} devices runs this: shapes and costs are those of its own part."
    return [*([parts] if devices > 1 else []), *([] if text else [NO_TEXT])]


def reported_cost(compiled: Any) -> Cost | None:
    """XLA's own count of flops, transcendentals and bytes, with each loop's body once; None if the
    backend does not count."""
    found = _analysed(compiled.cost_analysis)
    if isinstance(found, list | tuple):  # as before jax 0.5, one for each module
        found = found[0] if found else None
    if not isinstance(found, dict) or not found:
        return None
    flops, transcendentals, accessed = (_count(found.get(key, 0)) for key in _COSTS)
    return Cost(flops=flops, transcendentals=transcendentals, bytes=accessed, least=False)


_COSTS = ("flops", "transcendentals", "bytes accessed")
"""XLA leaves out those that are 0."""


def reported_memory(compiled: Any) -> Memory | None:
    """The bytes that it takes on one device; None if the backend does not report them."""
    found = _analysed(compiled.memory_analysis)
    if found is None:
        return None
    bytes_of = {
        field: _count(getattr(found, f"{name}_in_bytes", None)) for field, name in _FIELDS.items()
    }
    bytes_of["code"] = bytes_of["code"] or None  # the CPU reports 0
    return Memory(**bytes_of)


_FIELDS = {
    "arguments": "argument_size",
    "outputs": "output_size",
    "temporaries": "temp_size",
    "aliased": "alias_size",
    "code": "generated_code_size",
    "peak": "peak_memory",
}


def _analysed(analysis: Any) -> Any:
    """What the analysis returns; None if the backend has none, and raises."""
    try:
        return analysis()
    except Exception:
        return None


def _count(value: Any) -> int | None:
    """The value as an integer; None for what is no count: XLA writes -1 for unknown."""
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return round(value)
