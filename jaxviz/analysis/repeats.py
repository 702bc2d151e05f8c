"""Long rows of runs that are alike, each row as one run: `layers[0…11]`."""

from __future__ import annotations

import re

from jaxviz.analysis.alike import Shapes
from jaxviz.analysis.names import NUMBERED
from jaxviz.analysis.tree import REGION, Run, preorder

KIND = "repeat"
MANY = 8
"""Neighbours alike that become one run."""
NUMBER = re.compile(r"\d+")


def gather(root: Run, shapes: Shapes, graph: int) -> None:
    """Puts every row of neighbours that are alike into a run. A row whose members' twins are
    all in one row has that for its twin."""
    runs = preorder(root)[1:]
    numbers = shapes.of(graph, [(run.start, run.stop) for run in runs])
    number = dict(zip(runs, numbers, strict=True))
    rows: dict[Run, Run] = {}
    for outer in [root, *runs]:
        held: list[Run] = []
        for row in neighbours(outer.runs, number):
            if len(row) < MANY:
                held += row
                continue
            if outer is not root and outer.key != REGION and sum(map(len, row)) == len(outer):
                outer.kind, outer.name = KIND, name(row)
                made = outer
                held += row
            else:
                first, last = row[0], row[-1]
                made = Run(first.start, last.stop, KIND, name(row), KIND, last.role, runs=row)
                held.append(made)
            rows.update(dict.fromkeys(row, made))
        outer.runs = held
    for made in dict.fromkeys(rows.values()):
        twins = {None if run.twin is None else rows.get(run.twin) for run in made.runs}
        if len(twins) == 1:
            (made.twin,) = twins


def neighbours(runs: list[Run], number: dict[Run, int]) -> list[list[Run]]:
    """The runs as rows of those that follow one another and are alike."""
    rows: list[list[Run]] = []
    for run in runs:
        before = rows[-1][-1] if rows else None
        if before and before.stop == run.start and number[before] == number[run] >= 0:
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def name(row: list[Run]) -> str:
    """What the names have in common: `layers[0…11]` for `layers[0]` to `layers[11]`."""
    names = [run.name for run in row]
    if len({NUMBERED.sub("", text) for text in names}) == 1 and len(set(names)) > 1:
        return turns(names)
    parts = {tuple(NUMBER.split(text)) for text in names}
    if len(parts) > 1:
        return f"{names[0]}…{names[-1]}"
    (pieces,) = parts
    counts = [[int(digits) for digits in NUMBER.findall(text)] for text in names]
    text = pieces[0]
    for piece, values in zip(pieces[1:], zip(*counts, strict=True), strict=True):
        low, high = min(values), max(values)
        text += f"{low}{piece}" if low == high else f"{low}…{high}{piece}"
    return text


def turns(names: list[str]) -> str:
    """`cell 2…9` for `cell 2/30` to `cell 9/30`."""
    places = [found.group() for found in map(NUMBERED.search, names) if found]
    numbers = [int(NUMBER.findall(place)[0]) for place in places]
    return NUMBERED.sub(f" {min(numbers)}…{max(numbers)}", names[0])
