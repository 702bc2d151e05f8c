"""What each turn of a loop took."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from jaxviz.capture.profiling.own_time import own_times
from jaxviz.capture.profiling.profiler_events import Interval
from jaxviz.capture.profiling.sessions import Run
from jaxviz.capture.profiling.shares import LoopOf, Shares
from jaxviz.measures.measured import LoopTime


def loops_of(runs: Sequence[Run], shares: Shares) -> Iterator[LoopTime]:
    """The loops of a program, each with what its turns took, in their order; without turns where
    the profiler does not tell them apart, as of small loops, which XLA compiles whole."""
    for loop in shares.loops():
        devices: dict[int, list[list[float]]] = defaultdict(list)
        for run in runs:
            for device, turns in _turns_of(run.intervals, loop, shares.holders).items():
                devices[device].append(turns)
        for device, told in sorted(devices.items()) or [(0, [])]:
            is_told = len({len(turns) for turns in told}) == 1 and _fits(len(told[0]), loop)
            turns = tuple(map(min, zip(*told, strict=True))) if is_told else ()
            yield LoopTime(device, loop.name, shares.parts(loop.name), turns)


def _fits(turns: int, loop: LoopOf) -> bool:
    """Whether so many turns can be those that the program says."""
    return loop.trips is None or (loop.trips > 0 and turns % loop.trips == 0)


def _turns_of(
    intervals: Sequence[Interval], loop: LoopOf, holders: set[str]
) -> dict[int, list[float]]:
    """By device, the seconds that the instructions of each turn took. A turn begins where the
    instruction of the body does that runs first."""
    within: dict[int, list[Interval]] = defaultdict(list)
    for one in intervals:
        if one.name in loop.within:
            within[one.device].append(one)
    found: dict[int, list[float]] = {}
    for device, held in within.items():
        held.sort(key=lambda one: one.start)
        first = next((one.name for one in held if one.name in loop.body), None)
        begins = sorted({one.run: one.start for one in held[::-1] if one.name == first}.values())
        if not begins:
            continue
        turns: list[list[Interval]] = [[] for _ in begins]
        for one in held:
            turns[max(0, bisect_right(begins, one.start) - 1)].append(one)
        found[device] = [
            sum(taken.seconds for taken in own_times(turn, holders).values()) for turn in turns
        ]
    return found
