"""Names for groups: the layer whose parameters they work on, else the reader's function, else a
library's function, else the one array that they multiply by.

A run whose twin has a name has the same one, with a mark behind it: `⟵` of what runs backward, `↻`
of what computes values again.
"""

from __future__ import annotations

import re
from collections import Counter

from jaxviz.analysis.groups import python_loops
from jaxviz.analysis.groups.call_stacks import is_call_of_library, is_library, is_readers_function
from jaxviz.analysis.groups.graph_facts import GraphFacts, RunPaths
from jaxviz.analysis.groups.known_parameters import Path
from jaxviz.analysis.groups.name_stacks import BACKWARD, OPTIMIZER, RECOMPUTE
from jaxviz.analysis.groups.parameter_paths import layer_path, path_text
from jaxviz.analysis.groups.run_tree import BODY, STEP_PART, Run, preorder
from jaxviz.guard import guarded

TURN_NUMBER = re.compile(r" \d+/\d+(?= |$)")
"""The number of a loop's turn at the end of its name: ` 2/30`."""
ROLE_MARKS = {BACKWARD: "⟵", RECOMPUTE: "↻"}
"""What stands behind the name of a run with that role."""


def give(root: Run, facts: GraphFacts, paths: RunPaths) -> None:
    """Names every run below `root`, in place. `paths` has the parameters of each. Where that fails
    a run keeps the name of its call or scope."""
    by_path = guarded(set(), name_by_parameters, root, facts, paths)
    for outer in preorder(root):
        guarded(None, join_updates, outer, by_path)
        guarded(None, number_turns, outer)
    named = [run for run in preorder(root)[1:] if run.key != STEP_PART]
    for run in named:
        own = run.role == OPTIMIZER and (is_library(run.key) or is_update_of_function(run, by_path))
        if run.twin and not own and (run not in by_path or TURN_NUMBER.search(run.twin.name)):
            run.name = run.twin.name
    for run in named:
        if run.role in ROLE_MARKS:
            run.name = f"{run.name} {ROLE_MARKS[run.role]}"


def is_update_of_function(run: Run, by_path: set[Run]) -> bool:
    """Whether the twin of a run is a mere function, whose name is none of a parameter."""
    twin = run.twin
    return twin is not None and twin not in by_path and (is_library(twin.key) or twin.key == BODY)


def name_by_parameters(root: Run, facts: GraphFacts, paths: RunPaths) -> set[Run]:
    """Names the runs that work on parameters, and returns these."""
    todo: list[tuple[Run, Path]] = [(root, paths[root] or ())]
    by_path: set[Run] = set()
    while todo:
        outer, base = todo.pop()
        for run in outer.runs:
            inner = base
            subtree = layer_path(paths[run], base)
            if subtree is not None and may_bear(run, subtree, facts):
                if run.kind == "call" or "." in run.name:
                    run.name = path_text(subtree, len(base), facts.owner)
                    by_path.add(run)
                    inner = subtree
                elif subtree[-1] == run.name:
                    inner = subtree
            todo.append((run, inner))
    return by_path


def may_bear(run: Run, path: Path, facts: GraphFacts) -> bool:
    """Whether a run may bear the name of the parameters with that path."""
    if run.key == STEP_PART or facts.is_named_by_its_place(path):
        return False
    if run.role == BACKWARD and not facts.trained:
        return False
    if run.role != OPTIMIZER and facts.is_array(path) and not may_bear_array(run, path, facts):
        return False
    return not keeps_its_name(run, path, facts)


def may_bear_array(run: Run, path: Path, facts: GraphFacts) -> bool:
    """Whether a run may bear the name of one array: it works on that, and is no call of a function
    that has a name."""
    if not run.name or python_loops.is_part(run):
        return True
    named = is_readers_function(run.key, run.name) or is_call_of_library(run.key)
    return not named and facts.works_on(run.start, run.stop, path)


def keeps_its_name(run: Run, path: Path, facts: GraphFacts) -> bool:
    """Whether a call's function says more than parameters: a library's in an optimizer (`adam`),
    and a user's that takes a whole argument of several (`generator(g_params)`). An op's name says
    less."""
    if run.kind != "call" or python_loops.is_turn(run) or run.name == facts.ops[run.start]:
        return False
    if is_library(run.key):
        return run.role == OPTIMIZER
    return len(path) == 1 and not facts.owner and not path[0].startswith("[")


def join_updates(outer: Run, by_path: set[Run]) -> None:
    """Makes one run of neighbours that update the arrays of one layer, in place."""
    kept: list[Run] = []
    for run in outer.runs:
        before = kept[-1] if kept else run
        same = before.stop == run.start and before.name == run.name and {before, run} <= by_path
        if same and run.role == OPTIMIZER and python_loops.is_turn(run):
            before.stop = run.stop
            before.runs += run.runs
        else:
            kept.append(run)
    outer.runs = kept


def number_turns(outer: Run) -> None:
    """Numbers the turns of a loop that have one name: `cell 2/30`."""
    turns = [
        run for run in outer.runs if python_loops.is_turn(run) and not TURN_NUMBER.search(run.name)
    ]
    count = Counter(run.name for run in turns)
    number: Counter[str] = Counter()
    for run in turns:
        total = count[run.name]
        if total > 1:
            number[run.name] += 1
            run.name = f"{run.name} {number[run.name]}/{total}"
