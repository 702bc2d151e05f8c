"""Cuts what is long and has no structure, where the fewest values cross."""

from __future__ import annotations

from itertools import pairwise
from math import ceil

from jaxviz.analysis.flow import Flow
from jaxviz.analysis.source import first
from jaxviz.analysis.tree import Run, enclose

LONG = 40
"""Items that one can still overlook."""
PIECE = 25


def cut(run: Run, flow: Flow) -> list[Run]:
    """Adds sections to a run that is too long, and gives those added."""
    items = list(run.items())
    if len(items) <= LONG:
        return []
    widths = flow.widths(run.start, run.stop)
    added: list[Run] = []
    for start, stop in plain(items):
        added += cut_stretch(run, [first(item) for item in items[start:stop]], widths)
    if not added and len(items) > LONG + PIECE:
        added = cut_stretch(run, [first(item) for item in items], widths)
    enclose(run, added)
    return added


def plain(items: list[Run | int]) -> list[tuple[int, int]]:
    """Stretches of more than `PIECE` eqns that are in no run."""
    found: list[tuple[int, int]] = []
    start = 0
    for index in range(len(items) + 1):
        if index == len(items) or isinstance(items[index], Run):
            if index - start > PIECE:
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
    total = len(cuts) - 1
    return [
        Run(a, b, "section", f"part {number + 1}/{total}")
        for number, (a, b) in enumerate(pairwise(cuts))
    ]
