"""Names for groups: the parameters that they work on, else what the user called them, else the
function.

A run whose twin has a name has the same one, with a mark behind it: `⟵` of what runs backward, `↻`
of what computes values again.
"""

from __future__ import annotations

import re
from collections import Counter

from jaxviz.analysis.groups.graph_facts import GraphFacts, RunPaths
from jaxviz.analysis.groups.known_parameters import Path
from jaxviz.analysis.groups.name_stacks import BACKWARD, OPTIMIZER, RECOMPUTE
from jaxviz.analysis.groups.parameter_paths import layer_path
from jaxviz.analysis.groups.python_loops import is_turn
from jaxviz.analysis.groups.run_tree import STEP_PART, Run, preorder

TURN_NUMBER = re.compile(r" \d+/\d+(?= |$)")
"""The number of a loop's turn at the end of its name: ` 2/30`."""
ROLE_MARKS = {BACKWARD: "⟵", RECOMPUTE: "↻"}
"""What stands behind the name of a run with that role."""


def give(root: Run, facts: GraphFacts, paths: RunPaths) -> None:
    """Names every run below `root`, in place. `paths` has the parameters of each."""
    by_path = name_by_parameters(root, facts, paths)
    for outer in preorder(root):
        number_turns(outer)
    named = [run for run in preorder(root)[1:] if run.key != STEP_PART]
    for run in named:
        if run.twin and (run not in by_path or TURN_NUMBER.search(run.twin.name)):
            run.name = run.twin.name
    for run in named:
        if run.role in ROLE_MARKS:
            run.name = f"{run.name} {ROLE_MARKS[run.role]}"


def name_by_parameters(root: Run, facts: GraphFacts, paths: RunPaths) -> set[Run]:
    """Names the runs that work on parameters, and those of an optimizer that make a part of its
    state; returns those named by parameters."""
    todo: list[tuple[Run, Path]] = [(root, paths[root] or ())]
    by_path: set[Run] = set()
    while todo:
        outer, base = todo.pop()
        for run in outer.runs:
            inner = base
            subtree = layer_path(paths[run], base)
            if subtree is not None and run.key != STEP_PART:
                if run.kind == "call" or "." in run.name:
                    run.name = path_text(subtree, len(base), facts.owner)
                    by_path.add(run)
                    inner = subtree
                elif subtree[-1] == run.name:
                    inner = subtree
            elif run.role == OPTIMIZER and run.key != STEP_PART:
                run.name = state_name(run, facts) or run.name
            todo.append((run, inner))
    return by_path


def path_text(path: Path, depth: int, owner: str) -> str:
    """`layers[0].attn`, from the first key below `depth`; a position with its list's name."""
    start = depth
    while start > 0 and path[start].startswith("["):
        start -= 1
    text = owner if path[start].startswith("[") else ""
    for key in path[start:]:
        text += key if key.startswith("[") or not text else f".{key}"
    return text


def state_name(run: Run, facts: GraphFacts) -> str:
    """The name of the optimizer's state, such as `mu`, if that is all that a run makes; else
    empty."""
    kept = set(facts.kept_as[run.start : run.stop]) - {"", facts.owner}
    return kept.pop() if len(kept) == 1 else ""


def number_turns(outer: Run) -> None:
    """Numbers the turns of a loop that have one name: `cell 2/30`."""
    turns = [run for run in outer.runs if is_turn(run) and not TURN_NUMBER.search(run.name)]
    count = Counter(run.name for run in turns)
    number: Counter[str] = Counter()
    for run in turns:
        total = count[run.name]
        if total > 1:
            number[run.name] += 1
            run.name = f"{run.name} {number[run.name]}/{total}"
