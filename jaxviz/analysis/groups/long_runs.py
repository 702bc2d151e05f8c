"""Cuts runs that are too long to read at a glance: into source lines, or into sections between
which the fewest values cross."""

from __future__ import annotations

from itertools import pairwise
from math import ceil

from jaxviz import schema
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.source_lines import (
    CALLED,
    assigned_name,
    line_title,
    name_of_most,
    statement,
)
from jaxviz.analysis.groups.group_names import name_sections
from jaxviz.analysis.groups.run_tree import (
    SHORTEST_GROUP,
    STEP_PART,
    Item,
    Run,
    enclose,
    first_eqn,
    loose_stretches,
)

SHORT_RUN = 12
"""The most items of a run that is not cut into lines."""
LINE_WITH_A_NAME = 8
"""The fewest eqns of a line that becomes a group, if it assigns to a name or calls one function."""
ANY_LINE = 12
"""The fewest eqns of any other line that becomes a group."""
LINE_OF_A_PASS = SHORTEST_GROUP
"""The fewest eqns of a line that becomes a group in a pass of a derivative, if most of the pass are
loose eqns. The line is shown beside the same line of the other pass."""
NEARLY_ALL = 3 / 4
"""A line with this share of a run's eqns or more is no group in the run."""
MOST_ITEMS = 40
"""The most items of a group that are read at a glance. A group with more is cut into sections."""
MOST_OF_A_GRAPH = 24
"""The most items of a whole graph, which is shown with its inputs and results."""
MOST_OF_A_PROGRAM = 20
"""The most items of the first visible graph, so that it fits the narrowest cell."""
SECTION = 5 / 8
"""The size of a section, as a share of the limit above."""
LOOSE_EQNS = 8
"""The most loose eqns beside layers that need no section of their own."""


def split_by_lines(run: Run, facts: GraphFacts) -> list[Run]:
    """The lines that made many neighbouring eqns of a long run, each as a run."""
    if run.count() <= SHORT_RUN:
        return []
    depth = facts.shared_depth(run.start, run.stop)
    found: list[Run] = []
    sites: list[schema.Frame] = []
    for item in run.items():
        if isinstance(item, Run):
            continue
        site = facts.site(item, depth)
        if site < 0:
            continue
        frame = facts.frames[site]
        if frame.library:
            continue
        frame = statement(frame, facts)
        key = ("line", frame.file, frame.line, frame.code)
        if found and found[-1].stop == item and found[-1].key == key:
            found[-1].stop += 1
        else:
            found.append(Run(item, item + 1, "call", line_title(frame), key))
            sites.append(frame)
    for line, site in zip(found, sites, strict=True):
        if len(assigned_name(site.code)) < 2:
            line.name = name_of_most(line, depth, facts) or line.name
    loose = len(run) - sum(map(len, run.runs))
    is_pass = run.key == STEP_PART and 2 * loose > len(run)
    return [
        line
        for line, site in zip(found, sites, strict=True)
        if len(line) >= (LINE_OF_A_PASS if is_pass else least_eqns(site))
        and len(line) < NEARLY_ALL * len(run)
    ]


def least_eqns(frame: schema.Frame) -> int:
    """The fewest eqns of a line that becomes a group."""
    is_named = len(assigned_name(frame.code)) > 1 or len(set(CALLED.findall(frame.code))) == 1
    return LINE_WITH_A_NAME if is_named else ANY_LINE


def most_items(run: Run) -> int:
    """The most items of a run that are read at a glance."""
    return MOST_ITEMS if run.name else MOST_OF_A_GRAPH


def add_all_sections(root: Run, facts: GraphFacts, is_program: bool) -> None:
    """Adds sections to every run that is too long. `is_program` says that `root` is the program,
    which is shown first."""
    todo = [*root.runs, *add_sections(root, facts, is_program)]
    while todo:
        run = todo.pop()
        todo += [*run.runs, *add_sections(run, facts)]


def add_sections(run: Run, facts: GraphFacts, is_program: bool = False) -> list[Run]:
    """Adds sections to a run that is too long, and returns those that may be too long themselves.
    In a part of a training step, a few loose eqns beside its layers become a section, too."""
    items = list(run.items())
    most = most_items(run)
    if is_program and MOST_OF_A_PROGRAM < len(items) <= most:
        most = MOST_OF_A_PROGRAM
    if len(items) <= most:
        if run.key == STEP_PART and run.runs:
            enclose(run, loose_sections(run, items, facts))
        return []
    size = round(SECTION * most)
    starts = [first_eqn(item) for item in items]
    stretches = loose_stretches(items, size)
    if not stretches and (not run.name or len(items) > most + size):
        stretches = [(0, len(items))]
    widths = facts.flow.widths(run.start, run.stop)
    added: list[Run] = []
    for start, stop in stretches:
        added += name_sections(cut_stretch(run, starts[start:stop], widths, size), run, facts)
    enclose(run, added)
    return added


def loose_sections(run: Run, items: list[Item], facts: GraphFacts) -> list[Run]:
    """One section for each stretch of loose eqns."""
    stretches = loose_stretches(items, LOOSE_EQNS)
    ends = [(first_eqn(items[start]), first_eqn(items[stop - 1])) for start, stop in stretches]
    parts = [Run(first, last + 1, "section", "", None, run.role) for first, last in ends]
    return name_sections(parts, run, facts)


def cut_stretch(run: Run, starts: list[int], widths: list[int], most: int) -> list[Run]:
    """The sections of items that start at the eqns `starts`, of about equal size: at most `most`
    items.

    Each border is near its even share, where the fewest values cross. `widths` has for each eqn of
    `run` the number of values that cross before it.
    """
    after = next((r.start for r in run.runs if r.start > starts[-1]), run.stop)
    last = next((r.stop for r in run.runs if r.start == starts[-1]), after)
    count = min(max(2, ceil(len(starts) / most)), most)
    size = len(starts) / count
    cuts = [starts[0]]
    for number in range(1, count):
        middle = round(number * size)
        reach = max(1, int(size / 4))
        near = range(max(1, middle - reach), min(len(starts), middle + reach + 1))
        at = min(near, key=lambda i: (widths[starts[i] - run.start], abs(i - middle)))
        if starts[at] > cuts[-1]:
            cuts.append(starts[at])
    cuts.append(last)
    return [Run(a, b, "section", "", None, run.role) for a, b in pairwise(cuts)]
