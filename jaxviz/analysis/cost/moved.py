"""Bytes that one eqn reads and writes: its operands and its results.

Of an operand of which it touches a part it counts that part, as XLA's cost analysis does. What
changes a type and moves nothing counts none.
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.ops import RUN, row_of
from jaxviz.ops.row import UNKNOWN


def bytes_of(
    cost: str, kind: str, inputs: list[int | None], outputs: list[int | None]
) -> int | None:
    """Of one eqn, given what its row says of its cost, and the bytes of its operands and results.
    None where it is not known. A view of the same bytes is free, but for one that is left in
    optimized HLO, which copies."""
    if cost == UNKNOWN:
        return None
    if cost == "free" or (cost == "views" and kind != "hlo"):
        return 0
    if cost in PARTS:
        inputs, outputs = PARTS[cost](inputs, outputs)
    return added([*inputs, *outputs])


def added(sizes: list[int | None]) -> int | None:
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


Sizes = list[int | None]


def _read_part(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """As much of the first operand as the result, and the indices."""
    return [*outputs, *inputs[1:]], outputs


def _write_part(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """The update, read and written where it belongs."""
    return inputs[1:], inputs[1:2]


def _combine_part(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """The indices and the updates, and as much of the operand, read and written."""
    held = max(1, (len(inputs) - 1) // 2)
    updates = inputs[-held:]
    return [*inputs[held:], *updates], updates


def _swap(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    """Of a ref what is taken out and what is put in."""
    return [*outputs, *inputs[1:]], [*outputs, *inputs[1:2]]


def _add_to(inputs: Sizes, outputs: Sizes) -> tuple[Sizes, Sizes]:
    return [*inputs[1:], *inputs[1:2]], inputs[1:2]


PARTS = {
    "slices": _read_part,
    "halves": _read_part,
    "update_slice": _write_part,
    "scatter": _combine_part,
    "swap": _swap,
    "add_to_ref": _add_to,
}
"""By the names that rows of `jaxviz/ops` give."""


def applied_graphs(stage: schema.Stage) -> set[int]:
    """The graphs whose values stay in registers, so that they move no bytes: a fusion's, the
    function of a reduction, and what these hold."""
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
