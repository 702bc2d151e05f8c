"""Makes the stage `hlo`: the record of the optimized module that XLA compiled for one device.

`messages.py` decodes XLA's serialized modules, `instructions.py` reads their instructions, and
`instruction_text.py` reads XLA's text. `computations.py` makes the graphs. The stage also has the
cost and the memory that XLA reports for the executable.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from jaxviz.capture.shown.strings import plain
from jaxviz.capture.stages._modules import printed
from jaxviz.capture.stages.hlo.computations import Computations
from jaxviz.capture.stages.hlo.executable import Executable
from jaxviz.capture.stages.hlo.instruction_text import lines_of, without_elements
from jaxviz.capture.stages.hlo.instructions import computations_of, rename, strip
from jaxviz.capture.stages.hlo.messages import module_of
from jaxviz.capture.stages.op_names import Names, Origins
from jaxviz.schema import Sentence, Stage, empty
from jaxviz.sentences import sentence


def hlo_stage(
    made: Executable, jaxpr: Stage, token: str, took: int | None, notes: list[Sentence]
) -> Stage:
    """The stage of an executable.

    Its op names contain `token` before the number of each eqn of `jaxpr` that an instruction was
    made for. An unknown `jaxpr` has no graphs. `took` is the milliseconds of compiling.
    """
    stage = stage_of(made.module, made.text, jaxpr, token, made.shardings)
    notes = [*notes, *stage.notes]
    return replace(stage, notes=notes, reported=made.reported, memory=made.memory, took=took)


def stage_of(
    serialized: bytes, written: str, jaxpr: Stage, token: str, shardings: list[str]
) -> Stage:
    """The stage of an `HloModuleProto`, without the cost and memory that its executable reports.
    `written` is XLA's text. `shardings` are those of the entry's parameters, for modules whose text
    lacks them."""
    module = module_of(serialized)
    names = Names(token)
    found = computations_of(module)
    renamed, stripped = rename(found, names), strip(found)
    if renamed or stripped:
        written = printed(module.SerializeToString())
    text = without_elements(plain(names.without(written.rstrip())), jaxpr)
    computations = Computations(module, found, names, Origins(jaxpr), lines_of(text), shardings)
    return empty(
        Stage,
        kind="hlo",
        graphs=computations.graphs(jaxpr.graphs[0] if jaxpr.graphs else None),
        avals=computations.shapes.records,
        frames=jaxpr.frames,
        scopes=list(names.scopes),
        text=text,
        notes=_notes(module, text),
    )


def _notes(module: Any, text: str) -> list[Sentence]:
    assigned = module.device_assignment
    devices = assigned.replica_count * assigned.computation_count
    parts = [sentence("of one device", devices=devices)] if devices > 1 else []
    return parts if text else [*parts, sentence("no text")]
