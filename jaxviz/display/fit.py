"""Makes a program small enough to be saved in a notebook, by leaving out more and more of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.outline_text import all_eqns
from jaxviz.display.overview import overview
from jaxviz.schema import first_made
from jaxviz.schema.smaller import Keep, smaller
from jaxviz.sentences import sentence

OVERVIEWS = (1600, 400, 100)
"""Numbers of boxes of an overview, tried in turn."""


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
    """The largest part of a program that fits into `limit` bytes of base64; None if not even an
    overview fits.

    `whole` is the program's wire form; all other arguments are as in `schema.Display`.
    """
    for missing, data in reductions(record, whole, opening.stage or first_made(record).kind):
        saved = b64encode(data).decode()
        if len(saved) <= limit:
            return schema.Display(
                version=schema.VERSION,
                jaxviz=schema.release(),
                program=saved,
                partial=missing,
                opening=opening,
                key=key,
                since=since,
                report=report,
                can_step=can_step,
            )
    return None


def reductions(
    record: schema.Program, whole: bytes, first: str
) -> Iterator[tuple[schema.Sentence | None, bytes]]:
    """The program with less and less in it: each time a sentence on what is missing, and the
    wire form of the rest. `first`, the kind of the stage that is seen first, is kept longest."""
    yield None, whole
    others, linked_to = "", first_made(record).kind
    for kinds in (("jaxpr", linked_to, first), (shown_of(record, first),)):
        fewer = smaller(record, Keep(stages=kinds))
        if 0 < len(fewer.stages) < len(record.stages):
            record = fewer
            yield sentence("partial, stages"), wire.encode(record)
            others = "stages, "
    eqns = sum(len(graph.eqns) for stage in record.stages for graph in stage.graphs)
    shown = all_eqns(first_made(record))
    if eqns <= 40_000:
        record = smaller(record, Keep(without=("Stage.text", "Eqn.params")))
        yield sentence(f"partial, {others}text"), wire.encode(record)
        if any(len(stage.graphs) > 1 for stage in record.stages):
            record = smaller(record, Keep(without=("Eqn.bodies",)))
            yield sentence(f"partial, {others}bodies"), wire.encode(record)
    for boxes in OVERVIEWS:
        small = wire.encode(smaller(record, overview(boxes)))
        yield sentence("partial, overview", eqns=shown), small


def shown_of(record: schema.Program, first: str) -> str:
    """The kind of the stage that will be seen first, also where `first` could not be made."""
    shown = next((stage for stage in record.stages if stage.kind == first), None)
    return first if shown is not None and shown.error is None else first_made(record).kind
