"""The times of a call's runs, by your lines: `jaxviz.profile`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from statistics import median
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from jaxviz.capture.rerun import Rerun, rerun
from jaxviz.displayed import Report
from jaxviz.program import Program
from jaxviz.schema import Frame, Peak
from jaxviz.stages import finished
from jaxviz.tools.profile.capture import measured
from jaxviz.tools.profile.capture.instruction_times import Measured
from jaxviz.tools.profile.record import (
    InstructionTime,
    LineTime,
    LoopTime,
    Measurements,
    TimedLoop,
    Times,
)
from jaxviz.tools.profile.stage_times import with_times
from jaxviz.tools.profile.text import profile_text, share_of_peak

MOST_LINES, MOST_OPS, MOST_LOOPS = 200, 5, 20
"""The most lines of an output, the most primitives of each line, and the most loops."""


class Profile(Report):
    """The times of a compiled program's instructions, by instruction and by your lines.

    As the last value of a cell it is the program with a list of your lines, the longest first;
    `print` gives the list, and `save` writes it to a file. It is immutable, and contains only
    strings and numbers.

    Attributes
    ----------
    program : Program
        The program that JAX made of the call.
    rows : tuple
        The time of each instruction, on each device.
    lines : tuple
        The time of each line of yours, the longest first.
    loops : tuple
        For each loop, the time of its iterations.
    wall : tuple
        For each run, the seconds from the call until its results were available. The
        profiler can record the end of the last instruction after that.
    inside : tuple
        For each run under the profiler, the seconds from the begin of the first instruction to
        the end of the last.
    between : tuple
        The part of those in which no instruction ran.
    peak : Peak or None
        The peak rates of the machine, if given or requested: `flops` and `bytes` per second.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.tanh(x @ x), repeats=3)(jnp.ones((1000, 1000)))
    >>> found.lines[0].ops[0]
    'dot_general'
    """

    _reads = Times

    def __init__(self, program: Program, record: Times) -> None:
        if record.measured is None:
            raise msgspec.ValidationError("the profile has no measurements")
        self.program = program
        self.record = record
        """All measurements, as they are saved."""
        self._measured: Measurements = record.measured

    @classmethod
    def _loaded(cls, program: Program, record: Times) -> Profile:
        found = cls(program, record)
        runs = len(found.wall), len(found.inside), len(found.between)
        if runs != (max(runs[0], 1),) * 3:
            raise msgspec.ValidationError("the profile does not have the times of each run")
        return found

    @property
    def rows(self) -> tuple[InstructionTime, ...]:
        return self._measured.rows

    @cached_property
    def lines(self) -> tuple[LineTime, ...]:
        return by_line(self.rows)

    @property
    def wall(self) -> tuple[float, ...]:
        return self._measured.wall

    @property
    def inside(self) -> tuple[float, ...]:
        return self._measured.inside

    @property
    def between(self) -> tuple[float, ...]:
        return self._measured.between

    @property
    def loops(self) -> tuple[LoopTime, ...]:
        return self._measured.loops

    @property
    def peak(self) -> Peak | None:
        return self._measured.peak

    def _in_output(self) -> Times:
        return replace(self.record, measured=None)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`. Times are in seconds. `of_peak` is the
        larger of the two shares of the peak, of flops and of bytes, if a peak was given."""
        return [_columns(row, self.peak) for row in self.rows]

    def __str__(self) -> str:
        return profile_text(self.program.name, self.record, self._measured, self.lines)

    __repr__ = __str__


def _columns(row: InstructionTime, peak: Peak | None) -> dict[str, Any]:
    """A row for `pandas.DataFrame`, with the line that has the largest share."""
    most = max(row.parts, key=lambda part: part.share, default=None)
    frame = most and most.frame
    return {
        "device": row.device,
        "instruction": row.name,
        "op": row.op,
        "calls": row.calls,
        "seconds": row.seconds,
        "median": row.median,
        "flops": row.flops,
        "bytes": row.bytes,
        "eqns": [*dict.fromkeys((part.graph, part.eqn) for part in row.parts)],
        "file": frame.file if frame else None,
        "line": frame.line if frame else None,
        "of_peak": share_of_peak(row, peak) if peak else None,
    }


def profile(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    repeats: int = 10,
    peak: AskedPeak = None,
) -> Callable[..., Profile]:
    """Measure the time of each instruction of a call's compiled program, and of each of your lines.

    The program of the call is compiled anew with its eqns numbered, which changes no instruction.
    It runs twice, then `repeats` times under JAX's profiler. Your Python is traced as by `inspect`,
    and does not run again. There are fewer runs if these take more than 10 seconds or 200,000
    instructions. A run with unreported instructions is not counted. Debug prints and callbacks are
    left out; a `pure_callback` runs each time. Arguments stay on their devices. Other settings of
    the function's own jit (donation, shardings, compiler options) are left out.

    The time of a loop counts at the lines of its body. XLA does not name the origin of every
    instruction: one that it inserted counts for the eqn beside it.

    On a GPU the runs from call to result are separate, without the profiler. The profiled runs
    launch each kernel separately, since XLA's command buffers, which launch many at once, hide
    instructions from the profiler. This was tried on CPUs, and on one NVIDIA H200 with JAX 0.11.2.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    repeats : int, optional
        The number of runs under the profiler, at least two.
    peak : (float, float) or "measured", optional
        The peak rates of the machine per second, flops and bytes: the rates of instructions are
        compared with it. "measured" measures it first, in a second or two: a product of f32
        matrices, and adding one to an f32 array that fits no cache. So values in caches may
        exceed 100 % of it.

    Returns
    -------
    callable
        A function of the arguments of `fun`, which returns a `Profile`.

    Raises
    ------
    ValueError
        If `repeats` is less than 2, and for a `peak` that is none.
    CaptureError
        When it is called: if the call cannot be traced, as in `inspect`; for programs with an
        `io_callback`, whose effect would happen again; while something else profiles this
        process; if the folder for temporary files has no room; and if JAX's profiler reports no
        instruction.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.sum(jnp.sin(x)), repeats=2)(jnp.ones(1000))
    >>> sorted({part.op for row in found.rows for part in row.parts})
    ['reduce_sum', 'sin']
    """
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Program, Rerun]:
        captured, again = rerun(fun, args, kwargs, statics)
        return Program(*captured), again

    return _profiler(traced, repeats, peak)


def profile_of_program(program: Program, repeats: int, peak: AskedPeak) -> Callable[..., Profile]:
    """Measure a captured program as `Program.profile` does."""
    return _profiler(lambda *call: (program, program._stages.rerun(*call)), repeats, peak)


def _profiler(
    program_of: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Program, Rerun]],
    repeats: int,
    peak: AskedPeak,
) -> Callable[..., Profile]:
    checked_repeats(repeats)
    most = checked_peak(peak)

    def call(*args: Any, **kwargs: Any) -> Profile:
        program, again = program_of(args, kwargs)
        return profiled(program, measured(again, repeats, finished, most))

    return call


def profiled(program: Program, found: Measured) -> Profile:
    """Give the report of a program's measurements."""
    jaxpr = program.stage("jaxpr")
    return Profile(
        program._with_measurements(lambda stage: with_times(stage, found, jaxpr)), _record(found)
    )


def _record(found: Measured) -> Times:
    measured = found.all
    lines = by_line(measured.rows)
    inside, between = min(zip(measured.inside, measured.between, strict=True))
    loops = [loop for loop in measured.loops if loop.device == measured.loops[0].device]
    return Times(
        lines=[
            replace(line, frame=_alone(line.frame), ops=line.ops[:MOST_OPS])
            for line in lines[:MOST_LINES]
        ],
        more=max(0, len(lines) - MOST_LINES),
        runs=len(measured.wall),
        best=min(measured.wall),
        median=median(measured.wall),
        inside=inside,
        between=between,
        loops=[_loop(loop) for loop in loops[:MOST_LOOPS]],
        left_out=[*found.left_out],
        run_again=found.run_again,
        in_cell=found.in_cell,
        buffers=found.buffers,
        measured=measured,
    )


def _alone(frame: Frame | None) -> Frame | None:
    """A line without its callers."""
    return frame and replace(frame, parent=None)


def _loop(loop: LoopTime) -> TimedLoop:
    turns = loop.turns or (0.0,)
    return TimedLoop(
        frame=_alone(loop.frame),
        op=loop.op or loop.name,
        turns=len(loop.turns),
        shortest=min(turns),
        middle=median(turns),
        longest=max(turns),
        slowest=turns.index(max(turns)),
    )


def by_line(rows: Sequence[InstructionTime]) -> tuple[LineTime, ...]:
    """The lines, the longest first; for several devices the mean."""
    devices = len({row.device for row in rows}) or 1
    frames: dict[_Place, Frame | None] = {}
    seconds: dict[_Place, dict[_Made, float]] = defaultdict(lambda: defaultdict(float))
    for row in rows:
        for made, frame, share in _shared(row):
            place = frame and (frame.file, frame.line, frame.cell, frame.count)
            frames.setdefault(place, frame)
            seconds[place][made] += row.seconds * share / devices
    total = sum(sum(taken.values()) for taken in seconds.values()) or 1.0
    lines = [_line_time(frames[place], taken, total) for place, taken in seconds.items()]
    return tuple(sorted(lines, key=lambda line: -line.seconds))


_Place = tuple[str, int, str | None, int | None] | None
"""A line of a file, or of a cell as it ran once."""


class _Made(NamedTuple):
    """An eqn; if none is known, the instruction's opcode."""

    op: str
    graph: int = -1
    eqn: int = -1


def _shared(row: InstructionTime) -> list[tuple[_Made, Frame | None, float]]:
    if not row.parts:
        return [(_Made(row.op), None, 1.0)]
    return [(_Made(part.op, part.graph, part.eqn), part.frame, part.share) for part in row.parts]


def _line_time(frame: Frame | None, taken: dict[_Made, float], total: float) -> LineTime:
    ops: dict[str, float] = defaultdict(float)
    for made, seconds in taken.items():
        ops[made.op] += seconds
    longest = max(taken, key=lambda made: taken[made])
    names = tuple(sorted(ops, key=lambda op: -ops[op]))
    seconds = sum(taken.values())
    return LineTime(
        frame=frame,
        ops=names,
        graph=longest.graph,
        eqn=longest.eqn,
        seconds=seconds,
        share=seconds / total,
    )


_MOST = 2**53
"""A whole number that a page reads is below this."""
AskedPeak = tuple[float, float] | Literal["measured"] | None
"""The peak as the user gives it."""


def checked_peak(peak: AskedPeak) -> Peak | Literal["measured"] | None:
    """Give the peak as a record. Raises ValueError if it is no peak."""
    if peak is None:
        return None
    if peak == "measured":
        return "measured"
    try:
        flops, moved = map(float, peak)
    except (TypeError, ValueError):
        flops = moved = 0.0
    if not (1 <= flops < _MOST and 1 <= moved < _MOST):
        raise ValueError(
            "peak is what the machine does at most in a second, (flops, bytes), as in (2e12, "
            f"1e11), or 'measured', not {peak!r}."
        )
    return Peak(flops=round(flops), bytes=round(moved), measured=False)


def checked_repeats(repeats: int) -> int:
    """Give `repeats` unchanged. Raises ValueError if it is no number of at least 2."""
    if not isinstance(repeats, int) or repeats < 2:
        raise ValueError(f"repeats is a number of runs from 2 on, not {repeats!r}.")
    return repeats
