"""The parts of a profiled cell's time, and the times of its programs by your lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.capture import CaptureError, capture
from jaxviz.display.bundle import shown
from jaxviz.display.outputs import LogAnswers
from jaxviz.display.page_requests import Question
from jaxviz.program import Program
from jaxviz.safety.background import Job, start_job
from jaxviz.schema import CellTimes, PythonLoop, RanProgram
from jaxviz.sentences import sentence, sentence_of
from jaxviz.session import Log
from jaxviz.session.log_text import calls_text, cell_times_text
from jaxviz.session.over_time import UnionOfIntervals
from jaxviz.tools.profile.capture import measured_peak
from jaxviz.tools.profile.capture.cell_runs import RanProgram as Ran
from jaxviz.tools.profile.capture.cell_runs import (
    has_executable,
    instructions_of,
    is_clone,
    is_hidden,
    measured_in_cell,
)
from jaxviz.tools.profile.capture.cell_session import CellSession, ProfiledCell
from jaxviz.tools.profile.report import AskedPeak, Profile, checked_peak, profiled

GONE = (
    "it is not known which call this program is of: its function was called once alone, or is "
    "gone. Give its program: log.profile.of({0!r}, jaxviz.inspect(f)(x))."
)
SEVERAL = (
    "several calls of {0} have instructions of the names that ran, and this program "
    "may be of any of them. Give its program: log.profile.of({1}, jaxviz.inspect(f)(x))."
)
HIDDEN = (
    "XLA launched this program in command buffers, in which the profiler reports no instruction. "
    "jaxviz.profile(f)(x) compiles it without them."
)
NOT_THIS = "{} is not the program that ran: its instructions are others."


def begin(log: Log, peak: AskedPeak = None) -> CellSession | None:
    """Begin the profile; `peak` is as in `jaxviz.profile`. If that fails, the log has a sentence on
    it."""
    try:
        return CellSession(lambda: log.running, peak)
    except CaptureError as error:
        log.note(sentence("not profiled", reason=sentence_of(error)))
    except Exception as error:
        log.note(sentence("profile not begun", error=type(error).__name__))
    return None


@contextmanager
def ended(log: Log, session: CellSession | None) -> Iterator[None]:
    """End the profile, if there is one; the log is closed within this context."""
    if session is not None:
        session.stop()
    try:
        yield
    finally:
        if session is not None:
            try:
                cell = session.profile()
                log.profiled(cell, partial(cell_times, cell))
            except CaptureError as error:
                log.note(sentence("not profiled", reason=sentence_of(error)))
            except Exception as error:
                log.note(sentence("profile not read", error=type(error).__name__))


def profile_of(log: Log) -> CellProfile | None:
    """Give the result of a log's profile; None if there was none in this process."""
    times = None if log.cell is None else log.record().profile
    return CellProfile(log.cell, times) if log.cell and times else None


def _measured(traces: LogAnswers, number: int) -> Job[schema.Display]:
    """The job that compiles the numbered clone of a program that ran, and reports the times of its
    lines."""
    found = profile_of(traces.log) if traces.log else None
    if found is None:
        raise ValueError("what was profiled is gone: run the cell again.")
    return start_job(lambda: found.displayed(number), "compiling")


QUESTIONS = {"measured": Question(int, _measured, LogAnswers)}
"""The question of a page: `{measured: 8}` for the lines of the program of that number, which ran
while the log was profiled."""


class CellProfile:
    """The result of JAX's profiler for a cell, or for the block of a `watch`. Nothing runs for it.

    `print` gives the parts of its time, and the programs that ran.

    Attributes
    ----------
    times : CellTimes
        The parts of its time, in seconds: `running`, `making` (tracing, lowering, compiling),
        `moving` (arrays), `rest` (Python and waiting); and `programs`.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> @jax.jit
    ... def step(x):
    ...     return jnp.tanh(x @ x)
    >>> with jaxviz.watch(profile=True) as log:
    ...     for _ in range(5):
    ...         x = jax.block_until_ready(step(jnp.ones((300, 300))))
    >>> sorted(log.profile.of("step").lines[0].ops)
    ['dot_general', 'tanh']
    """

    def __init__(self, cell: ProfiledCell, times: schema.CellTimes) -> None:
        self._cell = cell
        self.times = times

    def of(
        self, program: str | int, linked: Program | None = None, *, peak: AskedPeak = None
    ) -> Profile:
        """Give the times of one of the programs, by instruction and by line.

        It is compiled once more for this, with its eqns numbered. Its instructions then have the
        same names, which link to the eqns. Your Python does not run again.

        Parameters
        ----------
        program : str or int
            Its name in `times.programs`, for several the longest; or its `number`.
        linked : Program, optional
            The program as `jaxviz.inspect` captures it. By default it is found by the calls that
            the profiler observed.
        peak : (float, float) or "measured", optional
            As in `jaxviz.profile`.

        Raises
        ------
        ValueError
            If no such program ran, if its call is unknown, if `linked` is another program, and
            if XLA launched all of it in command buffers of a GPU, which hide instructions.
        """
        most = checked_peak(self._cell.peak if peak is None else peak)
        ran = self._ran(program)
        if is_hidden(ran):
            raise ValueError(HIDDEN)
        found = self._found(ran) if linked is None else linked
        if linked is not None and not _fits(linked, ran):
            raise ValueError(NOT_THIS.format(linked.name))
        in_cell = measured_in_cell(ran, found.stage("hlo"), found.stage("jaxpr"))
        most = measured_peak() if most == "measured" else most
        return profiled(found, in_cell._replace(all=replace(in_cell.all, peak=most)))

    def _found(self, ran: Ran) -> Program:
        """Give the program that ran. Raises ValueError if it is unknown."""
        name = ran.module.removeprefix("jit_")
        fitting = (one for one in self._candidates(ran) if _fits(one, ran))
        found = next(fitting, None)
        if found is None:
            raise ValueError(GONE.format(name))
        if not has_executable(ran):
            instructions = instructions_of(found.stage("hlo"))
            if any(instructions_of(other.stage("hlo")) != instructions for other in fitting):
                raise ValueError(SEVERAL.format(name, ran.number))
        return found

    def _ran(self, program: str | int) -> Ran:
        for one in self.times.programs:
            if program in (one.number, one.name):
                return next(ran for ran in self._cell.events.programs if ran.number == one.number)
        names = ", ".join(dict.fromkeys(one.name for one in self.times.programs)) or "none"
        raise ValueError(f"no program {program!r} ran while this was profiled, but {names}.")

    def _candidates(self, ran: Ran) -> Iterator[Program]:
        for called in self._cell.functions:
            if called.module.rstrip("_") != ran.module.rstrip("_"):
                continue
            for fun, args, kwargs in called.noted():
                try:
                    yield Program(*capture(fun, args, kwargs))
                except CaptureError:
                    continue

    def displayed(self, number: int) -> schema.Display:
        """Give the display of the program with that number."""
        found = self.of(number)
        return shown(found.program.record, found._in_output())

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each program that ran, for `pandas.DataFrame`. Times are in seconds."""
        return [
            {**msgspec.structs.asdict(one), "measured": calls_text(one)}
            for one in self.times.programs
        ]

    def __str__(self) -> str:
        return "\n".join(cell_times_text(self.times))

    __repr__ = __str__


def _fits(program: Program, ran: Ran) -> bool:
    hlo = program.stage("hlo")
    return hlo.error is None and is_clone(hlo, ran)


MOST_PROGRAMS, MOST_SPANS = 100, 200
"""The most programs of a record, and the most stretches of time of each."""
Spans = list[tuple[float, float]]


def cell_times(cell: ProfiledCell, making: Iterable[tuple[float, float]]) -> CellTimes:
    """The record of a profiled cell. `making` has the times in which JAX traced, lowered or
    compiled, in seconds since 1970."""
    runs = {
        ran.number: [(run.start / 1e12, run.end / 1e12) for run in ran.runs]
        for ran in cell.events.programs
    }
    all_runs = sorted(span for spans in runs.values() for span in spans)
    made = [(start - cell.start, end - cell.start) for start, end in making]
    running, compiling, moving = _parts([all_runs, made, cell.events.moves], cell.seconds)
    spent = running + compiling + moving
    programs = [_program(cell, ran, runs[ran.number]) for ran in cell.events.programs]
    programs.sort(key=lambda one: -one.seconds)
    last = max((end for _, end in all_runs), default=cell.seconds)
    return CellTimes(
        start=cell.start,
        seconds=cell.seconds,
        ended=cell.ended,
        running=running,
        making=compiling,
        moving=moving,
        rest=max(0.0, cell.seconds - spent),
        before=min(all_runs[0][0] if all_runs else cell.seconds, cell.seconds),
        after=max(0.0, cell.seconds - last),
        programs=programs[:MOST_PROGRAMS],
        loops=(*_loops(cell, all_runs, made),),
    )


LEAST_OF_LOOP = 0.01
"""The shortest time of a Python loop that is reported, in seconds."""
MOST_OF_XLA = 0.5
"""The largest part of its time in which XLA runs, or JAX traces and compiles."""


def _loops(cell: ProfiledCell, runs: Spans, made: Spans) -> Iterator[PythonLoop]:
    """The Python loops whose time is mostly that of Python."""
    for loop in cell.loops:
        spans = [(start - cell.start, end - cell.start) for start, end in loop.spans]
        seconds, running = sum(end - start for start, end in spans), _overlap(spans, runs)
        most = MOST_OF_XLA * seconds
        if seconds >= LEAST_OF_LOOP and max(running, _overlap(spans, made)) <= most:
            yield PythonLoop(
                site=loop.site,
                programs=loop.programs,
                seconds=seconds,
                running=running,
                spans=[moment + cell.start for span in _few(spans) for moment in span],
            )


def _overlap(spans: Spans, others: Spans) -> float:
    """The time that is in both."""
    union = [UnionOfIntervals() for _ in range(3)]
    for one, parts in zip(union, (spans, others, [*spans, *others]), strict=True):
        for start, end in sorted(parts):
            one.add(start, end)
    return max(0.0, union[0].length + union[1].length - union[2].length)


def _parts(kinds: list[Spans], until: float) -> list[float]:
    """The time of each kind up to that moment. Time of several kinds counts for the first."""
    union, found = UnionOfIntervals(), list[float]()
    for spans in kinds:
        before = union.length
        for start, end in spans:
            union.add(max(start, 0.0), min(end, until))
        found.append(union.length - before)
    return found


def _program(cell: ProfiledCell, ran: Ran, spans: Spans) -> RanProgram:
    name = ran.module.removeprefix("jit_")
    called = [one for one in cell.functions if one.module.rstrip("_") == ran.module.rstrip("_")]
    before, calls = sum(one.calls_before for one in called), sum(one.calls for one in called)
    # The profiler may have lost some calls that came while it was on.
    profiled = sum(len(one.runs) for one in cell.events.programs if one.module == ran.module)
    seconds = [end - start for start, end in spans]
    all_calls = max(profiled, before) + calls - before
    return RanProgram(
        number=ran.number,
        name="<lambda>" if name.strip("_") == "lambda" else name,
        calls=len(spans),
        of=all_calls if cell.ended and called and all_calls > len(spans) else None,
        seconds=sum(seconds),
        best=min(seconds),
        median=median(seconds),
        spans=[moment + cell.start for span in _few(spans) for moment in span],
        known=bool(called),
    )


def _few(spans: Spans) -> Spans:
    """The spans. If there are too many, those with the shortest gaps are joined."""
    spans = sorted(spans)
    gaps = sorted((later[0] - earlier[1] for earlier, later in pairwise(spans)), reverse=True)
    least = gaps[MOST_SPANS - 1] if len(gaps) >= MOST_SPANS else 0.0
    found: Spans = []
    for start, end in spans:
        if found and (start <= found[-1][1] or (least > 0 and start - found[-1][1] <= least)):
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
