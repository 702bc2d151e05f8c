"""Findings on repeated code: loops that JAX unrolled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from itertools import chain, islice

from jaxviz.analysis.findings.indexed_program import (
    MOST_EQNS,
    Draft,
    IndexedProgram,
)
from jaxviz.analysis.groups.facts.call_stacks import without_recursion
from jaxviz.analysis.groups.loops.expression_loops import Loop
from jaxviz.analysis.groups.loops.unrolled import (
    RECURSION,
    are_calls,
    calls_at_heads,
    loop_of,
    loops_around,
)
from jaxviz.analysis.listed_lines import frame_of_line
from jaxviz.schema import Frame, Graph
from jaxviz.sentences import sentence

# Unrolled loops: a Python loop whose iterations are alike.
#
# JAX records no loop: `groups/loops/unrolled.py` finds it in the source, or reports nothing in
# doubt. Reported from 8 iterations that make 40 eqns and half of the program, each with the same
# primitives and types in the same order. An iteration that uses values of its own is a layer with
# parameters, or works on a leaf of a tree: such loops are written on purpose.

FEWEST_ITERATIONS = 8
FEWEST_EQNS = 40
TAKES_ROWS = frozenset(
    (
        *("slice", "squeeze", "reshape", "dynamic_slice", "gather", "transpose", "split"),
        *("broadcast_in_dim", "convert_element_type", "random_wrap", "random_unwrap"),
    )
)
"""The ops with which iterations take their parts of one value."""
LoopPlace = tuple[str, str | None, Loop]
"""The file, the cell, and the loop in it."""


def unrolled_loops(indexed: IndexedProgram) -> Iterator[Draft]:
    flattened = without_recursion(indexed.jaxpr)
    if flattened.depths:
        indexed = IndexedProgram(indexed.program, flattened.stage)
        indexed.code.flattened = flattened
    whole = indexed.first_eqns[-1]
    for number, graph in enumerate(indexed.graphs):
        if len(graph.eqns) < max(FEWEST_EQNS, whole // 2):
            continue
        counts = Counter(eqn.call for eqn in graph.eqns if eqn.call is not None)
        if 2 * sum(count for count in counts.values() if count >= FEWEST_ITERATIONS) < whole:
            continue
        heads = calls_at_heads(graph, indexed.jaxpr.frames)
        for place, calls in calls_by_loop(indexed, counts, heads).items():
            eqns = sum(map(counts.__getitem__, calls))
            iterations = iterations_of(indexed, number, calls) if 2 * eqns >= whole else []
            if place[-1][0] == RECURSION and not are_calls(iterations, number, indexed.code):
                continue
            if iterations and is_one_iteration(indexed, graph, iterations[0], place, heads):
                yield unrolled_finding(indexed, place, number, iterations, eqns)
                return


def calls_by_loop(
    indexed: IndexedProgram, counts: Mapping[int, int], heads: Set[int]
) -> dict[LoopPlace, set[int]]:
    """The calls that each loop made, sorted by their eqns: a call in nested loops comes first in
    the innermost. Calls at `heads` take a row of an array."""
    frames, lines = indexed.jaxpr.frames, indexed.code
    found: dict[LoopPlace, set[int]] = {}
    for call in counts:
        if call in heads:
            head = frames[call]
            found.setdefault((head.file, head.cell, ("for", head.line)), set()).add(call)
        for frame, loop in loops_around(frames, call, lines):
            found.setdefault((frame.file, frame.cell, loop), set()).add(call)
    return dict(sorted(found.items(), key=lambda one: sum(map(counts.__getitem__, one[1]))))


def iterations_of(indexed: IndexedProgram, number: int, calls: set[int]) -> list[list[int]]:
    """The eqns of each iteration of the loop that made these calls. Empty if iterations differ, are
    too few, or use values of their own."""
    graph = indexed.graphs[number]
    backward, avals = indexed.backward, [var.aval for var in graph.vars]
    own = [
        index
        for index, eqn in enumerate(graph.eqns)
        if eqn.call in calls and eqn.scope not in backward
    ]
    if len(own) < FEWEST_EQNS:
        return []
    facts = [
        (eqn.op, eqn.name, eqn.call, avals[eqn.outvars[0]])
        if len(eqn.outvars) == 1  # most eqns, and twice as fast
        else (eqn.op, eqn.name, eqn.call, *map(avals.__getitem__, eqn.outvars))
        for eqn in map(graph.eqns.__getitem__, own)
    ]
    count = min(Counter(facts).values())
    if count < FEWEST_ITERATIONS or len(own) % count:
        return []
    period = len(own) // count
    if facts != facts[:period] * count:
        return []
    iterations = [own[at : at + period] for at in range(0, len(own), period)]
    return [] if has_own_values(indexed, number, iterations) else iterations


def is_one_iteration(
    indexed: IndexedProgram, graph: Graph, iteration: list[int], place: LoopPlace, heads: Set[int]
) -> bool:
    """True if an apparent iteration is one iteration, not two alternating layers."""
    made = [call for index in iteration if (call := graph.eqns[index].call) is not None]
    calls = [call for call in made if call not in heads]
    return loop_of(calls, indexed.jaxpr.frames, indexed.code) == place[-1]


def has_own_values(indexed: IndexedProgram, number: int, iterations: list[list[int]]) -> bool:
    """True if an iteration takes values from outside of the loop that no other takes: a layer's
    parameters, or the leaves of a tree. Rows of one array belong to all."""
    graph, maker = indexed.graphs[number], indexed.flow(number).maker
    inside = {index for iteration in iterations for index in iteration}

    def origin(var: int) -> int:
        while (made := maker.get(var)) is not None and graph.eqns[made].op in TAKES_ROWS:
            var = graph.eqns[made].invars[0]
        return var if made is None else graph.eqns[made].outvars[0]

    taken = (
        {
            origin(var)
            for index in iteration
            for var in graph.eqns[index].invars
            if not graph.vars[var].literal and maker.get(var) not in inside
        }
        for iteration in iterations[1:]
    )
    return len(set(map(frozenset, taken))) > 1


def unrolled_finding(
    indexed: IndexedProgram, place: LoopPlace, number: int, iterations: list[list[int]], eqns: int
) -> Draft:
    whole = indexed.first_eqns[-1]
    return Draft(
        what=sentence("unrolled", count=len(iterations[0]), turns=len(iterations)),
        cost=sentence("unrolled cost", eqns=eqns, whole=whole),
        places=[(number, index) for index in islice(chain.from_iterable(iterations), MOST_EQNS)],
        at=line_of(indexed, place),
    )


def line_of(indexed: IndexedProgram, place: LoopPlace) -> Frame:
    """The first line of a loop."""
    file, cell, (_, line) = place
    return next(
        frame_of_line(one, line)
        for one in indexed.program.listings
        if (one.file, one.cell) == (file, cell) and 0 <= line - one.start <= one.text.count("\n")
    )
