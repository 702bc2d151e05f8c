"""What XLA says of an instruction that cannot be.

When XLA moves a change of shape past an op, it gives the new instruction the op's name. But no
`mul` becomes a `bitcast`: that is another eqn's, and which one is not known.
"""

from __future__ import annotations

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.made import Made
from jaxviz.ops import row_of

MOVES = frozenset(("bitcast", "copy", "reshape", "transpose"))


def without_copied(graph: schema.Graph, made: Made) -> schema.Graph:
    """The graph without origins of instructions that move elements, where the eqn moves none."""
    makers = {var: eqn for eqn in graph.eqns for var in eqn.outvars}

    def checked(eqn: schema.Eqn) -> schema.Eqn:
        if not eqn.origin or row_of(eqn.op).name not in MOVES:
            return eqn
        before = makers.get(eqn.invars[0])
        same = before is not None and before.origin == eqn.origin
        if made.moves_nothing(eqn.origin[-1], same):
            return replace(eqn, origin=[])
        return eqn

    return replace(graph, eqns=[checked(eqn) for eqn in graph.eqns])
