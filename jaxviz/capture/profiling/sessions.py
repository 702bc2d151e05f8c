"""Profiles single runs of a compiled program with JAX's profiler."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.profiling.profiler_events import (
    UNKNOWN,
    Interval,
    all_ended,
    ends_in,
    events_in,
    instructions_in,
    intervals_of,
)
from jaxviz.capture.stages.hlo.shapes import profile_of

LONGEST, MOST_INTERVALS = 10.0, 200_000
"""After so many seconds, or instructions, there are no more runs."""
_HOST_LEVEL = 3
"""At which a CPU tells of its instructions: up to JAX 0.6.2 at 3, later at 2 too."""


ENDS_ARE_TOLD = 0.002
"""So many seconds after a run the profiler has heard from all threads: its results may be there
before a thread says what it ended."""


class Run(NamedTuple):
    """One run of a program under the profiler."""

    wall: float
    """Seconds from the call until its results were there."""
    intervals: list[Interval]
    is_whole: bool = True
    """Whether the profiler told of all instructions when they ended."""


def profiled_runs(run: Callable[[], Any], module: str, devices: list[int], most: int) -> list[Run]:
    """So many runs, or fewer that took long, but at least two, with what is told of the
    instructions of the HLO module of that name, which runs on these devices. One that is
    not told as a whole is left out.

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
    whole = [run for run in runs if run.is_whole]
    return whole if len(whole) > 1 else runs


def timed_runs(run: Callable[[], Any], most: int) -> list[float]:
    """The seconds from call to result of so many runs without the profiler, or of fewer that took
    long, but at least two. One after another: each is slower after a profiled one."""
    taken: list[float] = []
    while len(taken) < most and (len(taken) < 2 or sum(taken) < LONGEST):
        taken.append(_seconds(run))
    return taken


def _profiled(run: Callable[[], Any], module: str, devices: list[int]) -> Run:
    with tempfile.TemporaryDirectory(prefix="jaxviz-") as folder:
        with _session(folder):
            wall = _seconds(run)
            time.sleep(ENDS_ARE_TOLD)
        events = [*events_in(profile_of(written_in(folder)))]
    begun = instructions_in(events, module)
    intervals = _on_devices(intervals_of(events, begun), devices)
    return Run(wall, [*intervals], all_ended(begun, ends_in(events)))


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(run())
    return time.perf_counter() - start


@contextmanager
def _session(folder: str) -> Iterator[None]:
    """Profiles what runs meanwhile, as `begin_session` does."""
    begin_session(folder)
    try:
        yield
    finally:
        jax.profiler.stop_trace()


def begin_session(folder: str) -> None:
    """Profiles what runs until `jax.profiler.stop_trace`. The file has names and times, and neither
    values nor programs: it is read from a folder that nobody else may open, since JAX gives it in
    no other way.

    Raises `CaptureError` where something else profiles this process."""
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


def written_in(folder: str) -> bytes:
    """The `XSpace` that JAX wrote into a folder."""
    [written] = Path(folder).rglob("*.xplane.pb")
    return written.read_bytes()


def _on_devices(intervals: Iterator[Interval], devices: list[int]) -> Iterator[Interval]:
    for interval in intervals:
        if interval.device == UNKNOWN and len(devices) != 1:
            raise CaptureError(
                "the profiler of this version of JAX does not tell what ran on which of its "
                f"{len(devices)} devices: a newer one does."
            )
        yield interval._replace(device=devices[0]) if interval.device == UNKNOWN else interval
