"""Findings on memory: large values, constants, residuals, donation, unused arguments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from jaxviz import schema
from jaxviz.analysis.findings.indexed_program import (
    LEAST_BYTES,
    Finding,
    IndexedProgram,
    Place,
    root_of,
)
from jaxviz.schema import Aval, Eqn, Graph
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Blow-up: a value far larger than all arguments and results.
#
# XLA fuses most large values away, even the scores of an attention. So the finding needs the
# compiled program, and reports the first such value that an instruction of the optimized HLO
# returns. No formula needs 16 MiB and 8 times the largest argument or result by its nature.

LEAST_BLOW_UP_BYTES = 16 << 20
BLOW_UP_TIMES = 8
HOLDERS = ("while", "conditional", "call")
"""Instructions whose computations run instruction by instruction, unlike a fusion."""


def blow_ups(searched: IndexedProgram) -> Iterator[Finding]:
    hlo = searched.hlo
    memory = hlo and hlo.memory
    if not hlo or not memory or (memory.temporaries or 0) < LEAST_BLOW_UP_BYTES:
        return
    root = searched.graphs[0]
    ends = [*root.invars, *root.outvars, *root.constvars]
    end = max((searched.size(root, [var]) for var in ends), default=0)
    room = memory.temporaries or 0
    found = [
        (aval, origin)
        for aval, origin in made_values(hlo)
        if aval.kind == "array"
        and max(LEAST_BLOW_UP_BYTES, BLOW_UP_TIMES * end) <= (aval.bytes or 0) <= room
    ]
    for aval, origin in sorted(found, key=lambda one: one[1])[:1]:
        place = searched.place_of(origin)
        if searched.line_of(place) is not None:
            size = bytes_text(aval.bytes or 0)
            quoted = searched.expression_of([place])
            yield Finding(
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
    """The arrays that instructions return, each with the number of the eqn it was made for."""
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


# Constants: arrays that a function closes over become part of its program.
#
# Reported from 1 MiB in all: less is a mask or a table, which nobody would pass as an argument.


def captured_constants(searched: IndexedProgram) -> Iterator[Finding]:
    graph = searched.graphs[0]
    large = [var for var in graph.constvars if searched.size(graph, [var]) >= LEAST_BYTES]
    if not large:
        return
    total = searched.size(graph, large)
    names = [name for var in large if (name := searched.name_of(var))]
    users = searched.flow(0).users
    used = sorted({index for var in large for index in users.get(var, ())})
    one = (
        searched.aval(graph, large[0]).text
        if len(large) == 1
        else sentence("arrays", count=len(large))
    )
    yield Finding(
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


def residuals(searched: IndexedProgram) -> Iterator[Finding]:
    if any(op in searched.by_op for op in RECOMPUTED):
        return
    root = searched.graphs[0]
    arguments = searched.size(root, (*root.invars, *root.constvars))
    for place in searched.places("scan"):
        is_backward = searched.eqn(place).scope in searched.backward
        if searched.line_of(place) is not None and not is_backward:
            kept = residual_bytes(searched, place)
            if kept >= max(LEAST_RESIDUAL_BYTES, RESIDUAL_TIMES * arguments):
                yield residual_finding(searched, place, kept, arguments)


def residual_bytes(searched: IndexedProgram, place: Place) -> int:
    """Bytes that the iterations of a loop make and only the backward pass uses, minus the bytes
    that `jax.checkpoint` would store instead: the inputs of each iteration, and all values of one
    iteration."""
    eqn = searched.eqn(place)
    iterations, [body] = eqn.trips or 0, eqn.bodies
    inner = searched.graphs[body.graph]
    made, given = set[int](), set[int]()
    for var, at in zip(inner.outvars, body.outputs, strict=True):
        if at >= eqn.roles.count("carry") and is_for_backward(searched, place[0], eqn.outvars[at]):
            (given if var in inner.invars else made).add(var)
    carried = [var for var, role in zip(inner.invars, eqn.roles, strict=False) if role == "carry"]
    each = searched.size(inner, made) * (iterations - 1)
    return each - searched.size(inner, {*carried} - given) * iterations


def is_for_backward(searched: IndexedProgram, number: int, var: int) -> bool:
    """True if a value is used, and only by the backward pass."""
    graph = searched.graphs[number]
    users = [graph.eqns[index] for index in searched.flow(number).users.get(var, ())]
    is_used = bool(users) and all(user.scope in searched.backward for user in users)
    return is_used and var not in graph.outvars


def residual_finding(searched: IndexedProgram, place: Place, kept: int, arguments: int) -> Finding:
    return Finding(
        what=sentence(
            "residual",
            turns=searched.eqn(place).trips or 0,
            expression=searched.expression_of([place]),
            bytes=bytes_text(kept),
            arguments=bytes_text(arguments),
        ),
        places=[place],
        bytes=kept,
    )


# Donation: arguments whose memory results could take, and arguments donated for nothing.
#
# XLA writes a result into a donated argument of the same type. If a training step returns all of
# its state anew, donation halves the memory of the state. Reported from 64 MiB of state. Other
# functions may be called with an argument that is needed again, so they are not reported. A
# donated argument that fits no result is reported from 1 MiB.

LEAST_STATE = 64 << 20
LEAST_WASTE = 1 << 20
PASSES = ("forward", "backward", "recompute", "metrics")


def donations(searched: IndexedProgram) -> Iterator[Finding]:
    graph, call = searched.graphs[0], searched.jaxpr.call
    if call is None:
        return
    wasted = donated_in_vain(searched, call.donated) if call.donated else {}
    if sum(wasted.values()) >= LEAST_WASTE:
        yield donation_finding(searched, "donated in vain", wasted)
    given = searched.size(graph, graph.invars)
    if given >= LEAST_STATE and any(group.role == "backward" for group in graph.groups):
        state = updated_arguments(searched, {*call.donated})
        if sum(state.values()) >= LEAST_STATE:
            yield donation_finding(searched, "not donated", state)


def donated_in_vain(searched: IndexedProgram, donated: list[int]) -> dict[str, int]:
    """The donated arguments, each with its bytes, for which no result of their type is left."""
    graph = searched.graphs[0]
    results = Counter(type_of(searched, var) for var in graph.outvars)
    wasted: dict[str, int] = {}
    for at in donated:
        kind = type_of(searched, graph.invars[at])
        if results[kind] > 0:
            results[kind] -= 1
        else:
            wasted[graph.args[at]] = on_a_device(searched, at)
    return wasted


def type_of(searched: IndexedProgram, var: int) -> tuple[str, str | None]:
    """The properties that two values need in common to share memory."""
    aval = searched.aval(searched.graphs[0], var)
    return aval.text, aval.sharding


def updated_arguments(searched: IndexedProgram, donated: set[int]) -> dict[str, int]:
    """The arguments, each with its bytes, that a training step updates: the update uses them and
    makes a result of the type of each of their leaves. So gradients are not taken for new
    parameters."""
    graph = searched.graphs[0]
    update = of_the_update(graph)
    made = {var for eqn in update for var in eqn.outvars}
    used = {var for eqn in update for var in eqn.invars}
    results = Counter(type_of(searched, var) for var in graph.outvars if var in made)
    leaves: dict[str, list[int]] = {}
    for at, (path, var) in enumerate(zip(graph.args, graph.invars, strict=False)):
        if at in donated:
            results[type_of(searched, var)] -= 1
        else:
            leaves.setdefault(root_of(path), []).append(at)
    found: dict[str, int] = {}
    for root, held in leaves.items():
        variables = [graph.invars[at] for at in held]
        needed = Counter(type_of(searched, var) for var in variables)
        if root and needed <= results and used.issuperset(variables):
            results -= needed
            found[root] = sum(on_a_device(searched, at) for at in held)
    return found


def on_a_device(searched: IndexedProgram, at: int) -> int:
    """The bytes of an argument on one device."""
    graph, call = searched.graphs[0], searched.jaxpr.call
    aval = searched.aval(graph, graph.invars[at])
    spec = aval.sharding or (call.shardings[at] if call and call.shardings else "")
    sizes = {axis.name: axis.size for axis in call.mesh} if call else {}
    parts = math.prod(size for axis, size in sizes.items() if f"'{axis}'" in spec)
    return -(-(aval.bytes or 0) // parts)


def of_the_update(graph: Graph) -> list[Eqn]:
    """The eqns that are neither forward nor backward."""
    passes = [group for group in graph.groups if group.role in PASSES]
    inside = {index for group in passes for index in range(group.start, group.stop)}
    return [eqn for index, eqn in enumerate(graph.eqns) if index not in inside]


def donation_finding(searched: IndexedProgram, key: str, sizes: dict[str, int]) -> Finding:
    total = sum(sizes.values())
    names = "`, `".join([*sizes][:3])
    more = "" if len(sizes) <= 3 else f" (+{len(sizes) - 3})"
    call = searched.jaxpr.call
    many = ", devices" if call and math.prod(axis.size for axis in call.mesh) > 1 else ""
    return Finding(
        what=sentence(f"{key}{many}", names=f"`{names}`{more}", bytes=bytes_text(total)),
        cost=sentence("donated in vain cost")
        if key == "donated in vain"
        else sentence(f"not donated cost{many}", bytes=bytes_text(total)),
        fix=sentence(f"{key} fix"),
        names=[*sizes],
        bytes=total,
        at=searched.definition,
    )


# Unused arguments: no result depends on them.
#
# Reported for whole arguments from 1 MiB. One unused leaf of a tree is normal: the tree is passed
# as a whole.


def unused_arguments(searched: IndexedProgram) -> Iterator[Finding]:
    graph = searched.graphs[0]
    if searched.size(graph, graph.invars) < LEAST_BYTES:
        return
    used = {var for eqn in graph.eqns for var in eqn.invars}.union(graph.outvars)
    sizes = {
        path: searched.size(graph, [var])
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
        yield Finding(
            what=sentence("unused", name=names, bytes=total)
            if len(unused) == 1
            else sentence("unused, several", names=names, bytes=total),
            names=[*unused],
            bytes=sum(unused.values()),
            at=searched.definition,
        )
