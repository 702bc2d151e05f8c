"""Cuts what is long and has no structure, where the fewest values cross."""

from __future__ import annotations

from itertools import pairwise
from math import ceil

from jaxviz.analysis import repeats
from jaxviz.analysis.source import Source, first
from jaxviz.analysis.tree import REGION, Run, enclose

LONG = 40
"""Items that one can still overlook."""
PIECE = 25
FEW = 8
"""Loose eqns beside layers that one can still overlook."""


def cut(run: Run, source: Source) -> list[Run]:
    """Adds sections to a run that is too long, and gives those added. Beside the layers of a part
    of a training step, a few loose eqns are long."""
    items = list(run.items())
    if run.key == REGION and run.runs and len(items) <= LONG:
        return loose(run, items, source)
    if len(items) <= LONG:
        return []
    widths = source.flow.widths(run.start, run.stop)
    added: list[Run] = []
    for start, stop in plain(items, PIECE):
        found = cut_stretch(run, [first(item) for item in items[start:stop]], widths)
        added += named(found, source, run)
    if not added and len(items) > LONG + PIECE:
        added = named(cut_stretch(run, [first(item) for item in items], widths), source, run)
    enclose(run, added)
    return added


def loose(run: Run, items: list[Run | int], source: Source) -> list[Run]:
    """One section for each stretch of loose eqns."""
    parts: list[Run] = []
    for start, stop in plain(items, FEW):
        part = Run(first(items[start]), first(items[stop - 1]) + 1, "section", "", None, run.role)
        part.name = f"{source.ops[part.start]}…{source.ops[part.stop - 1]}"
        parts.append(part)
    enclose(run, parts)
    return []


def plain(items: list[Run | int], few: int) -> list[tuple[int, int]]:
    """Stretches of more than `few` eqns that are in no run."""
    found: list[tuple[int, int]] = []
    start = 0
    for index in range(len(items) + 1):
        if index == len(items) or isinstance(items[index], Run):
            if index - start > few:
                found.append((start, index))
            start = index + 1
    return found


def cut_stretch(run: Run, starts: list[int], widths: list[int]) -> list[Run]:
    """Sections of items that start at the given eqns."""
    after = next((r.start for r in run.runs if r.start > starts[-1]), run.stop)
    last = next((r.stop for r in run.runs if r.start == starts[-1]), after)
    count = min(max(2, ceil(len(starts) / PIECE)), PIECE)
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


def named(parts: list[Run], source: Source, outer: Run) -> list[Run]:
    """The sections of `outer` with names: the turns they hold, else their lines where these tell
    them apart, else the first and last primitive and a number."""
    spans = [lines(part, source) for part in parts]
    distinct = len(set(spans)) == len(parts) and "" not in spans
    for number, (part, span) in enumerate(zip(parts, spans, strict=True), 1):
        held = [run for run in outer.runs if part.start <= run.start < part.stop]
        begin, end = source.ops[part.start], source.ops[part.stop - 1]
        if len(held) > 1 and sum(map(len, held)) == len(part):
            part.name = repeats.name(held)
        else:
            part.name = span if distinct else f"{begin}…{end} {number}/{len(parts)}"
    return parts


def lines(part: Run, source: Source) -> str:
    """The lines of one file that a section comes from; nothing where there are several files."""
    found = set(source.lines[part.start : part.stop])
    numbers = [line for _, line in found]
    if len({file for file, _ in found}) != 1 or min(numbers) == 0:
        return ""
    low, high = min(numbers), max(numbers)
    return f"line {low}" if low == high else f"lines {low}–{high}"
