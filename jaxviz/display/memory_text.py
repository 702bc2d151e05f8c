"""Says in text whether a program fits into the memory of a device."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from jaxviz import schema
from jaxviz.analysis.findings.memory_findings import RUN_STEPWISE
from jaxviz.ops import row_of
from jaxviz.schema.graph import line_text
from jaxviz.sentences.amounts import bytes_text

NOT_COMPILED = "Whether it fits into the memory is known once XLA has compiled it: the stage hlo."
NOT_REPORTED = "XLA does not report here how much memory it sets aside."
ESTIMATE = (
    "This is XLA's estimate, by the compiler that made this HLO: another platform's may be "
    "otherwise, and what else is in memory is not counted."
)


def fits(record: schema.Program, gib: float) -> bool | None:
    """True if a program fits into `gib` GiB; None if XLA has not reported its memory."""
    hlo = next((one for one in record.stages if one.kind == "hlo"), None)
    aside = hlo.memory.aside if hlo is not None and hlo.memory is not None else None
    return None if aside is None else aside <= _bytes(gib)


def fit_lines(record: schema.Program, gib: float) -> list[str]:
    """Lines that say whether a program fits into `gib` GiB, by how much, and its largest value."""
    hlo = next((one for one in record.stages if one.kind == "hlo" and not one.error), None)
    if hlo is None:
        return ["", NOT_COMPILED]
    if hlo.memory is None:
        return ["", NOT_REPORTED]
    said = [_fit(hlo.memory, _bytes(gib)), *_largest(hlo), ESTIMATE]
    return ["", *(line for text in said for line in wrap(text, 100, subsequent_indent="  "))]


def _bytes(gib: float) -> int:
    return round(gib * (1 << 30))


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


def _largest(hlo: schema.Stage) -> Iterator[str]:
    """The largest array between inputs and results, and the user's line."""
    found = max(_between(hlo), key=lambda one: one[0].bytes or 0, default=None)
    if found is None:
        return
    aval, eqn = found
    where = f", made by {line_text(hlo.frames[eqn.frame])}" if eqn.frame is not None else ""
    size = bytes_text(aval.bytes or 0)
    yield f"The largest value between inputs and results is {aval.text}, {size}{where}."


def _between(hlo: schema.Stage) -> Iterator[tuple[schema.Aval, schema.Eqn]]:
    """The arrays that instructions make which are no results; of a tuple its elements."""
    results = {*hlo.graphs[0].outvars}
    for eqn in hlo.graphs[0].eqns:
        if eqn.op == "tuple" and not results.isdisjoint(eqn.outvars):
            results.update(eqn.invars)
    waiting, seen = [0], {0}
    for number in waiting:
        graph = hlo.graphs[number]
        taken: dict[int, list[int]] = {}
        for one in graph.eqns:
            if one.op == "get-tuple-element":
                taken.setdefault(one.invars[0], []).extend(one.outvars)
        for eqn in graph.eqns:
            if eqn.op in RUN_STEPWISE:
                further = [body.graph for body in eqn.bodies if body.graph not in seen]
                waiting += further
                seen.update(further)
            elif not row_of(eqn.op).alias:
                for var in taken.get(eqn.outvars[0], eqn.outvars) if eqn.outvars else []:
                    aval = hlo.avals[graph.vars[var].aval]
                    if aval.kind == "array" and aval.bytes and not (number == 0 and var in results):
                        yield aval, eqn
