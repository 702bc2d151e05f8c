"""The counterpart of each backward and optimizer run: the forward run that it belongs to.

A backward eqn has the call stack of the forward eqn that it differentiates, and works on the same
parameters. So a run and its counterpart share both. The iterations of a loop come back in reverse
order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable

from jaxviz.analysis.groups.facts.graph_facts import GraphFacts, RunPaths
from jaxviz.analysis.groups.facts.name_stacks import OPTIMIZER
from jaxviz.analysis.groups.facts.parameter_paths import layer_path
from jaxviz.analysis.groups.run_tree import RECOMPUTED, Run
from jaxviz.analysis.groups.steps.training_step import Steps

RunPairs = list[tuple[Run, Run]]


def pair(steps: Steps, paths: RunPaths, facts: GraphFacts) -> None:
    """Sets the counterparts of each training step's runs, in place, if there is no doubt."""
    for forward, *others in (step for step in steps if len(step) > 1):
        for other in others:
            other.twin = forward
        todo = [(other, forward) for other in others]
        while todo:
            run, twin = todo.pop()
            found = dict(matches(run, twin, paths, facts))
            for inner in run.runs:
                inner.twin = found.get(inner)
            todo += [(inner, found.get(inner, twin)) for inner in run.runs]


def matches(run: Run, twin: Run, paths: RunPaths, facts: GraphFacts) -> RunPairs:
    """The runs directly in `run`, each with its counterpart in `twin`."""
    backward = run.role != OPTIMIZER
    mine = by_key(run.runs, paths, backward)
    near = by_key(twin.runs, paths, backward)
    far: dict[Hashable, list[Run]] | None = None
    found: RunPairs = []
    for key, runs in mine.items():
        theirs = near.get(key)
        if theirs is None:
            far = far or by_key(outermost(twin, paths), paths, backward)
            theirs = far.get(key) or called(runs[0].key, twin, paths)
        if len(runs) == 1 and len(theirs) == 2 and not backward:
            theirs = theirs[:1]  # a tied embedding
        if len(runs) == len(theirs):
            found += zip(runs, reversed(theirs) if backward else theirs, strict=True)
    if not backward:
        return found
    return in_reverse(
        [(a, b) for a, b in found if a.key == RECOMPUTED or shares_lines(a, b, facts)]
    )


def called(key: Hashable, twin: Run, paths: RunPaths) -> list[Run]:
    """The runs in `twin` that one call made, whatever their parameters are."""
    return [run for run in outermost(twin, paths) if run.key == key is not None]


def by_key(runs: list[Run], paths: RunPaths, backward: bool) -> dict[Hashable, list[Run]]:
    """Runs by their distinguishing key: their parameters, or else their scope or call."""
    found: dict[Hashable, list[Run]] = defaultdict(list)
    for run in runs:
        path = layer_path(paths.get(run), ())
        if path is not None:
            found[path].append(run)
        elif backward:
            found[run.kind, run.name if run.kind == "scope" else run.key].append(run)
    return found


def outermost(twin: Run, paths: RunPaths) -> list[Run]:
    """All runs in `twin`, in order, without those inside one with the same parameters."""
    found: list[Run] = []
    todo: list[tuple[Run, Hashable]] = [(inner, None) for inner in reversed(twin.runs)]
    while todo:
        run, around = todo.pop()
        path = layer_path(paths.get(run), ())
        if path is None or path != around:
            found.append(run)
        todo += [(inner, path or around) for inner in reversed(run.runs)]
    return found


def shares_lines(run: Run, twin: Run, facts: GraphFacts) -> bool:
    """True if an eqn of one has the call stack of an eqn of the other, or its callers."""
    stacks = set(facts.stacks[twin.start : twin.stop])
    known = {stack[:depth] for stack in stacks for depth in range(1, len(stack) + 1)}
    return not known.isdisjoint(facts.stacks[run.start : run.stop])


def in_reverse(found: RunPairs) -> RunPairs:
    """The most pairs whose counterparts come in reverse order: a longest decreasing subsequence, by
    patience sorting."""
    found.sort(key=lambda two: two[0].start)
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, twin) in enumerate(found):
        at = bisect_left(ends, -twin.start)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [-twin.start]
        last[at : at + 1] = [index]
    kept: RunPairs = []
    index = last[-1] if last else -1
    while index >= 0:
        kept.append(found[index])
        index = before[index]
    return kept
