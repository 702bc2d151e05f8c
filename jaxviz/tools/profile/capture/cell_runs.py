"""The programs that ran in a profiled cell: their runs, and the eqns of their instructions.

The numbered clone of a program has the same instructions under the same names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import jax

from jaxviz.capture.artifacts.jax_objects import NO_TOKEN
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.stages._modules import live_modules
from jaxviz.capture.stages.hlo import stage_of
from jaxviz.capture.stages.hlo.messages import module_of, profile_of
from jaxviz.schema import Stage, empty
from jaxviz.tools.profile.capture.instruction_times import Measured, measurements
from jaxviz.tools.profile.capture.profiler_events import (
    COMMAND_BUFFER,
    MOVES,
    UNKNOWN,
    Event,
    Interval,
    Launches,
    all_ended,
    ends_in,
    events_in,
    intervals_of,
    start_of,
)
from jaxviz.tools.profile.capture.sessions import Run
from jaxviz.tools.profile.capture.shares import Shares

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
    stored = whole if any(whole) else [True] * len(found)
    runs = [
        ProgramRun(
            min(one.interval.start for one in run),
            max(one.interval.end for one in run),
            [one.interval for one in run] if is_stored and at < MOST_RUNS else [],
        )
        for at, (run, is_stored) in enumerate(zip(found, stored, strict=True))
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


def instructions_of(hlo: Stage) -> dict[str, str]:
    """The type of each instruction by its name."""
    return {
        graph.vars[one].name: hlo.avals[graph.vars[one].aval].text
        for graph in hlo.graphs
        for eqn in graph.eqns
        for one in eqn.outvars
    }


def is_hidden(ran: RanProgram) -> bool:
    """True if XLA launched it whole as command buffers, so that the profile has no instruction of
    it."""
    names = {one.name for run in ran.runs for one in run.intervals}
    return bool(names) and not _instructions(names)


def is_clone(hlo: Stage, ran: RanProgram) -> bool:
    """True if a numbered clone has the instructions that ran, by name. If the executable is known,
    all others have to be equal, too."""
    instructions = instructions_of(hlo)
    names = _instructions(one.name for run in ran.runs for one in run.intervals)
    if not names <= {name.lstrip("%") for name in instructions}:
        return False
    own = _executable(ran.number)
    if own is None:
        return bool(names)
    executed = stage_of(own, "", empty(Stage, kind="jaxpr"), NO_TOKEN, [])
    return instructions_of(executed) == instructions


def has_executable(ran: RanProgram) -> bool:
    """True if the executable of that number still exists. A GPU's profiler does not report the
    number: then two programs may fit."""
    return _executable(ran.number) is not None


def _instructions(names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith(COMMAND_BUFFER)}


def _executable(number: int) -> bytes | None:
    """The serialized module of that number, if its executable still exists."""
    return next((one for one in live_modules() if module_of(one).id == number), None)


def measured_in_cell(ran: RanProgram, hlo: Stage, jaxpr: Stage) -> Measured:
    """The times of a cell's runs, by the numbered clone of their program. Raises `CaptureError` if
    the device of an instruction is not reported and there are several, as up to JAX 0.6.2."""
    runs = [Run((run.end - run.start) / 1e12, run.intervals) for run in ran.runs if run.intervals]
    devices = {one.device for run in runs for one in run.intervals}
    if UNKNOWN in devices and jax.local_device_count() > 1:
        raise CaptureError(
            "the profiler of this version of JAX does not report what ran on which device: a newer "
            "one does."
        )
    found = measurements(runs, (run.wall for run in runs), Shares(hlo, jaxpr))
    hidden = any(row.name.startswith(COMMAND_BUFFER) for row in found.rows)
    return Measured(found, hlo, in_cell=True, buffers="hide" if hidden else "")
