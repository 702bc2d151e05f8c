"""Which eqn holds a graph, where one alone does."""

from __future__ import annotations

from typing import NamedTuple

from jaxviz import schema
from jaxviz.ops import RUN, row_of

Origin = tuple[int, ...]


class Around(NamedTuple):
    """What is around a graph."""

    origin: Origin
    """Of the eqn that holds it."""
    applied: bool
    """That eqn applies it to elements: all of it was made for that one."""


def origins_around(stage: schema.Stage) -> dict[int, Around]:
    """For the graphs that one eqn holds, whose origin is known. Of a fusion or a call nothing
    follows for what it holds."""
    found: dict[int, Around] = {}
    several: set[int] = set()
    for graph in stage.graphs:
        for eqn in graph.eqns:
            for body in eqn.bodies:
                if body.graph in found:
                    several.add(body.graph)
                op = row_of(eqn.op)
                found[body.graph] = Around(tuple(eqn.origin), op.bodies not in RUN)
                if op.name in _SEVERAL or not eqn.origin:
                    several.add(body.graph)
    return {graph: around for graph, around in found.items() if graph not in several}


_SEVERAL = frozenset(("fusion", "call", "custom_call", "async"))
