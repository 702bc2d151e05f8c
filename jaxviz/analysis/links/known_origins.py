"""Takes away origins that XLA gave wrongly."""

from __future__ import annotations

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.ops import row_of

_MOVES = frozenset(("bitcast", "copy", "reshape", "transpose"))
"""Instructions that move elements and change none."""


def without_wrong_origins(graph: schema.Graph, jaxpr: JaxprEqns) -> schema.Graph:
    """The graph without origins of instructions that only move elements, where the eqn moves none.

    When XLA moves a change of shape past an op, it gives the new instruction the op's name. But no
    `mul` becomes a `bitcast`: that one was made for another eqn, and it is not known which."""
    makers = {var: eqn for eqn in graph.eqns for var in eqn.outvars}

    def checked(eqn: schema.Eqn) -> schema.Eqn:
        if not eqn.origin or row_of(eqn.op).name not in _MOVES:
            return eqn
        before = makers.get(eqn.invars[0])
        same = before is not None and before.origin == eqn.origin
        if jaxpr.moves_nothing(eqn.origin[-1], same):
            return replace(eqn, origin=[])
        return eqn

    return replace(graph, eqns=[checked(eqn) for eqn in graph.eqns])
