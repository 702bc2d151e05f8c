"""Runs of eqns as a tree: built from runs that may cross, walked without recursion."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

REGION = "region"
"""The key of a run that is a part of a training step."""


@dataclass(slots=True, eq=False)
class Run:
    """Eqns `[start, stop)` of one graph, with the runs inside them, in order."""

    start: int
    stop: int
    kind: str
    name: str
    key: Hashable = None
    """What makes two runs the same place in the source: a call's site and function."""
    role: str = ""
    twin: Run | None = None
    runs: list[Run] = field(default_factory=list["Run"])

    def __len__(self) -> int:
        return self.stop - self.start

    def same(self, other: Run) -> bool:
        return self.start == other.start and self.stop == other.stop

    def items(self) -> Iterator[Run | int]:
        """The runs directly inside, and the eqns in none of them, in order."""
        at = self.start
        for run in self.runs:
            yield from range(at, run.start)
            yield run
            at = run.stop
        yield from range(at, self.stop)

    def count(self) -> int:
        """How many items there are."""
        return len(self) - sum(len(run) - 1 for run in self.runs)


def preorder(root: Run) -> list[Run]:
    """Every run, parents before children, in the order of the eqns."""
    found: list[Run] = []
    todo = [root]
    while todo:
        run = todo.pop()
        found.append(run)
        todo.extend(reversed(run.runs))
    return found


def rank(run: Run) -> int:
    """Of two runs that cross, the one of higher rank is cut."""
    return 0 if run.key == REGION else 1 if run.kind == "scope" else 2


def nest(root: Run, runs: Iterable[Run]) -> None:
    """Puts runs into `root` so that they nest. Where two cross, the call is cut, not the scope;
    of two with the same eqns and rank the later one is outside."""
    serial = 0
    queue: list[tuple[int, int, int, int, Run]] = []

    def add(run: Run) -> None:
        nonlocal serial
        serial -= 1
        heapq.heappush(queue, (run.start, -run.stop, rank(run), serial, run))

    def cut(run: Run, at: int) -> None:
        add(Run(at, run.stop, run.kind, run.name, run.key, run.role))
        run.stop = at

    for run in runs:
        add(run)
    opened = [root]
    while queue:
        run = heapq.heappop(queue)[-1]
        while opened[-1].stop <= run.start:
            opened.pop()
        while opened[-1].stop < run.stop and rank(opened[-1]) > rank(run):
            cut(opened.pop(), run.start)
        if run.stop > opened[-1].stop:
            cut(run, opened[-1].stop)
        opened[-1].runs.append(run)
        opened.append(run)


def enclose(parent: Run, parts: list[Run]) -> None:
    """Puts `parts`, in order, into `parent`, each around the runs that lie within it."""
    merged: list[Run] = []
    waiting = iter(parts)
    part = next(waiting, None)
    for run in parent.runs:
        while part and part.start <= run.start and part.stop <= run.start:
            merged.append(part)
            part = next(waiting, None)
        if part and part.start <= run.start and run.stop <= part.stop:
            part.runs.append(run)
        else:
            merged.append(run)
    while part:
        merged.append(part)
        part = next(waiting, None)
    parent.runs = merged


def runs_of(stacks: Sequence[tuple[Hashable, ...]]) -> Iterator[tuple[int, int, int]]:
    """Start, stop and depth of every run of neighbours that are equal down to that depth."""
    starts: list[int] = []
    previous: tuple[Hashable, ...] = ()
    for index, stack in enumerate([*stacks, ()]):
        if stack is previous:
            continue
        same = 0
        for a, b in zip(previous, stack, strict=False):
            if a != b:
                break
            same += 1
        while len(starts) > same:
            yield starts.pop(), index, len(starts)
        starts += [index] * (len(stack) - same)
        previous = stack
