"""How long each instruction took of what ran side by side and within one another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from typing import NamedTuple

from jaxviz.capture.profiling.profiler_events import Interval


class Taken(NamedTuple):
    """What one instruction took on one device, in one run of the program."""

    seconds: float
    calls: int


def own_times(
    intervals: Iterable[Interval], holders: Container[str]
) -> dict[tuple[int, str], Taken]:
    """What each instruction took by itself, by its device and name.

    `holders` are instructions that run others, such as loops: what these take is not theirs. A
    moment in which several others run on one device is divided among them."""
    by_device: dict[int, list[Interval]] = defaultdict(list)
    for interval in intervals:
        by_device[interval.device].append(interval)
    return {
        (device, name): taken
        for device, held in by_device.items()
        for name, taken in _on_one_device(held, holders).items()
    }


def _on_one_device(intervals: list[Interval], holders: Container[str]) -> dict[str, Taken]:
    """Goes through all begins and ends in their order."""
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
    """Of these, those in which none ran."""


def span(intervals: Iterable[Interval]) -> Span:
    """What intervals took together, on the device where that took longest."""
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
