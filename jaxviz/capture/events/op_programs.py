"""Reads what JAX compared for an op that it compiled on its own: why it compiled it again."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from jaxviz.capture import _events as seen
from jaxviz.capture.events.describe import placements_of
from jaxviz.capture.shown.shown_values import shown
from jaxviz.schema.signature import OpProgram

MOST_EQNS = 200
"""Eqns of an op of which the params are compared. It takes place within the reader's call."""


def op_program_of(frame: FrameType | None, label: str) -> OpProgram | None:
    """The program that is compiled; None if it is not on the stack."""
    lowering = seen.lowering_of(frame)
    if lowering is None:
        return None
    jaxpr = lowering.jaxpr
    avals = [var.aval for var in jaxpr.invars]
    placed = placements_of([str(i) for i in range(len(avals))], lowering.args)
    if not any(getattr(aval, "shape", ()) for aval in avals):  # `jnp.ones(3)`: its sizes are static
        avals += [var.aval for var in jaxpr.outvars]
    return OpProgram(
        label,
        tuple(str(getattr(aval, "shape", "")) for aval in avals),
        tuple(str(getattr(aval, "dtype", aval)) for aval in avals),
        tuple(bool(getattr(aval, "weak_type", False)) for aval in avals),
        hash(tuple(_params(jaxpr))),
        hash(tuple(placed.values())),
    )


def _params(jaxpr: Any) -> Iterator[str]:
    """The operations of the jaxpr and of the jaxprs in it, with their params as they are shown."""
    waiting, room = [jaxpr], MOST_EQNS
    while waiting:
        for eqn in waiting.pop().eqns:
            room -= 1
            if room < 0:
                return
            yield eqn.primitive.name
            for param, value in eqn.params.items():
                inner = getattr(value, "jaxpr", value)
                if hasattr(inner, "eqns"):
                    waiting.append(inner)
                else:
                    yield f"{param}={shown(value)}"
