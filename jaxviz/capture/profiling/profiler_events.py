"""Reads what JAX's profiler tells: what happened when, and which instruction ran when."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

UNKNOWN = -1
"""The device of an instruction where that is not told, as up to JAX 0.6.2."""


class Interval(NamedTuple):
    """An instruction that ran, from its begin to its end in picoseconds of the profiler's clock."""

    device: int
    name: str
    start: int
    end: int


class Event(NamedTuple):
    """What the profiler tells of something that happened, with times in picoseconds."""

    thread: tuple[int, int]
    name: str
    start: int
    end: int
    stats: dict[str, Any]


def instructions_in(events: Iterable[Event], module: str) -> list[Event]:
    """Those of the HLO module of that name."""
    return [one for one in events if one.stats.get("hlo_module") == module]


def ends_in(events: Iterable[Event]) -> set[Any]:
    """The flows of what is told to have ended."""
    return {one.stats.get("_c") for one in events if one.name.startswith("end: ")}


def all_ended(instructions: Iterable[Event], ended: set[Any]) -> bool:
    """Whether it is told of all of these when they ended, where that is told by itself: what other
    threads go on with may be heard of too late."""
    return not ended or all(one.stats.get("_p") in ended for one in instructions)


def intervals_of(events: Iterable[Event], instructions: Iterable[Event]) -> Iterator[Interval]:
    """When each of these instructions ran, in their order; `events` are all that is told.

    One that other threads go on with has an event `end:` of the same flow, in the thread that ended
    it. That thread first runs what follows, so the instruction ended where the first of that began.
    """
    begun = [*instructions]
    ends = {one.stats.get("_c"): one for one in events if one.name.startswith("end: ")}
    starts: dict[tuple[int, int], list[int]] = defaultdict(list)
    for one in sorted(begun, key=lambda one: one.start):
        starts[one.thread].append(one.start)
    for one in begun:
        end, last = one.end, ends.get(one.stats.get("_p"))
        if last is not None:
            follow = starts[last.thread]
            first = bisect_left(follow, one.end)
            end = max(end, min([last.start, *follow[first : first + 1]]))
        device = one.stats.get("device_ordinal", UNKNOWN)
        yield Interval(device, one.stats.get("hlo_op", one.name), one.start, end)


def start_of(line: Any, event: Any) -> int:
    """When an event of a line began, in picoseconds."""
    return 1000 * line.timestamp_ns + event.offset_ps


MOVES = {
    *("H2D Dispatch", "D2H Dispatch", "DevicePut", "DevicePutWithSharding"),
    *("np.asarray(jax.Array)", "batched_device_put"),
}
"""What the profiler calls the moving of arrays to devices and back, as seen on 0.6.2 to 0.12."""


def events_in(profile: Any, until: int | None = None) -> Iterator[Event]:
    """The events of an `XSpace` that are read here: instructions, ends of these, moves of arrays;
    all of them, or those that began before `until`."""
    for number, plane in enumerate(profile.planes):
        names = {key: one.name for key, one in plane.event_metadata.items()}
        keys = {key: one.name for key, one in plane.stat_metadata.items()}
        is_read: dict[int, bool] = {}
        for thread, line in enumerate(plane.lines):
            for event in line.events:
                kind = event.metadata_id
                if kind not in is_read:
                    is_read[kind] = _is_read(names.get(kind, ""), event, keys)
                start = start_of(line, event)
                if not is_read[kind] or (until is not None and start >= until):
                    continue
                stats = {keys.get(stat.metadata_id, ""): _value(stat, keys) for stat in event.stats}
                end = start + event.duration_ps
                yield Event((number, thread), names.get(kind, ""), start, end, stats)


def _is_read(name: str, event: Any, keys: dict[int, str]) -> bool:
    told = {keys.get(stat.metadata_id, "") for stat in event.stats}
    return "hlo_op" in told or name.startswith("end: ") or name in MOVES


def _value(stat: Any, keys: dict[int, str]) -> Any:
    """The value of a stat; a text that is written once for all is told by its number."""
    kind = stat.WhichOneof("value")
    if kind == "ref_value":
        return keys.get(stat.ref_value, "")
    return getattr(stat, kind) if kind else None
