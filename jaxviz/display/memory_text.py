"""Whether a program fits into the memory of a device, in text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from jaxviz import schema
from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.blow_ups import made_values
from jaxviz.schema.graph import line_text

NOT_COMPILED = "Whether it fits into the memory is known once XLA has compiled it: the stage hlo."
NOT_REPORTED = "XLA does not report here how much memory it sets aside."
ESTIMATE = (
    "This is XLA's estimate, by the compiler that made this HLO: another platform's may be "
    "otherwise, and what else is in memory is not counted."
)


def fit_lines(record: schema.Program, gib: int) -> list[str]:
    """Whether a program fits into so many GiB and by how much, and its largest value."""
    hlo = next((one for one in record.stages if one.kind == "hlo" and not one.error), None)
    if hlo is None:
        return ["", NOT_COMPILED]
    if hlo.memory is None:
        return ["", NOT_REPORTED]
    said = [_fit(hlo.memory, gib << 30), *_largest(record.stages[0], hlo), ESTIMATE]
    return ["", *(line for text in said for line in wrap(text, 100, subsequent_indent="  "))]


def _fit(memory: schema.Memory, limit: int) -> str:
    if memory.aside is None:
        return NOT_REPORTED
    aside, named = memory.aside, ("arguments", "outputs", "temporaries")
    parts = ", ".join(f"{name} {bytes_text(getattr(memory, name))}" for name in named)
    if memory.aliased:
        parts += f"; of the outputs {bytes_text(memory.aliased)} are in donated arguments"
    sets = f"XLA sets {bytes_text(aside)} aside on each device ({parts})"
    given, apart = bytes_text(limit), bytes_text(abs(limit - aside))
    if aside > limit:
        return f"Does not fit into {given}: {sets}, which is {apart} too much."
    return f"Fits into {given}: {sets}, and {apart} are left."


def _largest(jaxpr: schema.Stage, hlo: schema.Stage) -> Iterator[str]:
    """The largest value that an instruction makes, and the user's line."""
    made = [(aval, eqn) for aval, eqn in made_values(hlo) if aval.kind == "array" and aval.bytes]
    if not made or jaxpr.error is not None:
        return
    aval, eqn = max(made, key=lambda one: one[0].bytes or 0)
    frame = [one.frame for graph in jaxpr.graphs for one in graph.eqns][eqn]
    where = f", made by {line_text(jaxpr.frames[frame])}" if frame is not None else ""
    yield f"The largest value that is made is {aval.text}, {bytes_text(aval.bytes or 0)}{where}."
