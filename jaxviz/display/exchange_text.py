"""Communication between devices in a stage, as text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from jaxviz import schema
from jaxviz.analysis.collectives.bytes_sent import Sent, sent_by_axes, sent_by_groups
from jaxviz.display.outline_text import called
from jaxviz.sentences.amounts import bytes_text

MOST_CAUSES = 3
"""The most exchanges that get a line with their cause: those that send most."""
MOST_GROUPS = 4


def exchange_lines(stage: schema.Stage) -> list[str]:
    """Bytes that each device sends in one run of a stage, by the axes of the mesh and by the
    outermost groups, with causes. Empty if nothing is sent."""
    by_axes = {axes: sent for axes, sent in sent_by_axes(stage).items() if sent.bytes or sent.least}
    if not by_axes:
        return []
    parts = [
        _amount(sent) + (f" along {' and '.join(axes)}" if axes else "")
        for axes, sent in by_axes.items()
    ]
    return [f"each device sends {', '.join(parts)}", *_by_groups(stage), *_causes(stage)]


def _amount(sent: Sent) -> str:
    return f"{'at least ' if sent.least else ''}{bytes_text(sent.bytes)}"


def _by_groups(stage: schema.Stage) -> list[str]:
    """A line with the groups that send most."""
    groups = sent_by_groups(stage, called(stage, 0))
    found = [(name, sent) for name, sent in groups if sent.bytes or sent.least]
    if not found:
        return []
    found.sort(key=lambda one: -one[1].bytes)
    parts = [f"{_amount(sent)} in {name}" for name, sent in found[:MOST_GROUPS]]
    more = len(found) - MOST_GROUPS
    return [f"  {', '.join(parts)}{f', and {more} groups more' if more > 0 else ''}"]


def _causes(stage: schema.Stage) -> Iterator[str]:
    known = [one for one in stage.collectives if one.cause]
    if not known:
        return
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    for one in sorted(known, key=lambda one: -(one.sent or 0))[:MOST_CAUSES]:
        frame = eqns[one.eqn].frame
        where = f", line {stage.frames[frame].line}" if frame is not None else ""
        size = "" if one.sent is None else f" of {bytes_text(one.sent)}"
        text = f"{one.kind}{size}{where}: {one.cause}"
        yield from wrap(text, 100, initial_indent="  ", subsequent_indent="    ")
    if (more := len(known) - MOST_CAUSES) > 0:
        yield f"  … {more} more whose cause is known"
