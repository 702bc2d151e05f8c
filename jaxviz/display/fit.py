"""Makes a program small enough to be saved in a notebook, by leaving out more and more of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.outline_text import all_eqns
from jaxviz.display.overview import overview
from jaxviz.stages import first_made

OVERVIEWS = (1600, 400, 100)
"""How many boxes an overview has, tried in turn."""


def fit(
    record: schema.Program,
    whole: bytes,
    opening: schema.Opening,
    key: str,
    limit: int,
    since: str = "",
    report: schema.Report | None = None,
    can_step: bool = False,
) -> schema.Display | None:
    """As much of a program as can be saved in `limit` bytes of base64; None where not even an
    overview fits.

    `whole` is the program's wire form; all other arguments are as in `schema.Display`.
    """
    for missing, data in smaller(record, whole, opening.stage or first_made(record).kind):
        saved = b64encode(data).decode()
        if len(saved) <= limit:
            partial = missing and (
                f"To keep the notebook small, {missing} saved: run the cell again to see all."
            )
            return schema.Display(
                version=schema.VERSION,
                jaxviz=schema.release(),
                program=saved,
                partial=partial,
                opening=opening,
                key=key,
                since=since,
                report=report,
                can_step=can_step,
            )
    return None


def smaller(record: schema.Program, whole: bytes, first: str) -> Iterator[tuple[str | None, bytes]]:
    """The program with less and less in it: each time words for what is missing, and the wire form
    of the rest. `first`, the kind of the stage that is seen first, is kept longest."""
    yield None, whole
    others, linked_to = "", first_made(record).kind
    for kinds in (("jaxpr", linked_to, first), (shown_of(record, first),)):
        kept = [stage for stage in record.stages if stage.kind in kinds]
        if kept and len(kept) < len(record.stages):
            record = replace(record, stages=kept)
            if linked_to not in kinds:
                record = each_stage(record, without_origins)
            yield "the program's other stages are not", wire.encode(record)
            others = "other stages, "
    eqns = sum(len(graph.eqns) for stage in record.stages for graph in stage.graphs)
    shown = all_eqns(first_made(record))
    if eqns <= 40_000:
        record = each_stage(record, without_text)
        yield f"the program's {others}text and params are not", wire.encode(record)
        if any(len(stage.graphs) > 1 for stage in record.stages):
            record = with_fewer_marks(each_stage(record, without_bodies))
            record = without_eqns(record, len(record.stages[0].graphs[0].eqns))
            missing = f"the program's {others}text, params and nested bodies are not"
            yield missing, wire.encode(record)
    for boxes in OVERVIEWS:
        stages = [overview(stage, boxes) for stage in record.stages]
        small = without_eqns(replace(record, stages=stages, compared=None), 0)
        yield f"only an overview of its {shown:,} eqns is", wire.encode(small)


def shown_of(record: schema.Program, first: str) -> str:
    """The kind of the stage that will be seen first, also where `first` could not be made."""
    shown = next((stage for stage in record.stages if stage.kind == first), None)
    return first if shown is not None and shown.error is None else first_made(record).kind


def each_stage(
    record: schema.Program, change: Callable[[schema.Stage], schema.Stage]
) -> schema.Program:
    return replace(record, stages=[change(stage) for stage in record.stages])


def without_origins(stage: schema.Stage) -> schema.Stage:
    """The stage without links, for where the stage that they lead to is left out."""
    return each_eqn(stage, lambda eqn: replace(eqn, origin=(), guess=False))


def without_text(stage: schema.Stage) -> schema.Stage:
    """The stage without its text and without the params of eqns."""
    return each_eqn(replace(stage, text=""), lambda eqn: replace(eqn, span=None, params=()))


def without_bodies(stage: schema.Stage) -> schema.Stage:
    """The stage with its first graph alone."""
    graphs = stage.graphs[:1]
    stop = sum(len(each.eqns) for each in graphs)
    collectives = [one for one in stage.collectives if one.eqn < stop]
    strays = [one for one in stage.strays if one.eqn < stop]
    values = [one for one in stage.values if one.eqn < stop]
    first = replace(stage, graphs=graphs, collectives=collectives, strays=strays, values=values)
    return each_eqn(first, lambda eqn: replace(eqn, bodies=()))


def with_fewer_marks(record: schema.Program) -> schema.Program:
    """A comparison with only the marks of its first graph, whose eqns are numbered first."""
    if record.compared is None:
        return record
    stop = len(record.stages[0].graphs[0].eqns)
    marks = [mark for mark in record.compared.marks if mark.eqn < stop]
    return replace(record, compared=replace(record.compared, marks=marks))


def without_eqns(record: schema.Program, stop: int) -> schema.Program:
    """A program whose findings point at none but its first eqns: the others are left out."""
    found = [
        replace(one, eqns=[number for number in one.eqns if number < stop])
        for one in record.findings
    ]
    return replace(record, findings=found)


def each_eqn(stage: schema.Stage, change: Callable[[schema.Eqn], schema.Eqn]) -> schema.Stage:
    graphs = [replace(graph, eqns=[*map(change, graph.eqns)]) for graph in stage.graphs]
    return replace(stage, graphs=graphs)
