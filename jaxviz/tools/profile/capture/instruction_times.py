"""The time of each instruction, among parallel and nested ones, and of each iteration of a loop."""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxviz.schema import Peak, Stage
from jaxviz.tools.profile.capture.profiler_events import Interval
from jaxviz.tools.profile.capture.sessions import Run
from jaxviz.tools.profile.capture.shares import LoopOf, Shares
from jaxviz.tools.profile.record import CommandBuffers, InstructionTime, LoopTime, Measurements


class Measured(NamedTuple):
    """The measurements of some runs of a program."""

    all: Measurements
    hlo: Stage
    """The instructions that ran."""
    left_out: tuple[str, ...] = ()
    """The debug prints and callbacks of the program, which were not repeated."""
    run_again: bool = False
    """True if the program has a `pure_callback`, which ran again."""
    in_cell: bool = False
    """True for the runs of a cell, as in `Times.in_cell`."""
    buffers: CommandBuffers = ""


def measurements(
    runs: Sequence[Run], wall: Iterable[float], shares: Shares, peak: Peak | None = None
) -> Measurements:
    """The times of some runs."""
    spans = [span(run.intervals) for run in runs]
    return Measurements(
        rows=tuple(rows_of(runs, shares)),
        wall=tuple(wall),
        inside=tuple(one.seconds for one in spans),
        between=tuple(one.between for one in spans),
        loops=tuple(loops_of(runs, shares)),
        peak=peak,
    )


class OwnTime(NamedTuple):
    """The time of one instruction on one device, in one run of the program."""

    seconds: float
    calls: int


def own_times(
    intervals: Iterable[Interval], callers: Container[str]
) -> dict[tuple[int, str], OwnTime]:
    """The time of each instruction without the instructions that it runs, by device and name.

    `callers` are instructions that run others, such as loops. A moment in which several other
    instructions run on one device is divided among them.
    """
    by_device: dict[int, list[Interval]] = defaultdict(list)
    for interval in intervals:
        by_device[interval.device].append(interval)
    return {
        (device, name): time
        for device, of_device in by_device.items()
        for name, time in _on_one_device(of_device, callers).items()
    }


def _on_one_device(intervals: list[Interval], callers: Container[str]) -> dict[str, OwnTime]:
    """Visits all begins and ends in order."""
    lasting = [interval for interval in intervals if interval.end > interval.start]
    bounds = [(interval.start, True, number) for number, interval in enumerate(lasting)]
    bounds += [(interval.end, False, number) for number, interval in enumerate(lasting)]
    picoseconds: dict[str, float] = defaultdict(float)
    running, calling = dict[int, str](), dict[int, str]()
    before = 0
    for moment, begins, number in sorted(bounds):
        who = [*running.values()] or [*calling.values()][-1:]
        for name in who:
            picoseconds[name] += (moment - before) / len(who)
        before = moment
        name = lasting[number].name
        same_kind = calling if name in callers else running
        if begins:
            same_kind[number] = name
        else:
            del same_kind[number]
    calls = Counter(name for name, _ in {(one.name, one.run) for one in intervals})
    return {name: OwnTime(picoseconds[name] / 1e12, count) for name, count in calls.items()}


class Span(NamedTuple):
    seconds: float
    """From the first begin to the last end."""
    between: float
    """The part of these seconds in which no instruction ran."""


def span(intervals: Iterable[Interval]) -> Span:
    """The total time of intervals, on the device on which it was longest."""
    by_device: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for one in intervals:
        by_device[one.device].append((one.start, one.end))
    return max(map(_of_device, by_device.values()), default=Span(0, 0))


def _of_device(found: list[tuple[int, int]]) -> Span:
    found.sort()
    first = last = found[0][0]
    idle = 0
    for start, end in found:
        idle += max(0, start - last)
        last = max(last, end)
    return Span((last - first) / 1e12, idle / 1e12)


def rows_of(runs: Sequence[Run], shares: Shares) -> Iterator[InstructionTime]:
    """The time of each instruction, in the order in which the program runs them."""
    found = [own_times(run.intervals, shares.callers) for run in runs]
    for device, name in dict.fromkeys(key for times in found for key in times):
        own = [times[device, name] for times in found if (device, name) in times]
        seconds = [one.seconds for one in own]
        calls = shares.calls(name, max(one.calls for one in own))
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


def loops_of(runs: Sequence[Run], shares: Shares) -> Iterator[LoopTime]:
    """The loops of a program, each with the times of its iterations, in order. There are none if
    the profiler does not separate them, as for small loops, which XLA compiles whole."""
    for loop in shares.loops():
        devices: dict[int, list[list[float]]] = defaultdict(list)
        for run in runs:
            for device, turns in _iterations_of(run.intervals, loop, shares.callers).items():
                devices[device].append(turns)
        for device, of_runs in sorted(devices.items()) or [(0, [])]:
            is_consistent = len({*map(len, of_runs)}) == 1 and _fits(len(of_runs[0]), loop)
            turns = tuple(map(min, zip(*of_runs, strict=True))) if is_consistent else ()
            yield LoopTime(
                device=device, name=loop.name, parts=shares.parts(loop.name), turns=turns
            )


def _fits(turns: int, loop: LoopOf) -> bool:
    """True if this number of iterations fits the one in the program."""
    return loop.trips is None or (loop.trips > 0 and turns % loop.trips == 0)


def _iterations_of(
    intervals: Sequence[Interval], loop: LoopOf, callers: set[str]
) -> dict[int, list[float]]:
    """By device, the seconds of the instructions of each iteration. An iteration begins with the
    instruction of the body that runs first."""
    within: dict[int, list[Interval]] = defaultdict(list)
    for one in intervals:
        if one.name in loop.within:
            within[one.device].append(one)
    found: dict[int, list[float]] = {}
    for device, inner in within.items():
        inner.sort(key=lambda one: one.start)
        first = next((one.name for one in inner if one.name in loop.body), None)
        begins = sorted({one.run: one.start for one in inner[::-1] if one.name == first}.values())
        if not begins:
            continue
        turns: list[list[Interval]] = [[] for _ in begins]
        for one in inner:
            turns[max(0, bisect_right(begins, one.start) - 1)].append(one)
        found[device] = [
            sum(time.seconds for time in own_times(turn, callers).values()) for turn in turns
        ]
    return found
