"""Findings on memory: large values, constants, residuals, unused arguments."""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz import schema
from jaxviz.analysis.findings.indexed_program import (
    LEAST_BYTES,
    Draft,
    IndexedProgram,
    Place,
    root_of,
)
from jaxviz.schema import Aval
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Blow-up: a value far larger than all arguments and results.
#
# XLA fuses most large values away, even the scores of an attention. So the finding needs the
# compiled program, and reports the first such value that an instruction of the optimized HLO
# returns. No formula needs a value of 16 MiB that has 8 times the size of the largest argument or
# result.

LEAST_BLOW_UP_BYTES = 16 << 20
BLOW_UP_TIMES = 8
RUN_STEPWISE = ("while", "conditional", "call")
"""Instructions whose computations run instruction by instruction, unlike a fusion."""


def blow_ups(indexed: IndexedProgram) -> Iterator[Draft]:
    hlo = indexed.hlo
    memory = hlo and hlo.memory
    if not hlo or not memory or (memory.temporaries or 0) < LEAST_BLOW_UP_BYTES:
        return
    root = indexed.graphs[0]
    ends = [*root.invars, *root.outvars, *root.constvars]
    largest = max((indexed.size(root, [var]) for var in ends), default=0)
    temporaries = memory.temporaries or 0
    found = [
        (aval, origin)
        for aval, origin in made_values(hlo)
        if aval.kind == "array"
        and max(LEAST_BLOW_UP_BYTES, BLOW_UP_TIMES * largest) <= (aval.bytes or 0) <= temporaries
    ]
    for aval, origin in sorted(found, key=lambda one: one[1])[:1]:
        place = indexed.place_of(origin)
        if indexed.line_of(place) is not None:
            size = bytes_text(aval.bytes or 0)
            quoted = indexed.expression_of([place])
            yield Draft(
                what=sentence(
                    "blowup",
                    expression=quoted,
                    type=aval.text,
                    bytes=size,
                    largest=bytes_text(largest),
                ),
                cost=sentence("blowup cost", bytes=bytes_text(temporaries)),
                places=[place],
                bytes=aval.bytes,
            )


def made_values(hlo: schema.Stage) -> Iterator[tuple[Aval, int]]:
    """The arrays that instructions return, each with the eqn number of its origin."""
    waiting, seen = [0], {0}
    for number in waiting:
        graph = hlo.graphs[number]
        for eqn in graph.eqns:
            if eqn.op in RUN_STEPWISE:
                further = [body.graph for body in eqn.bodies if body.graph not in seen]
                waiting += further
                seen.update(further)
            elif eqn.origin and eqn.op not in ("parameter", "tuple", "get-tuple-element"):
                for var in eqn.outvars:
                    yield hlo.avals[graph.vars[var].aval], eqn.origin[-1]


# Constants: arrays that a function closes over become part of its program.
#
# Reported from 1 MiB in all: smaller ones are masks or tables, which nobody passes as arguments.


def captured_constants(indexed: IndexedProgram) -> Iterator[Draft]:
    graph = indexed.graphs[0]
    large = [var for var in graph.constvars if indexed.size(graph, [var]) >= LEAST_BYTES]
    if not large:
        return
    total = indexed.size(graph, large)
    names = [name for var in large if (name := indexed.name_of(var))]
    users = indexed.flow(0).users
    used = sorted({index for var in large for index in users.get(var, ())})
    one = (
        indexed.aval(graph, large[0]).text
        if len(large) == 1
        else sentence("arrays", count=len(large))
    )
    yield Draft(
        what=sentence("constant", name=names[0], type=one, bytes=bytes_text(total))
        if len(names) == 1 == len(large)
        else sentence("constant, several", arrays=one, bytes=bytes_text(total)),
        places=[(0, index) for index in used],
        names=names,
        bytes=total,
    )


# Residuals: values that the iterations of a loop store for the backward pass.
#
# Reported for `lax.scan`, `fori_loop` and `lax.map`, which stack the residuals of all iterations,
# so that XLA has to store them. Without a loop the records do not say what is stored: XLA
# computes many values again, or undoes `jax.checkpoint` (on CPU, seen until 0.10). Reported from
# 256 MiB, if that is 4 times all arguments, and if the program has no `jax.checkpoint`.

LEAST_RESIDUAL_BYTES = 256 << 20
RESIDUAL_TIMES = 4
RECOMPUTED = ("checkpoint", "remat2", "remat", "remat_opt")


def residuals(indexed: IndexedProgram) -> Iterator[Draft]:
    if any(op in indexed.by_op for op in RECOMPUTED):
        return
    root = indexed.graphs[0]
    arguments = indexed.size(root, (*root.invars, *root.constvars))
    for place in indexed.places("scan"):
        is_backward = indexed.eqn(place).scope in indexed.backward
        if indexed.line_of(place) is not None and not is_backward:
            stored = residual_bytes(indexed, place)
            if stored >= max(LEAST_RESIDUAL_BYTES, RESIDUAL_TIMES * arguments):
                yield residual_finding(indexed, place, stored, arguments)


def residual_bytes(indexed: IndexedProgram, place: Place) -> int:
    """Bytes that a loop stores only for the backward pass, minus the bytes that `jax.checkpoint`
    would store instead: the inputs of each iteration, and all values of one iteration."""
    eqn = indexed.eqn(place)
    iterations, [body] = eqn.trips or 0, eqn.bodies
    inner = indexed.graphs[body.graph]
    made, passed = set[int](), set[int]()
    for var, at in zip(inner.outvars, body.outputs, strict=True):
        if at >= eqn.roles.count("carry") and is_for_backward(indexed, place[0], eqn.outvars[at]):
            (passed if var in inner.invars else made).add(var)
    carried = [var for var, role in zip(inner.invars, eqn.roles, strict=False) if role == "carry"]
    each = indexed.size(inner, made) * (iterations - 1)
    return each - indexed.size(inner, {*carried} - passed) * iterations


def is_for_backward(indexed: IndexedProgram, number: int, var: int) -> bool:
    """True if a value is used, and only by the backward pass."""
    graph = indexed.graphs[number]
    users = [graph.eqns[index] for index in indexed.flow(number).users.get(var, ())]
    is_used = bool(users) and all(user.scope in indexed.backward for user in users)
    return is_used and var not in graph.outvars


def residual_finding(indexed: IndexedProgram, place: Place, stored: int, arguments: int) -> Draft:
    return Draft(
        what=sentence(
            "residual",
            turns=indexed.eqn(place).trips or 0,
            expression=indexed.expression_of([place]),
            bytes=bytes_text(stored),
            arguments=bytes_text(arguments),
        ),
        places=[place],
        bytes=stored,
    )


# Unused arguments: no result depends on them.
#
# Reported for whole arguments from 1 MiB. One unused leaf of a tree is normal: the tree is passed
# as a whole.


def unused_arguments(indexed: IndexedProgram) -> Iterator[Draft]:
    graph = indexed.graphs[0]
    if indexed.size(graph, graph.invars) < LEAST_BYTES:
        return
    used = {var for eqn in graph.eqns for var in eqn.invars}.union(graph.outvars)
    sizes = {
        path: indexed.size(graph, [var])
        for path, var in zip(graph.args, graph.invars, strict=False)
        if var not in used
    }
    if sum(sizes.values()) < LEAST_BYTES:
        return
    paths = zip(graph.args, graph.invars, strict=False)
    needed = {root_of(path) for path, var in paths if var in used}
    roots: dict[str, int] = {}
    for path, size in sizes.items():
        if root_of(path) not in needed:
            roots[root_of(path)] = roots.get(root_of(path), 0) + size
    unused = {name: size for name, size in roots.items() if name and size >= LEAST_BYTES}
    if unused:
        total = bytes_text(sum(unused.values()))
        names = "`, `".join(unused)
        yield Draft(
            what=sentence("unused", name=names, bytes=total)
            if len(unused) == 1
            else sentence("unused, several", names=names, bytes=total),
            names=[*unused],
            bytes=sum(unused.values()),
            at=indexed.definition,
        )
