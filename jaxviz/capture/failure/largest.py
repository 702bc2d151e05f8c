"""What is largest in a program for which memory did not suffice."""

from __future__ import annotations

import re

from jaxviz.schema import Frame, Largest, Stage

_ASKED = re.compile(r"allocat\w* (\d+) bytes")


def largest_of(stage: Stage, error: BaseException, failed: Frame) -> Largest | None:
    """The largest value that an eqn makes, of several the first, and one in a body before that of
    the eqn with the body. What an op makes that runs alone is made on the line that failed."""
    made = [
        (aval.bytes or 0, not eqn.bodies, aval.text, eqn.frame)
        for graph in stage.graphs
        for eqn in graph.eqns
        for aval in (stage.avals[graph.vars[var].aval] for var in eqn.outvars)
    ]
    if not made:
        return None
    size, _, text, frame = max(made, key=lambda one: one[:2])
    asked = _ASKED.search(str(error))
    alone = failed if len(made) == 1 else None
    at = alone if frame is None else stage.frames[frame]
    return Largest(type=text, bytes=size, at=at, asked=int(asked[1]) if asked else None)
