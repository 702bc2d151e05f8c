"""Where the time of a profiled cell went: running, compiling, moving arrays, and the rest."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from jaxviz.amounts import count_text, seconds_text
from jaxviz.capture.profiling.cell_runs import RanProgram as Ran
from jaxviz.capture.profiling.cell_session import ProfiledCell
from jaxviz.schema import CellTimes, RanProgram
from jaxviz.session.over_time import UnionOfIntervals

MOST_PROGRAMS, MOST_SPANS, PROGRAM_LINES = 100, 200, 8
"""Programs that a record has, stretches of time that each has, and programs that get a line."""
Spans = list[tuple[float, float]]


def cell_times(cell: ProfiledCell, making: Iterable[tuple[float, float]]) -> CellTimes:
    """The record of a profiled cell. `making` is when JAX traced, lowered or compiled, in seconds
    since 1970."""
    runs = {ran.number: _seconds_of(ran) for ran in cell.events.programs}
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
    )


def _seconds_of(ran: Ran) -> Spans:
    return [(run.start / 1e12, run.end / 1e12) for run in ran.runs]


def _parts(kinds: list[Spans], until: float) -> list[float]:
    """What each kind takes up to that moment; what is of several kinds counts for the first."""
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
    # The profiler may have lost some of those that came while it was on.
    told = sum(len(one.runs) for one in cell.events.programs if one.module == ran.module)
    seconds = [end - start for start, end in spans]
    all_calls = max(told, before) + calls - before
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
    """The spans, of too many those put together between which the shortest gaps lie."""
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


_ENDED = {
    "time": "after 10 s",
    "events": "after 200,000 events",
    "memory": "after 200 MB of memory",
}


def cell_times_text(told: CellTimes) -> list[str]:
    """It as text, a line for the whole and one for each of the longest programs."""
    ended = f", then the profiler ended {_ENDED[told.ended]}" if told.ended else ""
    lines = [f"Profiled for {seconds_text(told.seconds)}{ended}:", f"  {_parts_text(told)}"]
    lines += [f"  {_line(one)}" for one in told.programs[:PROGRAM_LINES]]
    more = len(told.programs) - PROGRAM_LINES
    return lines + [f"  … {more} programs more"] * (more > 0)


def _parts_text(told: CellTimes) -> str:
    """What took time: of what is not the first, while nothing before it did."""
    parts = {
        "programs ran": told.running,
        "JAX traced and compiled": told.making,
        "arrays moved": told.moving,
        "Python and waiting": told.rest,
    }
    return ", else ".join(f"{seconds_text(took)} {what}" for what, took in parts.items() if took)


def _line(one: RanProgram) -> str:
    calls = calls_text(one)
    times = f"best {seconds_text(one.best)}, median {seconds_text(one.median)}"
    return f"{seconds_text(one.seconds)}  {one.name}, {calls}: {times}"


def calls_text(one: RanProgram) -> str:
    """How many calls were measured: `20 calls`, `calls 1-7,100 of 20,000`."""
    if one.of is None:
        return count_text(one.calls, "call")
    return f"calls 1-{one.calls:,} of {one.of:,}"
