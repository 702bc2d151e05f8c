"""The source of each group's name, found again in the program: so no group claims a function that
is not on its call stack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxviz.analysis.groups.facts.call_stacks import is_rule, library_title, title
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.name_stacks import ROLE_MARKS
from jaxviz.analysis.groups.facts.parameter_paths import path_text
from jaxviz.analysis.groups.loops.repeats import ITERATION_NUMBER, REPEAT
from jaxviz.analysis.groups.run_tree import BODY, RECOMPUTED, STEP_PART, Run
from jaxviz.ops import plain_name

MARKS = re.compile(f" [{''.join(ROLE_MARKS.values())}]")
BETWEEN = re.compile(r", |…| over ")
"""The text between the ops in a name."""
PARTS = frozenset({"state", "metrics", "loss"})
"""Parts of a training step that are groups in other parts."""


def add_sources(runs: list[Run], facts: GraphFacts) -> None:
    """Sets `named_by` of all runs of a graph, parents first, in place."""
    for run in reversed(runs):
        run.named_by = source_of_name(run, facts)
    for run in runs:
        other = run.counterpart
        if other is not None and plain(other.name) == plain(run.name) and not is_rule(run.key):
            run.named_by = other.named_by


def plain(name: str) -> str:
    """A name without its marks and the number of an iteration."""
    return ITERATION_NUMBER.sub("", MARKS.sub("", name))


def source_of_name(run: Run, facts: GraphFacts) -> str:
    """The source of a run's name; those of the runs in it are known."""
    name = plain(run.name)
    if run.kind == REPEAT and run.runs:
        return run.runs[0].named_by
    if run.key == STEP_PART:
        return "part"
    if is_rule(run.key):
        return "rule"
    if run.kind == "section":
        ops = {plain_name(op) for op in facts.ops[run.start : run.stop]}
        return "operation" if ops.issuperset(BETWEEN.split(name)[:1]) else "line"
    found = next(calls(name, run, facts), "")
    if found and run.kind != "scope":
        return found
    if name == run.role or name in PARTS:
        return "part"
    if run.kind == "scope" and run.key != RECOMPUTED:
        return "scope"
    if name in parameters(run, facts):
        return "argument"
    if run.key in (BODY, RECOMPUTED):
        return "operation" if name == facts.ops[run.stop - 1] else "function"
    return "line"


def calls(name: str, run: Run, facts: GraphFacts) -> Iterator[str]:
    """The kinds of the functions on the call stacks of a run that have a name."""
    for at in dict.fromkeys((run.start, (run.start + run.stop) // 2, run.stop - 1)):
        for frame in (facts.frames[one] for one in facts.stacks[at]):
            if name in (title(frame.function), library_title(frame) if frame.library else ""):
                yield "library" if frame.library else "function"


def parameters(run: Run, facts: GraphFacts) -> Iterator[str]:
    """The texts of the paths to the parameters of a run, with and without their beginning."""
    for at in range(run.start, run.stop):
        path = facts.paths[at]
        for stop in range(len(path or ()), 0, -1):
            for depth in range(stop):
                yield path_text((path or ())[:stop], depth, facts.owner)
