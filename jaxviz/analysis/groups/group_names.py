"""The names of groups: the layer whose parameters they use, else the user's function, else a
library's function, else the one array in their product.

A backward run takes the name of its forward run with the mark `⟵`; `↻` marks recomputed runs. A
section of a long run is named by its groups, source lines or ops.
"""

from __future__ import annotations

from collections import Counter
from typing import cast

from jaxviz.analysis.groups.facts.call_stacks import (
    is_call_of_library,
    is_library,
    is_rule,
    is_users_function,
)
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts, RunPaths
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, OPTIMIZER, ROLE_MARKS
from jaxviz.analysis.groups.facts.parameter_paths import layer_path, path_text
from jaxviz.analysis.groups.facts.parameters import Path
from jaxviz.analysis.groups.facts.source_lines import from_to, name_of_lines, name_of_ops
from jaxviz.analysis.groups.loops import python_loops, repeats
from jaxviz.analysis.groups.loops.repeats import ITERATION_NUMBER
from jaxviz.analysis.groups.run_tree import BODY, RECOMPUTED, STEP_PART, Run, preorder
from jaxviz.safety.guard import guarded


def name_sections(parts: list[Run], outer: Run, facts: GraphFacts) -> list[Run]:
    """Names the sections of `outer`, in place, and returns them."""
    scopes = shared_scopes(outer, facts)
    depth = facts.shared_depth(outer.start, outer.stop) if facts.stacks else 0
    for part in parts:
        runs = [run for run in outer.runs if part.start <= run.start < part.stop]
        part.name = (
            (repeats.row_name(runs) if len(runs) > 1 and sum(map(len, runs)) == len(part) else "")
            or name_of_scopes(part, scopes, facts)
            or name_of_runs(runs, part)
            or name_of_lines(part.start, part.stop, facts, depth)
        )
    count = Counter(part.name for part in parts)
    for part in parts:
        if not part.name or part.name == outer.name or count[part.name] > 1:
            part.name = name_of_ops(part.start, part.stop, facts)
    return parts


def shared_scopes(run: Run, facts: GraphFacts) -> int:
    """The number of outer scopes that all eqns of a run are in."""
    if not facts.scopes:
        return 0
    shared = facts.scopes[run.start]
    for names in facts.scopes[run.start : run.stop]:
        while names[: len(shared)] != shared:
            shared = shared[:-1]
    return len(shared)


def name_of_scopes(part: Run, depth: int, facts: GraphFacts) -> str:
    """The first and the last of the scopes at a depth, if most eqns are in one."""
    names = [names[depth] for names in facts.scopes[part.start : part.stop] if len(names) > depth]
    return from_to(names) if 2 * len(names) > len(part) else ""


def name_of_runs(runs: list[Run], part: Run) -> str:
    """The first and the last of the runs, if most eqns are in one. Passes do not count."""
    named = [run for run in runs if run.key != STEP_PART]
    names = [ITERATION_NUMBER.sub("", run.name) for run in named]
    return from_to(names) if 2 * sum(map(len, named)) > len(part) else ""


def name_groups(root: Run, facts: GraphFacts, paths: RunPaths) -> None:
    """Names every run below `root`, in place. `paths` has the parameters of each run. A run without
    parameters that name it keeps the name of its call or scope."""
    by_path = guarded(set(), name_by_parameters, root, facts, paths)
    for outer in preorder(root):
        guarded(None, join_updates, outer, by_path)
        guarded(None, number_iterations, outer)
    named = [run for run in preorder(root)[1:] if not is_named_by_role(run)]
    for run in named:
        if run.counterpart is None or has_own_rule(run, facts):
            continue
        # An optimizer's function says more than the name of the function that it updates.
        is_own = is_library(run.key) or is_update_of_function(run, by_path)
        is_better = run not in by_path or ITERATION_NUMBER.search(run.counterpart.name)
        if is_better and not (is_own and run.role == OPTIMIZER):
            run.name = run.counterpart.name
    for run in named:
        if run.role in ROLE_MARKS and not (run.role == BACKWARD and has_own_rule(run, facts)):
            run.name = f"{run.name} {ROLE_MARKS[run.role]}"


def is_named_by_role(run: Run) -> bool:
    """True if a run has the name of its part of a training step."""
    return run.key == STEP_PART or (run.key == RECOMPUTED and run.name == run.role)


def has_own_rule(run: Run, facts: GraphFacts) -> bool:
    """True if a run is a rule of a `custom_vjp`, whose passes are two functions of the user."""
    if not is_rule(run.key):
        return False
    _, site = cast(tuple[str, int], run.key)
    return " " in facts.frames[site].rules


def is_update_of_function(run: Run, by_path: set[Run]) -> bool:
    """True if the counterpart of a run is a function, and is not named by parameters."""
    other = run.counterpart
    return (
        other is not None and other not in by_path and (is_library(other.key) or other.key == BODY)
    )


def name_by_parameters(root: Run, facts: GraphFacts, paths: RunPaths) -> set[Run]:
    """Names the runs that work on parameters, in place, and returns them."""
    todo: list[tuple[Run, Path]] = [(root, paths[root] or ())]
    by_path: set[Run] = set()
    while todo:
        outer, base = todo.pop()
        for run in outer.runs:
            inner = base
            subtree = layer_path(paths[run], base)
            if subtree is not None and may_have_name_of(run, subtree, facts):
                if run.kind == "call" or "." in run.name:
                    run.name = path_text(subtree, len(base), facts.owner)
                    by_path.add(run)
                    inner = subtree
                elif subtree[-1] == run.name:
                    inner = subtree
            todo.append((run, inner))
    return by_path


def may_have_name_of(run: Run, path: Path, facts: GraphFacts) -> bool:
    """True if a run may have the name of the parameters with a path."""
    if run.key == STEP_PART or is_rule(run.key) or facts.is_named_by_place(path):
        return False
    if run.role == BACKWARD and not facts.trained:
        return False
    if (
        run.role != OPTIMIZER
        and facts.is_array(path)
        and not may_have_name_of_array(run, path, facts)
    ):
        return False
    return not keeps_its_name(run, path, facts)


def may_have_name_of_array(run: Run, path: Path, facts: GraphFacts) -> bool:
    """True if a run may have the name of one array: the run works on this array, and is no call of
    a function with a name."""
    if not run.name or python_loops.is_part(run):
        return True
    named = is_users_function(run.key, run.name) or is_call_of_library(run.key)
    return not named and facts.works_on(run.start, run.stop, path)


def keeps_its_name(run: Run, path: Path, facts: GraphFacts) -> bool:
    """True if a call's function is a better name than its parameters: a library's in an optimizer
    (`adam`), or a user's that takes a whole argument of several (`generator(g_params)`). An op's
    name is not better."""
    if run.kind != "call" or python_loops.is_iteration(run) or run.name == facts.ops[run.start]:
        return False
    if is_library(run.key):
        return run.role == OPTIMIZER
    return len(path) == 1 and not facts.owner and not path[0].startswith("[")


def join_updates(outer: Run, by_path: set[Run]) -> None:
    """Joins neighbouring runs that update the arrays of one layer, in place."""
    joined: list[Run] = []
    for run in outer.runs:
        before = joined[-1] if joined else run
        same = before.stop == run.start and before.name == run.name and {before, run} <= by_path
        if same and run.role == OPTIMIZER and python_loops.is_iteration(run):
            before.stop = run.stop
            before.runs += run.runs
        else:
            joined.append(run)
    outer.runs = joined


def number_iterations(outer: Run) -> None:
    """Numbers the iterations of a loop that have one name: `cell 2/30`."""
    iterations = [
        run
        for run in outer.runs
        if python_loops.is_iteration(run) and not ITERATION_NUMBER.search(run.name)
    ]
    count = Counter(run.name for run in iterations)
    number: Counter[str] = Counter()
    for run in iterations:
        total = count[run.name]
        if total > 1:
            number[run.name] += 1
            run.name = f"{run.name} {number[run.name]}/{total}"
