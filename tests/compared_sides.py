"""Checks that each of two compared programs can be read off the one that they were merged to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from jaxviz import schema

Pairs = list[tuple[int, int]]


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
        said += [f"graph {index}: {one}" for one in differences(read)]
        new = [pair for pair in held(read) if pair not in met]
        met.update(new)
        todo += new
    return said


def kept(read: Read) -> list[tuple[schema.Eqn, str]]:
    pairs = zip(read.graph.eqns, read.kinds, strict=True)
    return [(eqn, kind) for eqn, kind in pairs if read.side.has(kind)]


def is_reordered(read: Read) -> bool:
    """True for the earlier side if eqns moved. The marks do not contain their earlier places, and
    an eqn that moved and changed is marked as changed."""
    if read.side.later or "moved" in read.kinds:
        return not read.side.later
    ops = [eqn.op for eqn, _ in kept(read)]
    return "changed" in read.kinds and ops != [eqn.op for eqn in read.own.eqns]


def held(read: Read) -> Iterator[tuple[int, int]]:
    """The bodies that belong together."""
    if is_reordered(read):
        return
    for (eqn, _), other in zip(kept(read), read.own.eqns, strict=False):
        rest = list(eqn.bodies)
        for body in other.bodies:
            twin = next((one for one in rest if one.label == body.label), None)
            if twin is not None:
                rest.remove(twin)
                yield twin.graph, body.graph


def differences(read: Read) -> Iterator[str]:
    eqns = kept(read)
    if len(eqns) != len(read.own.eqns):
        yield f"{len(eqns)} eqns for {len(read.own.eqns)}"
        return
    if is_reordered(read):
        ops, own = Counter(eqn.op for eqn, _ in eqns), Counter(eqn.op for eqn in read.own.eqns)
        yield from [f"{ops} for {own}"] if ops != own else []
        return
    same: dict[int, int] = {}
    both = {
        var
        for eqn, kind in zip(read.graph.eqns, read.kinds, strict=True)
        if kind not in ("added", "removed")
        for var in eqn.outvars
    }
    for at, ((eqn, kind), other) in enumerate(zip(eqns, read.own.eqns, strict=True)):
        said = [*of_eqn(read, eqn, kind, other)]
        if len(eqn.invars) == len(other.invars):
            said += [*operands(read, eqn, kind, other, same, both)]
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
