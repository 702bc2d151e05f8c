"""Each backward and optimizer run's twin: the forward run that it belongs to.

A backward eqn has the call stack of the forward eqn that it is the derivative of, and works on
the same parameters, so that a run and its twin have both in common; runs of a loop's turns come
back in reverse.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable

from jaxviz.analysis import regions
from jaxviz.analysis.names import Paths, below
from jaxviz.analysis.source import Source
from jaxviz.analysis.tree import Run

Pairs = list[tuple[Run, Run]]


def pair(parts: list[list[Run]], paths: Paths, source: Source) -> None:
    """Gives the runs of each training step their twins, as far as they are clear."""
    for forward, *others in (group for group in parts if len(group) > 1):
        for other in others:
            other.twin = forward
        todo = [(other, forward) for other in others]
        while todo:
            run, twin = todo.pop()
            found = dict(matches(run, twin, paths, source))
            for inner in run.runs:
                inner.twin = found.get(inner)
            todo += [(inner, found.get(inner, twin)) for inner in run.runs]


def matches(run: Run, twin: Run, paths: Paths, source: Source) -> Pairs:
    """The runs in `run` with those in `twin` that they belong to."""
    backward = run.role != regions.OPTIMIZER
    mine = gathered(run.runs, paths, backward)
    near = gathered(twin.runs, paths, backward)
    far: dict[Hashable, list[Run]] | None = None
    found: Pairs = []
    for key, runs in mine.items():
        theirs = near.get(key)
        if theirs is None:
            far = far or gathered(outermost(twin, paths), paths, backward)
            theirs = far.get(key, [])
        if len(runs) == len(theirs):
            found += zip(runs, reversed(theirs) if backward else theirs, strict=True)
    if not backward:
        return found
    return reversed_order(
        [(a, b) for a, b in found if a.key == regions.AGAIN or shares_lines(a, b, source)]
    )


def gathered(runs: list[Run], paths: Paths, backward: bool) -> dict[Hashable, list[Run]]:
    """Runs by what tells them apart: their parameters, else the call."""
    found: dict[Hashable, list[Run]] = defaultdict(list)
    for run in runs:
        path = below(paths.get(run), ())
        if path is not None:
            found[path].append(run)
        elif backward:
            found[run.kind, run.name if run.kind == "scope" else run.key].append(run)
    return found


def outermost(twin: Run, paths: Paths) -> list[Run]:
    """All runs in `twin`, in order, without those that have the parameters of one around them."""
    found: list[Run] = []
    todo: list[tuple[Run, Hashable]] = [(inner, None) for inner in reversed(twin.runs)]
    while todo:
        run, around = todo.pop()
        path = below(paths.get(run), ())
        if path is None or path != around:
            found.append(run)
        todo += [(inner, path or around) for inner in reversed(run.runs)]
    return found


def shares_lines(run: Run, twin: Run, source: Source) -> bool:
    """Whether an eqn of one has the call stack of an eqn of the other, or its callers."""
    stacks = set(source.chains[twin.start : twin.stop])
    known = {stack[:depth] for stack in stacks for depth in range(1, len(stack) + 1)}
    return not known.isdisjoint(source.chains[run.start : run.stop])


def reversed_order(found: Pairs) -> Pairs:
    """The most pairs in which the twins come in reverse."""
    found.sort(key=lambda two: two[0].start)
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, twin) in enumerate(found):
        at = bisect_left(ends, -twin.start)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [-twin.start]
        last[at : at + 1] = [index]
    kept: Pairs = []
    index = last[-1] if last else -1
    while index >= 0:
        kept.append(found[index])
        index = before[index]
    return kept
