"""Reads the runs of programs and the moves of arrays from the profile of a cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxviz.capture.stages.hlo.shapes import profile_of
from jaxviz.tools.profile.capture.profiler_events import (
    MOVES,
    Event,
    Interval,
    Launches,
    all_ended,
    ends_in,
    events_in,
    intervals_of,
    start_of,
)

MOST_RUNS = 50
"""The most runs of a program, the first ones, whose instruction times are stored."""


class ProgramRun(NamedTuple):
    """One run of a compiled program, in picoseconds of the profiler's clock."""

    start: int
    end: int
    intervals: list[Interval]
    """Its instructions; empty for a run after `MOST_RUNS` others, or one that had not ended when
    the profiler did."""


class RanProgram(NamedTuple):
    """A compiled program that ran."""

    number: int
    """The `id` of its `HloModuleProto`."""
    module: str
    """XLA's name of it: `jit_step`."""
    runs: list[ProgramRun]


class CellEvents(NamedTuple):
    """The profiled events of a cell."""

    programs: list[RanProgram]
    """The programs in the order of their first runs."""
    moves: list[tuple[float, float]]
    """The times of moves of arrays, in seconds since the profiler began."""
    until: float | None
    """The seconds after which there were too many events to read; None if all were read."""


def events_of_cell(serialized: bytes, most: int) -> CellEvents:
    """The first `most` events of an `XSpace`."""
    profile = profile_of(serialized)
    until = _start_of_the(most, profile)
    events = [*events_in(profile, until)]
    moves = [(one.start / 1e12, one.end / 1e12) for one in events if one.name in MOVES]
    instructions = [one for one in events if isinstance(one.stats.get("program_id"), int)]
    launches = Launches(profile, instructions)
    by_program: dict[int, list[_Ran]] = defaultdict(list)
    for one, interval in zip(instructions, intervals_of(events, instructions), strict=True):
        run = one.stats.get("run_id", launches.run_of(one))
        by_program[one.stats["program_id"]].append(_Ran(one, interval, run))
    ended = ends_in(events)
    programs = [_program(number, ran, ended) for number, ran in by_program.items()]
    programs.sort(key=lambda program: program.runs[0].start)
    return CellEvents(programs, moves, None if until is None else until / 1e12)


class _Ran(NamedTuple):
    """An instruction that ran."""

    event: Event
    interval: Interval
    run: int | None
    """The number of the program's run; None if not reported, as up to JAX 0.6.2."""


def _program(number: int, ran: list[_Ran], ended: set[Any]) -> RanProgram:
    ran.sort(key=lambda one: one.event.start)
    found = _by_run(ran)
    whole = [all_ended((one.event for one in run), ended) for run in found]
    kept = whole if any(whole) else [True] * len(found)
    runs = [
        ProgramRun(
            min(one.interval.start for one in run),
            max(one.interval.end for one in run),
            [one.interval for one in run] if is_kept and at < MOST_RUNS else [],
        )
        for at, (run, is_kept) in enumerate(zip(found, kept, strict=True))
    ]
    return RanProgram(number, str(ran[0].event.stats.get("hlo_module", "")), runs)


def _by_run(ran: Sequence[_Ran]) -> list[list[_Ran]]:
    """The instructions of each run. If runs have no numbers, a run begins with the instruction that
    ran first."""
    runs: dict[int, list[_Ran]] = defaultdict(list)
    begun = 0
    for one in ran:
        begun += one.interval.name == ran[0].interval.name
        runs[begun if one.run is None else one.run].append(one)
    return [*runs.values()]


def _start_of_the(most: int, profile: Any) -> int | None:
    """The time in picoseconds at which the event after the first `most` began; None if there are no
    more."""
    lines = [line for plane in profile.planes for line in plane.lines]
    if sum(len(line.events) for line in lines) <= most:
        return None
    return sorted(start_of(line, event) for line in lines for event in line.events)[most]
