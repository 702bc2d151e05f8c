"""What is largest in a program for which memory did not suffice."""

from __future__ import annotations

import re

from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Frame, Largest, Stage

_ASKED = re.compile(r"allocat\w* ([\d.]+) ?(bytes|[KMGT]iB)\b")
"""A GPU writes the bytes as `4.00TiB`."""
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def largest_of(stage: Stage, error: BaseException, failed: Frame) -> Largest | None:
    """The largest value that an eqn makes, of several the first, and one in a body before that of
    the eqn with the body. What an op makes that runs alone is made on the line that failed."""
    eqns = [(graph, eqn) for graph in stage.graphs for eqn in graph.eqns]
    made = [
        (aval.bytes or 0, not eqn.bodies, -number, aval.text)
        for number, (graph, eqn) in enumerate(eqns)
        for aval in (stage.avals[graph.vars[var].aval] for var in eqn.outvars)
    ]
    if not made:
        return None
    size, _, number, text = max(made)
    frame = eqns[-number][1].frame
    alone = failed if len(eqns) == 1 else None
    asked = _ASKED.search(message_of(error))
    return Largest(
        type=text,
        bytes=size,
        eqn=-number,
        at=alone if frame is None else stage.frames[frame],
        asked=round(float(asked[1]) * _UNITS[asked[2]]) if asked else None,
    )
