"""The bytes that an eqn or a fusion reads and writes.

An eqn moves its operands and its results. If it touches only a part of an operand, only this part
counts, as in XLA's cost analysis. A change of type that moves nothing counts nothing.

A fusion in a loop often reads one row of the stacked inputs and writes one row of the stacked
outputs in place. XLA counts only these rows (`FusionParameterReadBytes` in
`gpu_hlo_cost_analysis.cc`).
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.ops import RUN, row_of
from jaxviz.ops.row import UNKNOWN


class Touched:
    """The bytes of each parameter and result that one fused computation touches."""

    def __init__(self, graph: schema.Graph, sizes: Sizes) -> None:
        """`sizes` has the bytes of each of the stage's avals."""
        self._sizes = [sizes[var.aval] for var in graph.vars]
        self._makers = {var: eqn for eqn in graph.eqns for var in eqn.outvars}
        self._users: dict[int, list[tuple[schema.Eqn, int]]] = {var: [] for var in graph.invars}
        for eqn in graph.eqns:
            for place, var in enumerate(eqn.invars):
                if var in self._users:
                    self._users[var].append((eqn, place))
        self._results = set(graph.outvars)

    def read(self, var: int) -> int | None:
        """The bytes read of a parameter; None if its size is unknown. For a slice, only the slice
        counts. Each broadcast and reshape reads the parameter once. All other uses together read it
        once."""
        read: list[int | None] = []
        shared = var in self._results
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
        """The bytes written of a result: only the update, if it is written into an operand."""
        maker = self._makers.get(var)
        if maker is not None and maker.op == "tuple":
            return added([self._part(part) for part in maker.invars])
        return self._part(var)

    def _part(self, var: int) -> int | None:
        maker = self._makers.get(var)
        if maker is not None and row_of(maker.op).cost == "update_slice":
            return self._sizes[maker.invars[1]]
        return self._sizes[var]


def bytes_of(
    cost: str, kind: str, inputs: list[int | None], outputs: list[int | None]
) -> int | None:
    """Returns the bytes that one eqn moves; None if unknown.

    `cost` is the formula named by its row in `jaxviz/ops`, `kind` is the stage's kind, and `inputs`
    and `outputs` are the bytes of its operands and results. Before HLO, an op that only reads the
    same bytes in another way (a view) moves nothing. In optimized HLO it counts as a copy, because
    XLA has removed the free ones.
    """
    if cost == UNKNOWN:
        return None
    if cost == "tuple" and kind == "hlo":
        return POINTER * len(inputs)
    if cost in ("free", "tuple") or (cost in ("views", "bits") and kind != "hlo"):
        return 0
    if cost in PARTS:
        inputs, outputs = PARTS[cost](inputs, outputs)
    return added([*inputs, *outputs])


POINTER = 8
"""Bytes of a pointer: a tuple of optimized HLO is a table of pointers to its parts."""


def added(sizes: list[int | None]) -> int | None:
    """The sum of sizes; None if one of them is unknown."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


Sizes = list[int | None]
"""Bytes of several values, None for each unknown one."""


def _read_part(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """Reads the part of the first operand that becomes the result, and the indices."""
    return [*outputs, *inputs[1:]], outputs


def _write_part(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """Reads the update and the indices, and writes the update."""
    return inputs[1:], inputs[1:2]


def _combine_part(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """Reads the indices, the updates and an equal part of the operand, and writes that part."""
    arrays = max(1, (len(inputs) - 1) // 2)
    updates = inputs[-arrays:]
    return [*inputs[arrays:], *updates], updates


def _swap(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """Reads and writes the touched part of a ref, not the rest of it."""
    return [*outputs, *inputs[1:]], [*outputs, *inputs[1:2]]


def _add_to(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    return [*inputs[1:], *inputs[1:2]], inputs[1:2]


PARTS = {
    **dict.fromkeys(("slices", "gather"), _read_part),
    "halves": _read_part,
    "update_slice": _write_part,
    "scatter": _combine_part,
    "swap": _swap,
    "add_to_ref": _add_to,
}
"""The parts that are read and written, by the `cost` in rows of `jaxviz/ops`."""


def applied_graphs(stage: schema.Stage) -> set[int]:
    """The numbers of the graphs whose values stay in registers and move no bytes: bodies of
    fusions, functions of reductions, and all bodies within these."""
    waiting = [
        body.graph
        for graph in stage.graphs
        for eqn in graph.eqns
        if eqn.bodies and row_of(eqn.op).bodies not in RUN
        for body in eqn.bodies
    ]
    found: set[int] = set()
    while waiting:
        graph = waiting.pop()
        if graph not in found:
            found.add(graph)
            waiting.extend(body.graph for eqn in stage.graphs[graph].eqns for body in eqn.bodies)
    return found
