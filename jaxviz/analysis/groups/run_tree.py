"""Runs of eqns as a tree: built from runs that may cross, and walked without recursion.

Groups are `Run`s during the search, which moves, cuts and renames them in place. At the end they
become `schema.Group` records.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from jaxviz import schema
from jaxviz.schema.record import NOTHING, Sentence

STEP_PART = "step part"
"""The key of a run that is a part of a training step: forward, backward or optimizer."""
BODY = "body"
"""The key of a run that is one eqn with bodies."""
RECOMPUTED = "recomputed"
"""The key of a run that recomputes values, as `jax.checkpoint` asks for."""
SHORTEST_GROUP = 3
"""Eqns of the shortest run that becomes a group."""


@dataclass(slots=True, eq=False)
class Run:
    """The eqns `[start, stop)` of one graph, with the runs inside them, in order."""

    start: int
    stop: int
    kind: str
    """`scope`, `call`, `section` or `repeat`, as in `schema.Group`."""
    name: str
    key: Hashable = None
    """The source of the run, such as a call's line and function. Equal for two runs of one place in
    the source."""
    role: str = ""
    """Its part in a training step, as in `schema.Group`."""
    counterpart: Run | None = None
    """The forward run that this run differentiates or updates."""
    unlike: Sentence = NOTHING
    """Its difference from its siblings, if they are alike: `f32 weights`."""
    runs: list[Run] = field(default_factory=list["Run"])
    named_by: str = ""
    """The source of the name, as in `schema.Group`; set last."""

    def __len__(self) -> int:
        return self.stop - self.start

    def same(self, other: Run) -> bool:
        """True if both runs have the same eqns."""
        return self.start == other.start and self.stop == other.stop

    def items(self) -> Iterator[Item]:
        """The runs directly inside, and the indices of eqns that are in none of them, in order."""
        at = self.start
        for run in self.runs:
            yield from range(at, run.start)
            yield run
            at = run.stop
        yield from range(at, self.stop)

    def count(self) -> int:
        """The number of items."""
        return len(self) - sum(len(run) - 1 for run in self.runs)


Item = Run | int
"""A direct part of a run: another run, or the index of an eqn."""


def first_eqn(item: Item) -> int:
    """The index of an item's first eqn."""
    return item if isinstance(item, int) else item.start


def end_of(item: Item) -> int:
    """The index after an item's last eqn."""
    return item + 1 if isinstance(item, int) else item.stop


def preorder(root: Run) -> list[Run]:
    """Every run, parents before children, in the order of the eqns."""
    found: list[Run] = []
    todo = [root]
    while todo:
        run = todo.pop()
        found.append(run)
        todo.extend(reversed(run.runs))
    return found


def firmness(run: Run) -> int:
    """If two runs cross, the one with the higher firmness number is cut."""
    return 0 if run.key == STEP_PART else 1 if run.kind == "scope" else 2


def nest(root: Run, runs: Iterable[Run]) -> None:
    """Puts runs into `root` so that any two are nested or disjoint.

    If two cross, a call is cut rather than a scope, and a scope rather than a part of a training
    step. If two have the same eqns and firmness, the later one in `runs` is outside.
    """
    serial = 0
    queue: list[tuple[int, int, int, int, Run]] = []

    def add(run: Run) -> None:
        nonlocal serial
        serial -= 1
        heapq.heappush(queue, (run.start, -run.stop, firmness(run), serial, run))

    def cut(run: Run, at: int) -> None:
        add(Run(at, run.stop, run.kind, run.name, run.key, run.role))
        run.stop = at

    for run in runs:
        add(run)
    open_runs = [root]
    while queue:
        run = heapq.heappop(queue)[-1]
        while open_runs[-1].stop <= run.start:
            open_runs.pop()
        while open_runs[-1].stop < run.stop and firmness(open_runs[-1]) > firmness(run):
            cut(open_runs.pop(), run.start)
        if run.stop > open_runs[-1].stop:
            cut(run, open_runs[-1].stop)
        open_runs[-1].runs.append(run)
        open_runs.append(run)


def enclose(parent: Run, parts: list[Run]) -> None:
    """Puts `parts`, in order, into `parent`. Each encloses the runs of `parent` that are within
    it."""
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


def equal_neighbours(stacks: Sequence[tuple[Hashable, ...]]) -> Iterator[tuple[int, int, int]]:
    """Start, stop and depth of each run of neighbours whose stacks are equal down to that depth."""
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


def as_records(runs: list[Run], alike: list[int]) -> list[schema.Group]:
    """The records of all runs below the root, in preorder. `alike` has for each run the number that
    equal runs share, or -1."""
    index = {run: i for i, run in enumerate(runs)}
    parents = {inner: index[run] for run in runs for inner in run.runs}
    return [
        schema.Group(
            name=run.name,
            kind=run.kind,
            role=run.role,
            parent=parents.get(run),
            twin=None if run.counterpart is None else index[run.counterpart],
            alike=number,
            start=run.start,
            stop=run.stop,
            loop="",
            loop_line=0,
            unlike=run.unlike,
            named_by=run.named_by,
        )
        for run, number in zip(runs, alike, strict=True)
    ]


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
