"""Cuts what is too long to take in at a glance: into lines of source, and where these do not help
into sections between which the fewest values pass.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import ceil

from jaxviz import schema
from jaxviz.analysis.groups import repeats
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.run_tree import STEP_PART, Item, Run, enclose, first_eqn

SHORT_RUN = 12
"""Items of a run that is not cut into lines."""
LINE_WITH_A_NAME = 8
"""Eqns from which a line becomes a group whose result has a name, or that calls one function."""
ANY_LINE = 12
"""Eqns from which any other line becomes one."""
NEARLY_ALL = 3 / 4
"""The part of a run's eqns beyond which a line is nearly the run, and no group in it."""
MOST_ITEMS = 40
"""Items of a run that one can take in at a glance: one with more is cut into sections."""
SECTION = 25
"""Items of a section, about."""
LOOSE_EQNS = 8
"""Loose eqns beside layers that need no section of their own."""
ASSIGNED = re.compile(r"([A-Za-z_][\w.]*(?:, *[A-Za-z_][\w.]*)*) *[-+*/@]?=(?!=)")
CALLED = re.compile(r"(\w+)\(")


def split_by_lines(run: Run, facts: GraphFacts, frames: list[schema.Frame]) -> list[Run]:
    """The lines that made many neighbouring eqns of a long run, each as a run."""
    if run.count() <= SHORT_RUN:
        return []
    depth = facts.shared_depth(run)
    found: list[Run] = []
    sites: list[schema.Frame] = []
    for item in run.items():
        if isinstance(item, Run):
            continue
        site = facts.site(item, depth)
        if site < 0:
            continue
        frame = frames[site]
        key = ("line", frame.file, frame.line)
        if found and found[-1].stop == item and found[-1].key == key:
            found[-1].stop += 1
        else:
            found.append(Run(item, item + 1, "call", line_title(frame), key))
            sites.append(frame)
    return [
        line
        for line, site in zip(found, sites, strict=True)
        if is_a_group(line, site) and len(line) < NEARLY_ALL * len(run)
    ]


def line_title(frame: schema.Frame) -> str:
    """A line's name: what it assigns to, unless that is a single letter, else what it calls."""
    assigned = assigned_name(frame.code)
    if len(assigned) > 1:
        return assigned
    found = CALLED.findall(frame.code)
    return found[0] if found else assigned or f"line {frame.line}"


def is_a_group(line: Run, frame: schema.Frame) -> bool:
    """Whether a line made enough eqns to be a group."""
    clear = len(assigned_name(frame.code)) > 1 or len(set(CALLED.findall(frame.code))) == 1
    return len(line) >= (LINE_WITH_A_NAME if clear else ANY_LINE)


def assigned_name(code: str) -> str:
    """What a line of source assigns to: `logits`; empty where it assigns to nothing."""
    found = ASSIGNED.match(code)
    return found.group(1) if found else ""


def add_sections(run: Run, facts: GraphFacts) -> list[Run]:
    """Adds sections to a run that is too long, and returns those that may be too long themselves.

    In a part of a training step a few loose eqns beside its layers become a section, too."""
    items = list(run.items())
    if run.key == STEP_PART and run.runs and len(items) <= MOST_ITEMS:
        enclose(run, loose_sections(run, items, facts))
        return []
    if len(items) <= MOST_ITEMS:
        return []
    widths = facts.flow.widths(run.start, run.stop)
    added: list[Run] = []
    for start, stop in loose_stretches(items, SECTION):
        found = cut_stretch(run, [first_eqn(item) for item in items[start:stop]], widths)
        added += with_names(found, facts, run)
    if not added and len(items) > MOST_ITEMS + SECTION:
        starts = [first_eqn(item) for item in items]
        added = with_names(cut_stretch(run, starts, widths), facts, run)
    enclose(run, added)
    return added


def loose_sections(run: Run, items: list[Item], facts: GraphFacts) -> list[Run]:
    """One section for each stretch of loose eqns."""
    parts: list[Run] = []
    for start, stop in loose_stretches(items, LOOSE_EQNS):
        first, last = first_eqn(items[start]), first_eqn(items[stop - 1])
        name = f"{facts.ops[first]}…{facts.ops[last]}"
        parts.append(Run(first, last + 1, "section", name, None, run.role))
    return parts


def loose_stretches(items: list[Item], few: int) -> list[tuple[int, int]]:
    """Start and stop of each stretch of more than `few` eqns that are in no run."""
    found: list[tuple[int, int]] = []
    start = 0
    for index in range(len(items) + 1):
        if index == len(items) or isinstance(items[index], Run):
            if index - start > few:
                found.append((start, index))
            start = index + 1
    return found


def cut_stretch(run: Run, starts: list[int], widths: list[int]) -> list[Run]:
    """The sections of items that start at the given eqns, of about equal size.

    Each border is the place near its even share that the fewest values cross: `widths` has for each
    eqn of `run` how many cross before it."""
    after = next((r.start for r in run.runs if r.start > starts[-1]), run.stop)
    last = next((r.stop for r in run.runs if r.start == starts[-1]), after)
    count = min(max(2, ceil(len(starts) / SECTION)), SECTION)
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


def with_names(parts: list[Run], facts: GraphFacts, outer: Run) -> list[Run]:
    """Names the sections of `outer`: by the turns they hold, else by their lines where these tell
    them apart, else by their first and last primitive and a number."""
    spans = [line_span(part, facts) for part in parts]
    distinct = len(set(spans)) == len(parts) and "" not in spans
    for number, (part, span) in enumerate(zip(parts, spans, strict=True), 1):
        runs = [run for run in outer.runs if part.start <= run.start < part.stop]
        begin, end = facts.ops[part.start], facts.ops[part.stop - 1]
        if len(runs) > 1 and sum(map(len, runs)) == len(part):
            part.name = repeats.row_name(runs)
        else:
            part.name = span if distinct else f"{begin}…{end} {number}/{len(parts)}"
    return parts


def line_span(part: Run, facts: GraphFacts) -> str:
    """The lines that a section comes from, `lines 3–9`; empty where they are of several files."""
    found = set(facts.lines[part.start : part.stop])
    numbers = [line for _, line in found]
    if len({file for file, _ in found}) != 1 or min(numbers) == 0:
        return ""
    low, high = min(numbers), max(numbers)
    return f"line {low}" if low == high else f"lines {low}–{high}"
