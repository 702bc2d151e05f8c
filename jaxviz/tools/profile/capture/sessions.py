"""Profiles single runs of a compiled program with JAX's profiler."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jax

from jaxviz.capture import _profiler
from jaxviz.capture.changes import changed, heal
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.hlo.messages import profile_of
from jaxviz.safety.files import NotWritableError, check_room, own_folder
from jaxviz.tools.profile.capture.profiler_events import (
    UNKNOWN,
    Interval,
    all_ended,
    ends_in,
    events_in,
    instructions_in,
    intervals_of,
)

LONGEST, MOST_INTERVALS = 10.0, 200_000
"""The seconds, and the number of instructions, after which no further run begins."""
_HOST_LEVEL = 3
"""The host level at which a CPU reports its instructions: 3 up to JAX 0.6.2, later also 2."""


ENDS_ARE_REPORTED = 0.002
"""The seconds after a run until the profiler has received the ends from all threads. Results may be
available before a thread reports them."""


class Run(NamedTuple):
    """One run of a program under the profiler."""

    wall: float
    """Seconds from the call until its results were available."""
    intervals: list[Interval]
    is_whole: bool = True
    """True if the profiler reported the end of every instruction."""


def profiled_runs(run: Callable[[], Any], module: str, devices: list[int], most: int) -> list[Run]:
    """At most `most` runs, or fewer if they take long, but at least two. They have the instructions
    of the HLO module of that name, which runs on these devices. A run without all instruction ends
    is left out.

    Raises `CaptureError` as `begin_session` and `end_session` do, and if the device of an
    instruction is not reported and there are several, as up to JAX 0.6.2.
    """
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
    """The seconds from call to result of at most `most` runs without the profiler, or of fewer that
    take long, but at least two. They are consecutive, because a run after a profiled one is
    slower."""
    times: list[float] = []
    while len(times) < most and (len(times) < 2 or sum(times) < LONGEST):
        times.append(_seconds(run))
    return times


def _profiled(run: Callable[[], Any], module: str, devices: list[int]) -> Run:
    with session_folder() as folder:
        with changed(lambda: begin_session(folder), lambda: _profiler.drop(folder)):
            wall = _seconds(run)
            time.sleep(ENDS_ARE_REPORTED)
            end_session(folder)
        events = [*events_in(profile_of(written_in(folder)))]
    begun = instructions_in(events, module)
    intervals = _on_devices(intervals_of(events, begun), devices)
    return Run(wall, [*intervals], all_ended(begun, ends_in(events)))


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(run())
    return time.perf_counter() - start


BUSY = (
    "something else profiles this process, and only one profile can run at a time: end that one "
    "first, with jax.profiler.stop_trace() if JAX runs it."
)
NOT_BEGUN = (
    "JAX could not begin a profile ({}): if one still runs, end it with jax.profiler.stop_trace()."
)
NOT_WRITTEN = "JAX could not write the profile ({})."
NOTHING_WRITTEN = "JAX wrote no profile: something else ended it."
STILL_RUNS = (
    " JAX may count this profile as running: call jax.profiler.stop_trace() once there is room, or "
    "restart the kernel."
)


def session_folder() -> TemporaryDirectory[str]:
    """A folder for one profile. Raises `CaptureError` if there is no room for it."""
    try:
        return own_folder()
    except NotWritableError as error:
        raise CaptureError(str(error)) from None


def begin_session(folder: str) -> None:
    """Profiles until `end_session`. The file has names and times, and neither values nor programs.
    It is in a private folder, since JAX returns it in no other way.

    Raises `CaptureError` if something else profiles this process, or JAX refuses. After any
    exception, no profile of ours runs.
    """
    heal()
    if _profiler.runs():
        raise CaptureError(BUSY)
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = _HOST_LEVEL
    options.enable_hlo_proto = False
    try:
        jax.profiler.start_trace(folder, profiler_options=options)
    except BaseException as error:
        _profiler.drop(folder)
        if not isinstance(error, Exception):
            raise
        raise CaptureError(NOT_BEGUN.format(_first_line(error))) from None


def end_session(folder: str) -> None:
    """Makes JAX write our profile into its folder. Does nothing if something else ended it.

    Raises `CaptureError` if JAX could not write it. After any exception our profile has ended,
    unless JAX refuses that too: then the sentence says what to do.
    """
    failed: Exception | None = None
    try:
        if _profiler.runs_in(folder) or not _profiler.is_readable():
            jax.profiler.stop_trace()
    except Exception as error:
        failed = error
    finally:
        _profiler.drop(folder)
    if failed is not None:
        may_run = _profiler.runs_in(folder) or not _profiler.is_readable()
        raise CaptureError(_reason(failed, folder) + STILL_RUNS * may_run)


def _reason(error: Exception, folder: str) -> str:
    if _ANOTHER in str(error):
        return BUSY
    try:
        check_room(folder)
    except NotWritableError as refused:
        return str(refused)
    return NOT_WRITTEN.format(_first_line(error))


_ANOTHER = "Another profiling session active"
"""XLA's reason if a profiler server, or another library, profiles (seen on 0.6.2 to 0.12.0)."""


def _first_line(error: Exception) -> str:
    return name(str(error).partition("\n")[0]).rstrip(".")


def written_in(folder: str) -> bytes:
    """The `XSpace` that JAX wrote into a folder. Raises `CaptureError` if there is none."""
    written = [*Path(folder).rglob("*.xplane.pb")]
    if len(written) != 1:
        raise CaptureError(NOTHING_WRITTEN)
    return written[0].read_bytes()


def _on_devices(intervals: Iterator[Interval], devices: list[int]) -> Iterator[Interval]:
    for interval in intervals:
        if interval.device == UNKNOWN and len(devices) != 1:
            raise CaptureError(
                "the profiler of this version of JAX does not report what ran on which of its "
                f"{len(devices)} devices: a newer one does."
            )
        yield interval._replace(device=devices[0]) if interval.device == UNKNOWN else interval
