"""What a section is called, which was cut out of a long run and has no name of its own.

The names of what it holds come first: turns of a loop, scopes, groups. Then the user's lines, and
the library's function that made it, where that is not the one which made all of the run. What
these do not tell from its neighbours is called by what it does: `sqrt, div over embed…norm`.
"""

from __future__ import annotations

from collections import Counter

from jaxviz.analysis.groups import repeats
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.group_names import TURN_NUMBER
from jaxviz.analysis.groups.run_tree import STEP_PART, Run
from jaxviz.analysis.groups.source_lines import name_of_lines
from jaxviz.analysis.groups.work_names import from_to, what_is_done


def name_sections(parts: list[Run], outer: Run, facts: GraphFacts) -> list[Run]:
    """The sections of `outer`, named in place."""
    scopes = shared_scopes(outer, facts)
    depth = facts.shared_depth(outer.start, outer.stop) if facts.stacks else 0
    for part in parts:
        runs = [run for run in outer.runs if part.start <= run.start < part.stop]
        part.name = (
            name_of_row(runs, part)
            or name_of_scopes(part, scopes, facts)
            or name_of_runs(runs, part)
            or name_of_lines(part.start, part.stop, facts, depth)
        )
    count = Counter(part.name for part in parts)
    for part in parts:
        if not part.name or part.name == outer.name or count[part.name] > 1:
            part.name = what_is_done(part.start, part.stop, facts)
    return parts


def name_of_row(runs: list[Run], part: Run) -> str:
    """Of a section that holds runs alone, their names."""
    return repeats.row_name(runs) if len(runs) > 1 and sum(map(len, runs)) == len(part) else ""


def shared_scopes(run: Run, facts: GraphFacts) -> int:
    """How many of the outer scopes all eqns of a run share."""
    if not facts.scopes:
        return 0
    shared = facts.scopes[run.start]
    for names in facts.scopes[run.start : run.stop]:
        while names[: len(shared)] != shared:
            shared = shared[:-1]
    return len(shared)


def name_of_scopes(part: Run, depth: int, facts: GraphFacts) -> str:
    """The first and the last of the scopes at that depth, if most eqns are in one."""
    names = [names[depth] for names in facts.scopes[part.start : part.stop] if len(names) > depth]
    return from_to(names) if 2 * len(names) > len(part) else ""


def name_of_runs(runs: list[Run], part: Run) -> str:
    """The first and the last of the runs, if most eqns are in one. Passes do not say of what."""
    named = [run for run in runs if run.key != STEP_PART]
    names = [TURN_NUMBER.sub("", run.name) for run in named]
    return from_to(names) if 2 * sum(map(len, named)) > len(part) else ""
