"""What runs of a program took, at your lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from statistics import median
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.displayed import Displayed, Report
from jaxviz.measures.measured import (
    InstructionTime,
    LineTime,
    LoopTime,
    Measured,
    by_line,
    measured_text,
)
from jaxviz.measures.rates import rates_text, share_of_peak
from jaxviz.measures.stage_times import with_times
from jaxviz.schema.graph import first_eqns

MOST_LINES, MOST_OPS, MOST_LOOPS = 200, 5, 20
"""How many lines an output has, how many primitives of each, and how many loops."""


Shown = TypeVar("Shown", bound=Displayed)


class Profile(Report, Generic[Shown]):
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

    _reads = schema.Times

    def __init__(self, program: Shown, told: Measured) -> None:
        jaxpr = program._stages.stage("jaxpr")
        self.program = program._ran(lambda stage: with_times(stage, told, jaxpr))
        self._told = told

    @classmethod
    def _loaded(cls, program: Displayed, record: schema.Times) -> Profile[Any]:
        found = object.__new__(cls)
        found.program, found._told = program, _measured(record)
        return found

    @property
    def rows(self) -> tuple[InstructionTime, ...]:
        return self._told.rows

    @cached_property
    def lines(self) -> tuple[LineTime, ...]:
        return by_line(self.rows)

    @property
    def wall(self) -> tuple[float, ...]:
        return self._told.wall

    @property
    def inside(self) -> tuple[float, ...]:
        return self._told.inside

    @property
    def between(self) -> tuple[float, ...]:
        return self._told.between

    @property
    def loops(self) -> tuple[LoopTime, ...]:
        return self._told.loops

    @property
    def peak(self) -> schema.Peak | None:
        return self._told.peak

    @property
    def record(self) -> schema.Times:
        """All that was measured, as it is saved."""
        told = {name: getattr(self._told, name) for name in schema.Measurements.__struct_fields__}
        measured = msgspec.convert(told, schema.Measurements, from_attributes=True)
        return replace(self._in_output(), measured=measured)

    def _in_output(self) -> schema.Times:
        return _times(self.program, self._told, self.lines)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`. Times are in seconds; `of_peak` is the
        larger of the two shares of the peak, of flops and of bytes, where one was given."""
        peak = self._told.peak
        return [
            {**row.record(), "of_peak": share_of_peak(row, peak) if peak else None}
            for row in self.rows
        ]

    def __str__(self) -> str:
        text = measured_text(self.program._stages.head.name, self._told, self.lines)
        return "\n".join([text, *(rates_text(self.rows, self.peak) if self.peak else [])])

    __repr__ = __str__


def _times(program: Displayed, told: Measured, lines: tuple[LineTime, ...]) -> schema.Times:
    starts = first_eqns(program._stages.stage("jaxpr").graphs)
    inside, between = told.fastest
    return schema.Times(
        lines=[
            schema.TimedLine(
                frame=line.frame and replace(line.frame, parent=None),
                eqn=-1 if line.graph < 0 else starts[line.graph] + line.eqn,
                ops=[*line.ops[:MOST_OPS]],
                seconds=line.seconds,
                share=line.share,
            )
            for line in lines[:MOST_LINES]
        ],
        more=max(0, len(lines) - MOST_LINES),
        runs=len(told.wall),
        best=min(told.wall),
        median=median(told.wall),
        inside=inside,
        between=between,
        loops=[*_of_first_device(told.loops)][:MOST_LOOPS],
        left_out=[*told.left_out],
        run_again=told.run_again,
        in_cell=told.in_cell,
        buffers=told.buffers,
        measured=None,
    )


def _measured(record: schema.Times) -> Measured:
    """What the record of a profile was made of."""
    measured = record.measured
    if measured is None:
        raise msgspec.ValidationError("the profile has no measurements")
    runs = len(measured.wall), len(measured.inside), len(measured.between)
    if runs != (max(runs[0], 1),) * 3:
        raise msgspec.ValidationError("the profile does not have the times of each run")
    return Measured(
        rows=msgspec.convert(measured.rows, tuple[InstructionTime, ...], from_attributes=True),
        wall=(*measured.wall,),
        inside=(*measured.inside,),
        between=(*measured.between,),
        left_out=(*record.left_out,),
        run_again=record.run_again,
        in_cell=record.in_cell,
        loops=msgspec.convert(measured.loops, tuple[LoopTime, ...], from_attributes=True),
        peak=measured.peak,
        buffers=record.buffers,
    )


def _of_first_device(loops: tuple[LoopTime, ...]) -> Iterator[schema.TimedLoop]:
    for loop in loops:
        if loop.device == loops[0].device:
            yield _loop(loop)


def _loop(loop: LoopTime) -> schema.TimedLoop:
    frame = loop.parts[0].frame if loop.parts else None
    turns = loop.turns or (0.0,)
    return schema.TimedLoop(
        frame=frame and replace(frame, parent=None),
        op=loop.op or loop.name,
        turns=len(loop.turns),
        shortest=min(turns),
        middle=median(turns),
        longest=max(turns),
        slowest=turns.index(max(turns)),
    )


_MOST = 2**53
"""What a page reads as a whole number is less."""
AskedPeak = tuple[float, float] | Literal["measured"] | None
"""As the user gives it."""


def checked_peak(peak: AskedPeak) -> schema.Peak | Literal["measured"] | None:
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
    return schema.Peak(flops=round(flops), bytes=round(moved), measured=False)


def checked_repeats(repeats: int) -> int:
    """Give it as it is. Raises ValueError where it is no number of runs from 2 on."""
    if not isinstance(repeats, int) or repeats < 2:
        raise ValueError(f"repeats is a number of runs from 2 on, not {repeats!r}.")
    return repeats
