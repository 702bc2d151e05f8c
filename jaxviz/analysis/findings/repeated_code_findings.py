"""Findings on repeated code: layers that differ, and loops that JAX unrolled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from itertools import chain, islice

from jaxviz.analysis.calls import frame_of_line
from jaxviz.analysis.findings.indexed_program import (
    LEAST_BYTES,
    MOST_EQNS,
    Finding,
    IndexedProgram,
    Place,
)
from jaxviz.analysis.groups.loops.unrolled import Loop, calls_at_heads, loop_of, loops_around
from jaxviz.schema import Frame, Graph, Stray
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Unlike layers: one layer casts to a wider float than the other layers of the same code.
#
# Reported for outliers (`analysis/outliers.py`) of 1 MiB or more, on lines that all these layers
# run. A line that only one layer runs is meant for it.


def unlike_layers(searched: IndexedProgram) -> Iterator[Finding]:
    found: dict[tuple[str, int], dict[Place, Stray]] = {}
    for one in searched.jaxpr.strays:
        place = searched.place_of(one.eqn)
        frame = searched.frame_of([place])
        is_large = (searched.cast(place)[1].bytes or 0) >= LEAST_BYTES
        if one.shared and frame is not None and is_large:
            found.setdefault((frame.file, frame.line), {})[place] = one
    for places in found.values():
        yield unlike_layers_finding(searched, places)


def unlike_layers_finding(searched: IndexedProgram, found: dict[Place, Stray]) -> Finding:
    place, one = next(iter(found.items()))
    before, after = searched.cast(place)
    total = sum(searched.cast(at)[1].bytes or 0 for at in found)
    return Finding(
        what=sentence(
            "unlike",
            layer=one.layer,
            before=before.text,
            after=after.text,
            siblings=one.siblings,
        ),
        cost=sentence("unlike cost", bytes=bytes_text(total)),
        places=[*found],
        bytes=total,
    )


# Unrolled loops: a Python loop whose iterations are alike.
#
# JAX records no loop: `groups/loops/unrolled.py` reads it from the source, and reports nothing in
# doubt. Reported from 8 iterations that make 40 eqns and half of the program, each with the same
# primitives and types in the same order. An iteration that works on arguments of its own is a
# layer with parameters: such loops are written on purpose.

FEWEST_TURNS = 8
FEWEST_EQNS = 40
LoopPlace = tuple[str, str | None, Loop]
"""The file, the cell, and the loop in it."""


def unrolled_loops(searched: IndexedProgram) -> Iterator[Finding]:
    whole = searched.first_eqns[-1]
    for number, graph in enumerate(searched.graphs):
        if len(graph.eqns) < max(FEWEST_EQNS, whole // 2):
            continue
        often = Counter(eqn.call for eqn in graph.eqns if eqn.call is not None)
        if 2 * sum(count for count in often.values() if count >= FEWEST_TURNS) < whole:
            continue
        heads = calls_at_heads(graph, searched.jaxpr.frames)
        for place, calls in calls_by_loop(searched, often, heads).items():
            eqns = sum(map(often.__getitem__, calls))
            iterations = iterations_of(searched, graph, calls) if 2 * eqns >= whole else []
            if iterations and is_one_iteration(searched, graph, iterations[0], place, heads):
                yield unrolled_finding(searched, place, number, iterations, eqns)
                return


def calls_by_loop(
    searched: IndexedProgram, often: Mapping[int, int], heads: Set[int]
) -> dict[LoopPlace, set[int]]:
    """The calls that each loop made. A call in several loops belongs to the one with the fewest
    eqns, the inner one. Calls at `heads` take a row of an array."""
    frames, lines = searched.jaxpr.frames, searched.code
    found: dict[LoopPlace, set[int]] = {}
    for call in often:
        if call in heads:
            head = frames[call]
            found.setdefault((head.file, head.cell, ("for", head.line)), set()).add(call)
        for frame, loop in loops_around(frames, call, lines):
            found.setdefault((frame.file, frame.cell, loop), set()).add(call)
    return dict(sorted(found.items(), key=lambda one: sum(map(often.__getitem__, one[1]))))


def iterations_of(searched: IndexedProgram, graph: Graph, calls: set[int]) -> list[list[int]]:
    """The eqns of each iteration of the loop that made these calls. Empty if iterations differ, are
    too few, or work on arguments of their own."""
    backward, avals = searched.backward, [var.aval for var in graph.vars]
    own = [
        index
        for index, eqn in enumerate(graph.eqns)
        if eqn.call in calls and eqn.scope not in backward
    ]
    if len(own) < FEWEST_EQNS:
        return []
    said = [
        (eqn.op, eqn.name, eqn.call, avals[eqn.outvars[0]])
        if len(eqn.outvars) == 1  # as most eqns have, and half as long to write
        else (eqn.op, eqn.name, eqn.call, *map(avals.__getitem__, eqn.outvars))
        for eqn in map(graph.eqns.__getitem__, own)
    ]
    count = min(Counter(said).values())
    if count < FEWEST_TURNS or len(own) % count:
        return []
    period = len(own) // count
    if said != said[:period] * count:
        return []
    iterations = [own[at : at + period] for at in range(0, len(own), period)]
    return [] if has_own_arguments(graph, iterations) else iterations


def is_one_iteration(
    searched: IndexedProgram, graph: Graph, iteration: list[int], place: LoopPlace, heads: Set[int]
) -> bool:
    """True if an apparent iteration is one iteration, not two alternating layers."""
    made = [call for index in iteration if (call := graph.eqns[index].call) is not None]
    calls = [call for call in made if call not in heads]
    return loop_of(calls, searched.jaxpr.frames, searched.code) == place[-1]


def has_own_arguments(graph: Graph, iterations: list[list[int]]) -> bool:
    inputs = frozenset((*graph.invars, *graph.constvars))
    used = ([graph.eqns[index].invars for index in iteration] for iteration in iterations[1:])
    return len({inputs.intersection(chain.from_iterable(one)) for one in used}) > 1


def unrolled_finding(
    searched: IndexedProgram, place: LoopPlace, number: int, iterations: list[list[int]], eqns: int
) -> Finding:
    whole = searched.first_eqns[-1]
    return Finding(
        what=sentence("unrolled", count=len(iterations[0]), turns=len(iterations)),
        cost=sentence("unrolled cost", eqns=eqns, whole=whole),
        places=[(number, index) for index in islice(chain.from_iterable(iterations), MOST_EQNS)],
        at=line_of(searched, place),
    )


def line_of(searched: IndexedProgram, place: LoopPlace) -> Frame:
    """The first line of a loop."""
    file, cell, (_, line) = place
    return next(
        frame_of_line(one, line)
        for one in searched.program.listings
        if (one.file, one.cell) == (file, cell) and one.start <= line
    )
