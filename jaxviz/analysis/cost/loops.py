"""How often loops run, where a stage says so."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.cost.values import numbers_in


class Loops:
    """The loops of a program, which later stages refer to by the number of their eqn."""

    def __init__(self, jaxpr: schema.Stage | None) -> None:
        graphs = [] if jaxpr is None else jaxpr.graphs
        self._eqns = [eqn for graph in graphs for eqn in graph.eqns]

    def trips(self, eqn: schema.Eqn, kind: str) -> int | None:
        """How often one run of the eqn runs its bodies; None where it is no loop, or not
        known."""
        if eqn.op == "scan":
            return _number(eqn, "length")
        if not eqn.bodies or eqn.op.rpartition(".")[2] != "while":
            return None
        if kind == "hlo":
            return _number(eqn, "known_trip_count")
        return self._of_scan(eqn) if kind == "stablehlo" else None

    def _of_scan(self, eqn: schema.Eqn) -> int | None:
        """A scan becomes a loop that runs its body `unroll` times a trip; what is left over is
        behind it."""
        made_for = eqn.origin[-1] if eqn.origin and not eqn.guess else -1
        if not 0 <= made_for < len(self._eqns) or self._eqns[made_for].op != "scan":
            return None
        scan = self._eqns[made_for]
        length, unroll = _number(scan, "length"), _number(scan, "unroll")
        return None if length is None else length // max(1, unroll or 1)


def _number(eqn: schema.Eqn, name: str) -> int | None:
    for param in eqn.params:
        if param.name == name:
            found = numbers_in(param.value)
            return found[0] if found else None
    return None
