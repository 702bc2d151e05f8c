"""Values far larger than all that goes into a program and comes out of it.

XLA never makes most large values: it fuses what makes them with what makes them small again, even
the scores of an attention. So nothing is said until a program is compiled, and then of the first
value that an instruction of the optimized HLO hands on. 16 MiB, and 8 times the largest argument or
result, is what no formula needs by its nature.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz import schema
from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import Found, Searched
from jaxviz.schema import Aval
from jaxviz.sentences import sentence

LEAST_BYTES = 16 << 20
TIMES = 8
HOLDERS = ("while", "conditional", "call")
"""Instructions whose computations run instruction by instruction; that of a fusion is one."""


def blow_ups(searched: Searched) -> Iterator[Found]:
    hlo = searched.hlo
    memory = hlo and hlo.memory
    if not hlo or not memory or (memory.temporaries or 0) < LEAST_BYTES:
        return
    root = searched.graphs[0]
    ends = [*root.invars, *root.outvars, *root.constvars]
    end = max((searched.size(root, [var]) for var in ends), default=0)
    room = memory.temporaries or 0
    found = [
        (aval, origin)
        for aval, origin in made_values(hlo)
        if aval.kind == "array" and max(LEAST_BYTES, TIMES * end) <= (aval.bytes or 0) <= room
    ]
    for aval, origin in sorted(found, key=lambda one: one[1])[:1]:
        place = searched.place_of(origin)
        if searched.line_of(place) is not None:
            size = bytes_text(aval.bytes or 0)
            quoted = searched.expression_of([place])
            yield Found(
                what=sentence(
                    "blowup",
                    expression=quoted,
                    type=aval.text,
                    bytes=size,
                    largest=bytes_text(end),
                ),
                cost=sentence("blowup cost", bytes=bytes_text(room)),
                places=[place],
                bytes=aval.bytes,
            )


def made_values(hlo: schema.Stage) -> Iterator[tuple[Aval, int]]:
    """The arrays that instructions pass on, each with the number of the eqn it was made for."""
    waiting, seen = [0], {0}
    for number in waiting:
        graph = hlo.graphs[number]
        for eqn in graph.eqns:
            if eqn.op in HOLDERS:
                further = [body.graph for body in eqn.bodies if body.graph not in seen]
                waiting += further
                seen.update(further)
            elif eqn.origin and eqn.op not in ("parameter", "tuple", "get-tuple-element"):
                for var in eqn.outvars:
                    yield hlo.avals[graph.vars[var].aval], eqn.origin[-1]
