"""Reads the events of JAX's profiler: their times, and the instructions that ran."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

UNKNOWN = -1
"""The device of an instruction if it is not reported, as up to JAX 0.6.2."""
COMMAND_BUFFER = "command_buffer"
"""The prefix of names under which XLA launches many kernels of a GPU at once. The profiler does not
report the instruction of these kernels."""


class Interval(NamedTuple):
    """An instruction that ran, or one of the kernels of its run on a GPU, from its begin to its end
    in picoseconds of the profiler's clock."""

    device: int
    name: str
    start: int
    end: int
    run: int
    """A number that all kernels of one run of the instruction share."""


class Event(NamedTuple):
    """An event of the profiler, with times in picoseconds."""

    thread: tuple[int, int]
    device: int
    """The GPU of the event; elsewhere UNKNOWN."""
    name: str
    start: int
    end: int
    stats: dict[str, Any]


def instructions_in(events: Iterable[Event], module: str) -> list[Event]:
    """The events of the HLO module of that name."""
    return [one for one in events if one.stats.get("hlo_module") == module]


def ends_in(events: Iterable[Event]) -> set[Any]:
    """The flows whose end is reported."""
    return {one.stats.get("_c") for one in events if one.name.startswith("end: ")}


def all_ended(instructions: Iterable[Event], ended: set[Any]) -> bool:
    """True if the ends of all these instructions are reported, if the profiler reports ends as
    separate events. The end of work in other threads may be reported too late."""
    return not ended or all(one.stats.get("_p") in ended for one in instructions)


def intervals_of(events: Iterable[Event], instructions: Iterable[Event]) -> Iterator[Interval]:
    """The interval of each of these instructions, in order; `events` are all events.

    An instruction that continues in other threads has an event `end:` of the same flow, in the
    thread that ended it. That thread first runs the instructions that follow, so the instruction
    ended where the first of these began.
    """
    begun = [*instructions]
    ends = {one.stats.get("_c"): one for one in events if one.name.startswith("end: ")}
    starts: dict[tuple[int, int], list[int]] = defaultdict(list)
    for one in sorted(begun, key=lambda one: one.start):
        starts[one.thread].append(one.start)
    for number, one in enumerate(begun):
        end, last = one.end, ends.get(one.stats.get("_p"))
        if last is not None:
            follow = starts[last.thread]
            first = bisect_left(follow, one.end)
            end = max(end, min([last.start, *follow[first : first + 1]]))
        device = one.stats.get("device_ordinal", one.device)
        run = one.stats.get(_SCOPE, number)
        yield Interval(device, one.stats.get("hlo_op", one.name), one.start, end, run)


def start_of(line: Any, event: Any) -> int:
    """The begin of an event of a line, in picoseconds."""
    return 1000 * line.timestamp_ns + event.offset_ps


MOVES = {
    *("H2D Dispatch", "D2H Dispatch", "DevicePut", "DevicePutWithSharding"),
    *("np.asarray(jax.Array)", "batched_device_put"),
}
"""The profiler's names for moving arrays to devices and back, seen on 0.6.2 to 0.12."""


def events_in(profile: Any, until: int | None = None) -> Iterator[Event]:
    """The events of an `XSpace` that are read here: instructions, their ends, and moves of arrays;
    all of them, or those that began before `until`."""
    for number, plane in enumerate(profile.planes):
        names = {key: one.name for key, one in plane.event_metadata.items()}
        keys = {key: one.name for key, one in plane.stat_metadata.items()}
        device = _gpu_of(plane.name)
        is_read: dict[int, bool] = {}
        for thread, line in enumerate(plane.lines):
            for event in line.events:
                kind = event.metadata_id
                # On a GPU some of the kernels of one name are XLA's.
                if device != UNKNOWN or kind not in is_read:
                    is_read[kind] = _is_read(names.get(kind, ""), event, keys)
                start = start_of(line, event)
                if not is_read[kind] or (until is not None and start >= until):
                    continue
                stats = {keys.get(stat.metadata_id, ""): _value(stat, keys) for stat in event.stats}
                end = start + event.duration_ps
                yield Event((number, thread), device, names.get(kind, ""), start, end, stats)


def _gpu_of(plane: str) -> int:
    """The number of the GPU in a plane's name, such as `/device:GPU:0`."""
    kind, _, number = plane.rpartition(":")
    return int(number) if kind == "/device:GPU" and number.isdigit() else UNKNOWN


class Launches:
    """Finds the run of a program in which a kernel was launched.

    XLA numbers the scopes of a launch, later ones higher: an instruction is within the one that
    runs it, and the outermost scope is one run of the program on one device (`scope_range_id`, and
    `ScopeRangeCallStack` in `xplane_schema.cc`). The first runs on all devices are one run, and so
    on.
    """

    def __init__(self, profile: Any, instructions: Iterable[Event]) -> None:
        self._around: dict[int, int] = {}
        for plane in profile.planes:
            if plane.name == "/host:__ScopeRangeCallStack__":
                others = {key for key, one in plane.stat_metadata.items() if one.name}
                self._around |= {
                    stat.metadata_id: stat.int64_value
                    for stat in plane.stats
                    if stat.metadata_id not in others
                }
        found: dict[tuple[int, Any], set[int]] = defaultdict(set)
        for one in instructions:
            if _SCOPE in one.stats:
                found[self._program(one)].add(self._outermost(one))
        self._runs = {key: sorted(scopes) for key, scopes in found.items()}

    def run_of(self, event: Event) -> int | None:
        """The number of the run; None if not reported, as for instructions on a CPU."""
        if _SCOPE not in event.stats:
            return None
        return bisect_left(self._runs[self._program(event)], self._outermost(event))

    def _program(self, event: Event) -> tuple[int, Any]:
        return event.device, event.stats.get("program_id")

    def _outermost(self, event: Event) -> int:
        scope: int = event.stats[_SCOPE]
        while scope in self._around:
            scope = self._around[scope]
        return scope


_SCOPE = "scope_range_id"


def _is_read(name: str, event: Any, keys: dict[int, str]) -> bool:
    stats = {keys.get(stat.metadata_id, "") for stat in event.stats}
    return "hlo_op" in stats or name.startswith("end: ") or name in MOVES


def _value(stat: Any, keys: dict[int, str]) -> Any:
    """The value of a stat. A shared text is given by its number."""
    kind = stat.WhichOneof("value")
    if kind == "ref_value":
        return keys.get(stat.ref_value, "")
    return getattr(stat, kind) if kind else None
