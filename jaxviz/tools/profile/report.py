"""What runs of a call took, at your lines: `jaxviz.profile`."""

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
"""How many lines an output has, how many primitives of each, and how many loops."""


class Profile(Report):
    """What the instructions of a compiled program took, by instruction and by line of yours.

    As the last value of a cell it is the program with a list of your lines, the longest first;
    `print` gives the list, and `save` writes it to a file. It is immutable, and holds strings and
    numbers alone.

    Attributes
    ----------
    program : Program
        What JAX made of the call.
    rows : tuple
        The time of each instruction, on each device.
    lines : tuple
        The time of each line of yours, the longest first.
    loops : tuple
        Of each loop, the time of its turns.
    wall : tuple
        Of each run, the seconds from the call until its results were there.
    inside : tuple
        Of each run under the profiler, the seconds from the first instruction's begin to the last
        one's end.
    between : tuple
        Of those, the seconds in which no instruction ran.
    peak : Peak or None
        What the machine does at most, where that was given or asked for: `flops` and `bytes` in a
        second.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.tanh(x @ x), repeats=3)(jnp.ones((1000, 1000)))
    >>> found.lines[0].ops[0], min(found.wall) > min(found.inside)
    ('dot_general', True)
    """

    _reads = Times

    def __init__(self, program: Program, record: Times) -> None:
        if record.measured is None:
            raise msgspec.ValidationError("the profile has no measurements")
        self.program = program
        self.record = record
        """All that was measured, as it is saved."""
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
        """Give a dict for each row, for `pandas.DataFrame`. Times are in seconds; `of_peak` is the
        larger of the two shares of the peak, of flops and of bytes, where one was given."""
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
    """Measure what each instruction of a call's compiled program takes, and each line of yours.

    The program of the call is compiled anew with its eqns numbered, which changes no instruction,
    and runs twice, then `repeats` times under JAX's profiler: your Python is traced as by
    `inspect`, and does not run again. There are fewer runs where these take more than 10 seconds or
    200,000 instructions; one that the profiler does not tell as a whole is not counted. Debug
    prints and callbacks are left out; a `pure_callback` runs each time. Arguments lie on
    devices as they are given; what the function's own jit was given besides (donation, shardings,
    compiler options) is left out.

    Loops count what their bodies take at the bodies' lines. XLA does not say of every instruction
    what it was made for: one that it inserted is told of the eqn that it stands beside.

    On a GPU the runs from call to result are others, without the profiler: the profiled ones launch
    each kernel by itself, since XLA's command buffers, which launch many at once, hide instructions
    from it. This was tried on CPUs, and on one NVIDIA H200 with JAX 0.11.2.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    repeats : int, optional
        How often the program runs under the profiler, twice at least.
    peak : (float, float) or "measured", optional
        What the machine does at most in a second, flops and bytes: the rates of instructions are
        held against it. "measured" measures it first, in a second or two: a product of f32
        matrices, and adding one to an f32 array that no cache holds. So what stands in caches may
        be above 100 % of it.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns a `Profile`.

    Raises
    ------
    ValueError
        If `repeats` is less than 2, and for a `peak` that is none.
    CaptureError
        When it is called, where the call cannot be traced, as `inspect` does; for programs with an
        `io_callback`, whose effect would happen again; while something else profiles this process;
        where the folder for temporary files has no room; and where JAX's profiler tells of no
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
    """Give the report of what was measured of a program."""
    jaxpr = program.stage("jaxpr")
    return Profile(program._ran(lambda stage: with_times(stage, found, jaxpr)), _record(found))


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
    """A line without those that called it."""
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
    """The lines, the longest first; of several devices the mean."""
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
    """An eqn; of what none is known, the instruction's opcode."""

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
"""What a page reads as a whole number is less."""
AskedPeak = tuple[float, float] | Literal["measured"] | None
"""As the user gives it."""


def checked_peak(peak: AskedPeak) -> Peak | Literal["measured"] | None:
    """Give it as a record. Raises ValueError where it is no peak."""
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
    """Give it as it is. Raises ValueError where it is no number of runs from 2 on."""
    if not isinstance(repeats, int) or repeats < 2:
        raise ValueError(f"repeats is a number of runs from 2 on, not {repeats!r}.")
    return repeats
