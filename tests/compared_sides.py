"""Checks that each of two compared programs can be read off the one that they were merged to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from jaxviz import schema

Pairs = list[tuple[int, int]]
Eqns = list[tuple[schema.Eqn, str]]
"""Eqns with their marks; an eqn without one has an empty text."""
MOVABLE = ("moved", "changed", "removed")


class Side(NamedTuple):
    """One of the two programs."""

    program: schema.Program
    later: bool

    def has(self, kind: str) -> bool:
        """True if this side has eqns with that mark."""
        return kind != ("removed" if self.later else "added")

    def own(self, text: str, kind: str) -> str:
        """Its own part of `(0,) → (1,)` and `2.0→3.0`."""
        arrow = next((one for one in (" → ", "→") if one in text), None)
        if kind not in ("changed", "retyped") or arrow is None:
            return text
        return text.split(arrow)[1 if self.later else 0]


class Read(NamedTuple):
    """A merged graph and its eqns' marks, and the graph of the side that is to be in it."""

    graph: schema.Graph
    kinds: list[str]
    own: schema.Graph
    side: Side


def wrong(found: schema.Program, side: Side) -> list[str]:
    """Where a program's eqns are not as they were: in their order, ops, params and operands.

    Where the earlier one reads another variable in an eqn that both have, a mark says so, or one
    of the two variables is in one program alone."""
    merged, stage = found.stages[0], side.program.stages[0]
    assert found.compared is not None
    marks = {mark.eqn: mark.kind for mark in found.compared.marks}
    first = [0, *accumulate(len(graph.eqns) for graph in merged.graphs)]
    said: list[str] = []
    todo, met = [(0, 0)], {(0, 0)}
    while todo:
        index, own = todo.pop()
        graph = merged.graphs[index]
        kinds = [marks.get(first[index] + at, "") for at in range(len(graph.eqns))]
        read = Read(graph, kinds, stage.graphs[own], side)
        eqns = arranged(read)
        said += [f"graph {index}: {one}" for one in differences(read, eqns)]
        new = [pair for pair in held(read, eqns) if pair not in met]
        met.update(new)
        todo += new
    return said


def kept(read: Read) -> Eqns:
    pairs = zip(read.graph.eqns, read.kinds, strict=True)
    return [(eqn, kind) for eqn, kind in pairs if read.side.has(kind)]


def arranged(read: Read) -> Eqns:
    """The eqns of one side in its own order. The merged order is the later one's. Marks do not
    contain the earlier place of an eqn that moved, or moved and changed, and removed ones stand
    near those: such eqns may stand wherever nothing is wrong with them. All others keep their
    order."""
    eqns = kept(read)
    if read.side.later or not any(differences(read, eqns)):
        return eqns
    return next(arrangements(read, [], eqns), eqns)


def arrangements(read: Read, placed: Eqns, rest: Eqns) -> Iterator[Eqns]:
    """The orders that begin with the placed eqns, without anything wrong."""
    if not rest:
        yield placed
    fixed = next((one for one in rest if one[1] not in MOVABLE), None)
    for number, one in enumerate(rest):
        if one is fixed or one[1] in MOVABLE:
            longer = [*placed, one]
            if not any(faults(read, longer)):
                yield from arrangements(read, longer, rest[:number] + rest[number + 1 :])


def held(read: Read, eqns: Eqns) -> Iterator[tuple[int, int]]:
    """The bodies that belong together."""
    for (eqn, _), other in zip(eqns, read.own.eqns, strict=False):
        rest = list(eqn.bodies)
        for body in other.bodies:
            twin = next((one for one in rest if one.label == body.label), None)
            if twin is not None:
                rest.remove(twin)
                yield twin.graph, body.graph


def differences(read: Read, eqns: Eqns) -> Iterator[str]:
    if len(eqns) != len(read.own.eqns):
        yield f"{len(eqns)} eqns for {len(read.own.eqns)}"
    else:
        yield from faults(read, eqns)


def faults(read: Read, eqns: Eqns) -> Iterator[str]:
    """Where these eqns are not the first ones of the side."""
    same: dict[int, int] = {}
    both = {
        var
        for eqn, kind in zip(read.graph.eqns, read.kinds, strict=True)
        if kind not in ("added", "removed")
        for var in eqn.outvars
    }
    for at, ((eqn, kind), other) in enumerate(zip(eqns, read.own.eqns, strict=False)):
        said = [*of_eqn(read, eqn, kind, other)]
        if len(eqn.invars) == len(other.invars):
            said += [*operands(read, eqn, kind, other, same, both)]
        # Results of a changed call are paired by type, so the earlier ones may be in another order.
        if read.side.later or kind != "changed" or len(other.outvars) == 1:
            same.update(dict(zip(other.outvars, eqn.outvars, strict=False)))
        yield from (f"eqn {at}: {one}" for one in said)


def of_eqn(read: Read, eqn: schema.Eqn, kind: str, other: schema.Eqn) -> Iterator[str]:
    if eqn.op != other.op:
        yield f"{eqn.op} for {other.op}"
    params = {one.name: read.side.own(one.value, kind) for one in eqn.params}
    params = {name: value for name, value in params.items() if value != "absent"}
    if params != {one.name: one.value for one in other.params}:
        yield f"params {params}"
    if len(eqn.invars) != len(other.invars) and (read.side.later or kind != "changed"):
        yield f"{len(eqn.invars)} operands for {len(other.invars)}"
    if len(eqn.outvars) < len(other.outvars):
        yield f"{len(eqn.outvars)} results for {len(other.outvars)}"


def operands(
    read: Read, eqn: schema.Eqn, kind: str, other: schema.Eqn, same: dict[int, int], both: set[int]
) -> Iterator[str]:
    for var, operand in zip(eqn.invars, other.invars, strict=True):
        name, wanted = read.graph.vars[var].name, read.own.vars[operand]
        if wanted.literal:
            if read.side.own(value(name), kind) != value(wanted.name) and told(read, kind):
                yield f"{name} for {wanted.name}"
            continue
        known = same.setdefault(operand, var)
        if known != var and told(read, kind) and (read.side.later or {var, known} <= both):
            yield f"reads {name}"


def told(read: Read, kind: str) -> bool:
    """True if the comparison reports another operand."""
    return read.side.later or kind != "changed"


def value(literal: str) -> str:
    return literal.partition(":")[0]
