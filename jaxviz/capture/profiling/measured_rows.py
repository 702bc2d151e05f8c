"""What each instruction took in some runs of a program."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from jaxviz.capture.profiling.own_time import own_times
from jaxviz.capture.profiling.sessions import Run
from jaxviz.capture.profiling.shares import Shares
from jaxviz.measures.measured import InstructionTime


def rows_of(runs: Sequence[Run], shares: Shares) -> Iterator[InstructionTime]:
    """What each instruction took, as the program runs them."""
    found = [own_times(run.intervals, shares.holders) for run in runs]
    for device, name in dict.fromkeys(key for times in found for key in times):
        taken = [times[device, name] for times in found if (device, name) in times]
        seconds = [one.seconds for one in taken]
        calls = shares.calls(name, max(one.calls for one in taken))
        flops, moved = shares.work(name)
        yield InstructionTime(
            device=device,
            name=name,
            op=shares.op(name),
            calls=calls,
            seconds=min(seconds),
            median=statistics.median(seconds),
            parts=shares.parts(name),
            flops=None if flops is None else flops * calls,
            bytes=None if moved is None else moved * calls,
        )
