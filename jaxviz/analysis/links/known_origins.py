"""What is known of origins before anything is guessed: those that XLA gave wrongly are taken away,
and each graph has that of the eqn which holds it.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.ops import RUN, row_of

MOVES = frozenset(("bitcast", "copy", "reshape", "transpose"))
"""Instructions that move elements and change none."""
_HOLD_OTHERS = frozenset(("fusion", "call", "custom_call", "async"))
"""Instructions whose bodies were made for several eqns, or for none that is known."""

Origin = tuple[int, ...]
"""An eqn of the jaxpr by its number, after the eqns that hold it: as `Eqn.origin`."""


class GraphHolder(NamedTuple):
    """The eqn that holds a graph."""

    origin: Origin
    """What the holder was made for."""
    applied: bool
    """The holder applies the graph to single elements, as a reduction does: then all of the graph
    was made for what the holder was made for."""


def holders_of(stage: schema.Stage) -> dict[int, GraphHolder]:
    """The holders of the graphs that one eqn alone holds, by the graphs' indices, where the origin
    of that eqn is known. From a fusion or a call nothing follows for what it holds."""
    found: dict[int, GraphHolder] = {}
    several: set[int] = set()
    for graph in stage.graphs:
        for eqn in graph.eqns:
            for body in eqn.bodies:
                if body.graph in found:
                    several.add(body.graph)
                op = row_of(eqn.op)
                found[body.graph] = GraphHolder(tuple(eqn.origin), op.bodies not in RUN)
                if op.name in _HOLD_OTHERS or not eqn.origin:
                    several.add(body.graph)
    return {graph: holder for graph, holder in found.items() if graph not in several}


def without_wrong_origins(graph: schema.Graph, jaxpr: JaxprEqns) -> schema.Graph:
    """The graph without origins of instructions that only move elements, where the eqn moves none.

    When XLA moves a change of shape past an op, it gives the new instruction the op's name. But no
    `mul` becomes a `bitcast`: that one was made for another eqn, and it is not known which."""
    makers = {var: eqn for eqn in graph.eqns for var in eqn.outvars}

    def checked(eqn: schema.Eqn) -> schema.Eqn:
        if not eqn.origin or row_of(eqn.op).name not in MOVES:
            return eqn
        before = makers.get(eqn.invars[0])
        same = before is not None and before.origin == eqn.origin
        if jaxpr.moves_nothing(eqn.origin[-1], same):
            return replace(eqn, origin=[])
        return eqn

    return replace(graph, eqns=[checked(eqn) for eqn in graph.eqns])
