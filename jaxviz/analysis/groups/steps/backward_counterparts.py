"""The counterpart of each backward and optimizer run: the forward run that it belongs to.

A backward eqn has the call stack of the forward eqn that it differentiates, and works on the same
parameters. So a run and its counterpart have both in common. The iterations of a loop are in
reverse order in the backward pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable

from jaxviz.analysis.groups.facts.call_stacks import is_rule
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts, RunPaths
from jaxviz.analysis.groups.facts.name_stacks import OPTIMIZER
from jaxviz.analysis.groups.facts.parameter_paths import layer_path
from jaxviz.analysis.groups.run_tree import RECOMPUTED, Run
from jaxviz.analysis.groups.steps.training_step import Steps

RunPairs = list[tuple[Run, Run]]


def pair(steps: Steps, paths: RunPaths, facts: GraphFacts) -> None:
    """Sets the counterparts of each training step's runs, in place, if they are certain."""
    for forward, *others in (step for step in steps if len(step) > 1):
        for other in others:
            other.counterpart = forward
        todo = [(other, forward) for other in others]
        while todo:
            run, forward_run = todo.pop()
            found = dict(matches(run, forward_run, paths, facts))
            for inner in run.runs:
                inner.counterpart = found.get(inner)
            todo += [(inner, found.get(inner, forward_run)) for inner in run.runs]


def matches(run: Run, forward_run: Run, paths: RunPaths, facts: GraphFacts) -> RunPairs:
    """The runs directly in `run`, each with its counterpart in `forward_run`."""
    backward = run.role != OPTIMIZER
    own_runs = runs_by_key(run.runs, paths, backward)
    near = runs_by_key(forward_run.runs, paths, backward)
    far: dict[Hashable, list[Run]] | None = None
    found: RunPairs = []
    for key, runs in own_runs.items():
        counterparts = near.get(key)
        if counterparts is None:
            far = far or runs_by_key(outermost_runs(forward_run, paths), paths, backward)
            counterparts = far.get(key) or runs_of_call(runs[0].key, forward_run, paths)
        if len(runs) == 1 and len(counterparts) == 2 and not backward:
            counterparts = counterparts[:1]  # a tied embedding
        if len(runs) == len(counterparts):
            found += zip(runs, reversed(counterparts) if backward else counterparts, strict=True)
    if not backward:
        return found
    return in_reverse(
        [
            (a, b)
            for a, b in found
            if a.key == RECOMPUTED or is_rule(a.key) or shares_lines(a, b, facts)
        ]
    )


def runs_of_call(key: Hashable, forward_run: Run, paths: RunPaths) -> list[Run]:
    """The runs in `forward_run` that one call made, whatever their parameters."""
    return [run for run in outermost_runs(forward_run, paths) if run.key == key is not None]


def runs_by_key(runs: list[Run], paths: RunPaths, backward: bool) -> dict[Hashable, list[Run]]:
    """Runs by their parameters, or else by their scope or call."""
    found: dict[Hashable, list[Run]] = defaultdict(list)
    for run in runs:
        path = layer_path(paths.get(run), ())
        if path is not None:
            found[path].append(run)
        elif backward:
            found[run.kind, run.name if run.kind == "scope" else run.key].append(run)
    return found


def outermost_runs(forward_run: Run, paths: RunPaths) -> list[Run]:
    """All runs in `forward_run`, in order, without those inside a run with the same parameters."""
    found: list[Run] = []
    todo: list[tuple[Run, Hashable]] = [(inner, None) for inner in reversed(forward_run.runs)]
    while todo:
        run, around = todo.pop()
        path = layer_path(paths.get(run), ())
        if path is None or path != around:
            found.append(run)
        todo += [(inner, path or around) for inner in reversed(run.runs)]
    return found


def shares_lines(run: Run, forward_run: Run, facts: GraphFacts) -> bool:
    """True if an eqn of one run has the call stack of an eqn of the other, or of its callers."""
    stacks = set(facts.stacks[forward_run.start : forward_run.stop])
    callers = {stack[:depth] for stack in stacks for depth in range(1, len(stack) + 1)}
    return not callers.isdisjoint(facts.stacks[run.start : run.stop])


def in_reverse(found: RunPairs) -> RunPairs:
    """The most pairs whose counterparts are in reverse order: a longest decreasing subsequence, by
    patience sorting."""
    found.sort(key=lambda two: two[0].start)
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, forward_run) in enumerate(found):
        at = bisect_left(ends, -forward_run.start)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [-forward_run.start]
        last[at : at + 1] = [index]
    pairs: RunPairs = []
    index = last[-1] if last else -1
    while index >= 0:
        pairs.append(found[index])
        index = before[index]
    return pairs
