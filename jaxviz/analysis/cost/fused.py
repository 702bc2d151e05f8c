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
        self._users: dict[int, list[tuple[schema.Eqn, int]]] = {}
        for eqn in graph.eqns:
            for place, var in enumerate(eqn.invars):
                self._users.setdefault(var, []).append((eqn, place))
        self._kept = set(graph.outvars)

    def read(self, var: int) -> int | None:
        """Bytes read of a parameter: only the slices, where it is only sliced; None where its size
        is not known."""
        if var in self._kept:
            return self._sizes[var]
        total = 0
        for eqn, place in self._users.get(var, []):
            size = self._used(eqn, place)
            if size is None:
                return self._sizes[var]
            total += size
        whole = self._sizes[var]
        return total if whole is None else min(total, whole)

    def _used(self, eqn: schema.Eqn, place: int) -> int | None:
        """Bytes that an eqn reads of its operand at `place`; None where it reads all of them."""
        cost = row_of(eqn.op).cost
        if place > 0:
            return None
        if cost == "slices":
            return self._sizes[eqn.outvars[0]]
        return 0 if cost == "update_slice" and self._leaves(eqn.outvars[0]) else None

    def _leaves(self, var: int) -> bool:
        """Whether a variable is only returned, alone or in a tuple, and not used otherwise."""
        users = [eqn for eqn, _ in self._users.get(var, [])]
        if var in self._kept:
            return not users
        return bool(users) and all(
            eqn.op == "tuple" and eqn.outvars[0] in self._kept for eqn in users
        )

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
