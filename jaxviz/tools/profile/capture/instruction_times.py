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


class Taken(NamedTuple):
    """The time of one instruction on one device, in one run of the program."""

    seconds: float
    calls: int


def own_times(
    intervals: Iterable[Interval], holders: Container[str]
) -> dict[tuple[int, str], Taken]:
    """The time of each instruction itself, by its device and name.

    `holders` are instructions that run others, such as loops: the times of these are not theirs. A
    moment in which several others run on one device is divided among them.
    """
    by_device: dict[int, list[Interval]] = defaultdict(list)
    for interval in intervals:
        by_device[interval.device].append(interval)
    return {
        (device, name): taken
        for device, held in by_device.items()
        for name, taken in _on_one_device(held, holders).items()
    }


def _on_one_device(intervals: list[Interval], holders: Container[str]) -> dict[str, Taken]:
    """Visits all begins and ends in order."""
    lasting = [interval for interval in intervals if interval.end > interval.start]
    bounds = [(interval.start, True, number) for number, interval in enumerate(lasting)]
    bounds += [(interval.end, False, number) for number, interval in enumerate(lasting)]
    picoseconds: dict[str, float] = defaultdict(float)
    running, holding = dict[int, str](), dict[int, str]()
    before = 0
    for moment, begins, number in sorted(bounds):
        who = [*running.values()] or [*holding.values()][-1:]
        for name in who:
            picoseconds[name] += (moment - before) / len(who)
        before = moment
        name = lasting[number].name
        held = holding if name in holders else running
        if begins:
            held[number] = name
        else:
            del held[number]
    calls = Counter(name for name, _ in {(one.name, one.run) for one in intervals})
    return {name: Taken(picoseconds[name] / 1e12, count) for name, count in calls.items()}


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


def loops_of(runs: Sequence[Run], shares: Shares) -> Iterator[LoopTime]:
    """The loops of a program, each with the times of its iterations, in order. There are none if
    the profiler does not separate them, as for small loops, which XLA compiles whole."""
    for loop in shares.loops():
        devices: dict[int, list[list[float]]] = defaultdict(list)
        for run in runs:
            for device, turns in _iterations_of(run.intervals, loop, shares.holders).items():
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
    intervals: Sequence[Interval], loop: LoopOf, holders: set[str]
) -> dict[int, list[float]]:
    """By device, the seconds of the instructions of each iteration. An iteration begins with the
    instruction of the body that runs first."""
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
