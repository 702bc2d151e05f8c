"""Long rows of runs that are alike, each row as one run: `layers[0…11]`."""

from __future__ import annotations

import re

from jaxviz.analysis.alike import Shapes
from jaxviz.analysis.tree import Run, preorder

KIND = "repeat"
MANY = 8
"""Neighbours alike that become one run."""
TURN = re.compile(r" \d+/\d+$")
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
            if len(row) < MANY or (len(row) == len(outer.runs) and is_whole(outer)):
                held += row
                continue
            last = row[-1]
            made = Run(row[0].start, last.stop, KIND, name(row), KIND, last.role, runs=row)
            held.append(made)
            rows.update(dict.fromkeys(row, made))
        outer.runs = held
    for made in dict.fromkeys(rows.values()):
        twins = {None if run.twin is None else rows.get(run.twin) for run in made.runs}
        if len(twins) == 1:
            (made.twin,) = twins


def is_whole(run: Run) -> bool:
    """Whether the runs in a run leave out none of its eqns."""
    return run.name != "" and sum(map(len, run.runs)) == len(run)


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
    names = [TURN.sub("", run.name) for run in row]
    if len(set(names)) == 1:
        return names[0]
    parts = {tuple(NUMBER.split(text)) for text in names}
    counts = [[int(digits) for digits in NUMBER.findall(text)] for text in names]
    if len(parts) > 1:
        return f"{names[0]}…{names[-1]}"
    (pieces,) = parts
    text = pieces[0]
    for piece, values in zip(pieces[1:], zip(*counts, strict=True), strict=True):
        low, high = min(values), max(values)
        text += f"{low}{piece}" if low == high else f"{low}…{high}{piece}"
    return text
