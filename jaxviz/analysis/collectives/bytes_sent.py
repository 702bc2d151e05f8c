"""Counts the bytes that each device sends to others, for one collective and for one run of a
program.

There are n devices, and each has b bytes of the operand:

| | bytes that each sends | |
|---|---|---|
| all-reduce | 2·b·(n - 1)/n | a reduce-scatter, then an all-gather of its result |
| reduce-scatter | b·(n - 1)/n | all of its n parts except its own |
| all-gather | b·(n - 1) | its own part and those of all others but one |
| all-to-all | b·(n - 1)/n | all of its n parts except its own |
| permute | b | the part that is paired with another device |
| broadcast | b | a chain: each device sends on what it received |

These are the bytes that devices send in a ring. For an all-reduce, a ring is optimal (P. Patarasuk
and X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of workstations*, Journal of
Parallel and Distributed Computing 69, 2009). NVIDIA's nccl-tests count the same in their "bus
bandwidth" (doc/PERFORMANCE.md there). The runtime may choose another algorithm, such as a tree for
small values. With switches that add values, devices send less.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from jaxviz import schema
from jaxviz.ops import row_of
from jaxviz.schema.graph import first_eqns, inner_first

_KINDS = {
    "all-reduce": "psum psum2 psum_invariant pmax pmin psum_start psum_invariant_start all_reduce "
    "unreduced_psum unreduced_pmax unreduced_pmin unreduced_psum_start",
    "reduce-scatter": "reduce_scatter reduce_scatter_start unreduced_reduce_scatter "
    "unreduced_reduce_scatter_start",
    "all-gather": "all_gather all_gather_start all_gather_invariant all_gather_reduced "
    "all_gather_reduced_start",
    "all-to-all": "all_to_all all_to_all_start",
    "permute": "ppermute ppermute_start collective_permute",
    "broadcast": "pbroadcast pbroadcast_start collective_broadcast",
}
KINDS = {op: kind for kind, ops in _KINDS.items() for op in ops.split()}
"""The kind of each op of all stages, by the name of its row in `jaxviz/ops`. If a collective has
two parts, only the first one, which sends, is here."""


def bytes_sent(kind: str, devices: int, size: int) -> int:
    """Returns the bytes that each device sends, rounded up. `size` is the bytes of the operands on
    one device. `devices` is at least 1, or 0 for a permute in which no device sends."""
    others = devices - 1
    match kind:
        case "all-reduce":
            return -(-2 * size * others // devices)
        case "reduce-scatter" | "all-to-all":
            return -(-size * others // devices)
        case "all-gather":
            return size * others
        case "permute":
            return size if devices > 0 else 0
        case _:
            return size if others > 0 else 0


class Sent(NamedTuple):
    """The bytes that each device sends along some axes."""

    bytes: int
    least: bool
    """True if `bytes` is a lower bound: the size of an op or the iterations of a loop are
    unknown."""


ByAxes = dict[tuple[str, ...], Sent]


def sent_by_axes(stage: schema.Stage) -> ByAxes:
    """Returns the bytes that each device sends in one run of the program, by axes; the key is empty
    if the axes are unknown. A loop counts once for each iteration, and a choice counts its most
    expensive body."""
    return _Totals(stage).of_graphs[0] if stage.collectives else {}


def sent_by_groups(stage: schema.Stage, graph: int) -> list[tuple[str, Sent]]:
    """Returns the bytes that each device sends along all axes in one run of a graph, for each
    outermost group."""
    if not stage.collectives:
        return []
    totals, found = _Totals(stage), list[tuple[str, Sent]]()
    for group in stage.graphs[graph].groups:
        if group.parent is None:
            each = totals.within(graph, group.start, group.stop).values()
            least = any(one.least for one in each)
            found.append((group.name, Sent(sum(one.bytes for one in each), least)))
    return found


class _Totals:
    def __init__(self, stage: schema.Stage) -> None:
        self._graphs, self._starts = stage.graphs, first_eqns(stage.graphs)
        self._collectives = {one.eqn: one for one in stage.collectives}
        self.of_graphs: dict[int, ByAxes] = {}
        """The bytes of one run of each graph."""
        for number in inner_first(stage.graphs):
            self.of_graphs[number] = self.within(number, 0, len(stage.graphs[number].eqns))

    def within(self, graph: int, start: int, stop: int) -> ByAxes:
        """The bytes of some eqns of a graph, in one run of it."""
        total: ByAxes = {}
        first = self._starts[graph] + start
        for at, eqn in enumerate(self._graphs[graph].eqns[start:stop], first):
            one = self._collectives.get(at)
            if one is not None:
                add(total, tuple(one.axes), Sent(one.sent or 0, one.sent is None))
            add_bodies(total, eqn, [self.of_graphs[body.graph] for body in eqn.bodies])
        return total


def add(total: ByAxes, axes: tuple[str, ...], more: Sent) -> None:
    before = total.get(axes, Sent(0, False))
    total[axes] = Sent(before.bytes + more.bytes, before.least or more.least)


def add_bodies(total: ByAxes, eqn: schema.Eqn, bodies: list[ByAxes]) -> None:
    """Adds the bytes that one run of an eqn sends in its bodies."""
    use = row_of(eqn.op).bodies
    if use == "chosen":
        bodies = [maximum(bodies)]
    unknown = use == "looped" and eqn.trips is None
    for body in bodies:
        for axes, (size, least) in body.items():
            times = 1 if eqn.trips is None else eqn.trips
            add(total, axes, Sent(size * times, least or unknown))


def maximum(bodies: Iterable[ByAxes]) -> ByAxes:
    found: ByAxes = {}
    for body in bodies:
        for axes, (size, least) in body.items():
            before = found.get(axes, Sent(0, False))
            found[axes] = Sent(max(before.bytes, size), before.least or least)
    return found
