"""The loss: what follows the last parameter in the forward pass, and comes first going back."""

from __future__ import annotations

from jaxviz.analysis.names import Paths
from jaxviz.analysis.source import Source, first
from jaxviz.analysis.tree import Run, enclose

NAME = "loss"
LEAST = 3
MOST = 3 / 4


def wrap(parts: list[list[Run]], paths: Paths, source: Source) -> None:
    """Makes the loss of each training step a run, and its derivative another, unless one call
    is nearly all of it: that has its own name."""
    for forward, backward in (group[:2] for group in parts if len(group) > 1):
        last = [stop for _, stop in with_parameters(forward, paths, source)]
        start = [start for start, _ in with_parameters(backward, paths, source)]
        if not last or not start:
            continue
        ends = Run(last[-1], forward.stop, "call", NAME, NAME)
        begins = Run(backward.start, start[0], "call", NAME, NAME)
        if min(len(ends), len(begins)) < LEAST:
            continue
        if not (is_call(forward, ends) and is_call(backward, begins)):
            enclose(forward, [ends])
            enclose(backward, [begins])


def with_parameters(run: Run, paths: Paths, source: Source) -> list[tuple[int, int]]:
    """Start and stop of each item of a run that works on parameters."""
    return [
        (first(item), item.stop if isinstance(item, Run) else item + 1)
        for item in run.items()
        if (paths.get(item) if isinstance(item, Run) else source.paths[item]) is not None
    ]


def is_call(outer: Run, part: Run) -> bool:
    """Whether one run of `outer` is nearly all of `part`."""
    inside = [run for run in outer.runs if part.start <= run.start and run.stop <= part.stop]
    return any(len(run) >= MOST * len(part) for run in inside)
