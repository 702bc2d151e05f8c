"""Profiles single runs of a compiled program with JAX's profiler, and reads which instruction ran
when."""

from __future__ import annotations

import tempfile
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxviz.capture.errors import CaptureError
from jaxviz.capture.hlo.shapes import profile_of

LONGEST, MOST_INTERVALS = 10.0, 200_000
"""After so many seconds, or instructions, there are no more runs."""
_UNKNOWN = -1
_HOST_LEVEL = 3
"""At which a CPU tells of its instructions: up to JAX 0.6.2 at 3, later at 2 too."""


class Interval(NamedTuple):
    """An instruction that ran, from its begin to its end in picoseconds of the profiler's clock."""

    device: int
    name: str
    start: int
    end: int


class Run(NamedTuple):
    """One run of a program."""

    wall: float
    """Seconds from the call until its results were there."""
    intervals: list[Interval]


def profiled_runs(run: Callable[[], Any], module: str, devices: list[int], most: int) -> list[Run]:
    """So many runs, or fewer that took long, but at least two, with what is told of the
    instructions of the HLO module of that name, which runs on these devices.

    Raises `CaptureError` where something else profiles this process, and where it is not told which
    of several devices ran what, as up to JAX 0.6.2."""
    runs: list[Run] = []
    began, intervals = time.perf_counter(), 0
    while len(runs) < most:
        runs.append(_profiled(run, module, devices))
        intervals += len(runs[-1].intervals)
        enough = time.perf_counter() - began > LONGEST or intervals > MOST_INTERVALS
        if enough and len(runs) > 1:
            break
    return runs


def _profiled(run: Callable[[], Any], module: str, devices: list[int]) -> Run:
    with tempfile.TemporaryDirectory(prefix="jaxviz-") as folder:
        with _session(folder):
            start = time.perf_counter()
            jax.block_until_ready(run())
            wall = time.perf_counter() - start
        [written] = Path(folder).rglob("*.xplane.pb")
        intervals = intervals_in(written.read_bytes(), module)
    return Run(wall, [*_on_devices(intervals, devices)])


@contextmanager
def _session(folder: str) -> Iterator[None]:
    """Profiles what runs meanwhile. The file has names and times, and neither values nor programs:
    it is read from a folder that nobody else may open, since JAX gives it in no other way."""
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = _HOST_LEVEL
    options.enable_hlo_proto = False
    try:
        jax.profiler.start_trace(folder, profiler_options=options)
    except Exception as error:
        raise CaptureError(
            "something else profiles this process, and JAX lets only one at a time: end that "
            f"profile first. JAX says: {error}"
        ) from None
    try:
        yield
    finally:
        jax.profiler.stop_trace()


def _on_devices(intervals: Iterator[Interval], devices: list[int]) -> Iterator[Interval]:
    for interval in intervals:
        if interval.device == _UNKNOWN and len(devices) != 1:
            raise CaptureError(
                "the profiler of this version of JAX does not tell what ran on which of its "
                f"{len(devices)} devices: a newer one does."
            )
        yield interval._replace(device=devices[0]) if interval.device == _UNKNOWN else interval


class _Event(NamedTuple):
    """What the profiler tells of something that happened, with times in picoseconds."""

    thread: tuple[int, int]
    name: str
    start: int
    end: int
    stats: dict[str, Any]


def intervals_in(serialized: bytes, module: str) -> Iterator[Interval]:
    """The instructions in an `XSpace`.

    One that other threads go on with has an event `end:` of the same flow, in the thread that ended
    it. That thread first runs what follows, so the instruction ended where the first of that began.
    """
    events = [*_events(profile_of(serialized))]
    begun = [one for one in events if one.stats.get("hlo_module") == module]
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
        device = one.stats.get("device_ordinal", _UNKNOWN)
        yield Interval(device, one.stats.get("hlo_op", one.name), one.start, end)


def _events(profile: Any) -> Iterator[_Event]:
    for number, plane in enumerate(profile.planes):
        names = {key: one.name for key, one in plane.event_metadata.items()}
        keys = {key: one.name for key, one in plane.stat_metadata.items()}
        for thread, line in enumerate(plane.lines):
            for event in line.events:
                name = names.get(event.metadata_id, "")
                start = 1000 * line.timestamp_ns + event.offset_ps
                stats = {keys.get(stat.metadata_id, ""): _value(stat, keys) for stat in event.stats}
                yield _Event((number, thread), name, start, start + event.duration_ps, stats)


def _value(stat: Any, keys: dict[int, str]) -> Any:
    """The value of a stat; a text that is written once for all is told by its number."""
    kind = stat.WhichOneof("value")
    if kind == "ref_value":
        return keys.get(stat.ref_value, "")
    return getattr(stat, kind) if kind else None
