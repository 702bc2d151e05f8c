"""The steps of a trace as an output holds them, and those of a program that a page asks for."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.fit import fit
from jaxviz.stages import Stages

STEPS_BYTES = 60_000
"""How many bytes the steps of a trace may have, as JSON."""
PROGRAM_BYTES = 4_000_000
"""The same for a program beside them that a page asked for, which no notebook keeps."""
NOT_AT_HAND = "jaxviz does not know how to trace this once more: write --steps after %jaxviz."


def first_steps(steps: schema.Steps) -> schema.Steps:
    """As many of the steps as an output may hold, with a note where they are not all."""
    kept = steps
    while len(msgspec.json.encode(kept)) > STEPS_BYTES:
        kept = replace(kept, steps=kept.steps[: len(kept.steps) // 2])
    if kept is steps:
        return steps
    note = f"These are the first {len(kept.steps):,} of {len(steps.steps):,} steps."
    return replace(kept, notes=[*kept.notes, note])


def stepped(stages: Stages) -> schema.Display:
    """A program that is traced once more for it, with its steps. Raises ValueError, with a
    sentence, where it cannot be."""
    if stages.again is None:
        raise ValueError(NOT_AT_HAND)
    (head, jaxpr, _), steps = stages.again()
    record = Stages(head, None, jaxpr).shown
    whole, report = wire.encode(record), first_steps(steps)
    display = fit(record, whole, schema.UNCHOSEN, "", PROGRAM_BYTES, report=report)
    if display is None:
        raise ValueError(NOT_AT_HAND)
    return display
