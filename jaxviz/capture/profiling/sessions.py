"""Profiles single runs of a compiled program with JAX's profiler, and reads which instruction ran
when."""

from __future__ import annotations

import tempfile
import time
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
        intervals = _intervals(written.read_bytes(), module)
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


def _intervals(serialized: bytes, module: str) -> Iterator[Interval]:
    """The instructions in an `XSpace`. One that goes on in another thread ends where the event
    begins there that says so."""
    begun: list[tuple[Interval, Any]] = []
    ends: dict[Any, int] = {}
    for plane in profile_of(serialized).planes:
        for name, start, duration, stats in _events(plane):
            if stats.get("hlo_module") == module and "hlo_op" in stats:
                device = stats.get("device_ordinal", _UNKNOWN)
                interval = Interval(device, stats["hlo_op"], start, start + duration)
                begun.append((interval, stats.get("_p")))
            elif name.startswith("end: "):
                flow = stats.get("_c")
                ends[flow] = max(ends.get(flow, 0), start)
    for interval, flow in begun:
        yield interval._replace(end=max(interval.end, ends.get(flow, 0)))


def _events(plane: Any) -> Iterator[tuple[str, int, int, dict[str, Any]]]:
    """The events of a plane: name, begin and length in picoseconds, and their stats."""
    names = {number: one.name for number, one in plane.event_metadata.items()}
    keys = {number: one.name for number, one in plane.stat_metadata.items()}
    for line in plane.lines:
        for event in line.events:
            stats = {keys.get(stat.metadata_id, ""): _value(stat, keys) for stat in event.stats}
            start = 1000 * line.timestamp_ns + event.offset_ps
            yield names.get(event.metadata_id, ""), start, event.duration_ps, stats


def _value(stat: Any, keys: dict[int, str]) -> Any:
    """The value of a stat; a text that is written once for all is told by its number."""
    kind = stat.WhichOneof("value")
    if kind == "ref_value":
        return keys.get(stat.ref_value, "")
    return getattr(stat, kind) if kind else None
