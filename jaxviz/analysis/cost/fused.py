"""Counts the bytes that a fusion reads and writes, where it touches only parts of its operands.

This matters in loops: each trip reads one row of the stacked inputs and writes one row of the
stacked outputs in place. XLA counts in the same way (`FusionParameterReadBytes` in
`gpu_hlo_cost_analysis.cc`).
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.cost.moved import Sizes, added
from jaxviz.ops import row_of


class Touched:
    """How many bytes of each parameter and result one fused computation touches."""

    def __init__(self, graph: schema.Graph, sizes: Sizes) -> None:
        """`sizes` has the bytes of each of the stage's avals."""
        self._sizes = [sizes[var.aval] for var in graph.vars]
        self._makers = {var: eqn for eqn in graph.eqns for var in eqn.outvars}
        self._users: dict[int, list[tuple[schema.Eqn, int]]] = {var: [] for var in graph.invars}
        for eqn in graph.eqns:
            for place, var in enumerate(eqn.invars):
                if var in self._users:
                    self._users[var].append((eqn, place))
        self._kept = set(graph.outvars)

    def read(self, var: int) -> int | None:
        """Bytes read of a parameter; None where its size is not known. Of what is sliced only the
        slices are read. Each broadcast and reshape reads it anew, all other uses share one reading.
        """
        read: list[int | None] = []
        shared = var in self._kept
        for eqn, place in self._users[var]:
            row = row_of(eqn.op)
            if row.cost == "slices" and place == 0:
                read.append(self._sizes[eqn.outvars[0]])
            elif row.name in ("broadcast", "reshape"):
                read.append(self._sizes[var])
            else:
                shared = shared or row.cost != "update_slice" or place > 0
        return added([*read, self._sizes[var]] if shared else read)

    def written(self, var: int) -> int | None:
        """Bytes written of a result: only the update, where it is written into an operand."""
        maker = self._makers.get(var)
        if maker is not None and maker.op == "tuple":
            return added([self._part(part) for part in maker.invars])
        return self._part(var)

    def _part(self, var: int) -> int | None:
        maker = self._makers.get(var)
        if maker is not None and row_of(maker.op).cost == "update_slice":
            return self._sizes[maker.invars[1]]
        return self._sizes[var]
