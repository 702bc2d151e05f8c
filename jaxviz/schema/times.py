"""The records of what the runs of a program took, by eqn and by line."""

from __future__ import annotations

from typing import Literal

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record


class Peak(Record, frozen=True):
    """What the machine does at most, to hold rates against."""

    flops: int
    """In a second."""
    bytes: int
    """Read and written in a second."""
    measured: bool
    """Whether that was measured here; else it is as the reader gave it."""


class StageTimes(Record, frozen=True):
    """What runs took, by eqn of a stage.

    Of each operation it is the shortest time of the runs, of several devices the mean.
    """

    chains: list[list[int]]
    """Each is an eqn, after those around it from the first graph on, by their numbers through all
    graphs: it took time by itself, without its bodies, in all its runs at that place. Of eqns that
    are not here no time is known."""
    nanoseconds: list[int]
    """Of each of `chains`."""
    whole: int
    """Nanoseconds of all operations, those included of which no eqn is known."""
    peak: Peak | None
    """None where none was given."""


CommandBuffers = Literal["", "off", "hide"]
"""What became of XLA's command buffers, with which it launches many kernels of a GPU at once:
`off`, so that the profiler told of each instruction; `hide`, where it did not. Else empty."""


class TimedLine(Record, frozen=True):
    """What one of the user's lines took in one run of the program."""

    frame: Frame | None
    """The line; None for what belongs to no line of the user's."""
    eqn: int
    """The eqn of the line that took longest, numbered through all graphs in their order; -1 where
    none is known."""
    ops: list[str]
    """The primitives that took time, longest first; at most five."""
    seconds: float
    share: float
    """Of what all lines took, between 0 and 1."""


class TimedLoop(Record, frozen=True):
    """What the turns of a loop took, of each the shortest of all runs, in seconds."""

    frame: Frame | None
    op: str
    turns: int
    """0 where they are not told apart."""
    shortest: float
    middle: float
    longest: float
    slowest: int
    """The turn that took longest."""


class MeasuredPart(Record, frozen=True):
    """The part of an instruction's time that belongs to one eqn, as `jaxviz.EqnShare`."""

    graph: int
    eqn: int
    op: str
    frame: Frame | None
    share: float
    path: list[int]


class MeasuredInstruction(Record, frozen=True):
    """The time of one instruction on one device, as `jaxviz.InstructionTime`."""

    device: int
    name: str
    op: str
    calls: int
    seconds: float
    median: float
    parts: list[MeasuredPart]
    flops: int | None
    bytes: int | None


class MeasuredLoop(Record, frozen=True):
    """The iterations of one loop on one device, as `jaxviz.LoopTime`."""

    device: int
    name: str
    parts: list[MeasuredPart]
    turns: list[float]


class Measurements(Record, frozen=True):
    """All that a profile measured; the fields are those of `jaxviz.Profile`."""

    rows: list[MeasuredInstruction]
    wall: list[float]
    inside: list[float]
    between: list[float]
    loops: list[MeasuredLoop]
    peak: Peak | None


class Times(Record, frozen=True, tag_field="tool", tag="profile"):
    """What some runs of a program took, the longest line first."""

    lines: list[TimedLine]
    more: int
    """How many lines are not told of."""
    runs: int
    best: float
    """The seconds of the fastest run, from the call until its results were there."""
    median: float
    """The same of the run in the middle."""
    inside: float
    """The seconds from the first instruction's begin to the last one's end, in the run in which
    these were fewest."""
    between: float
    """Of `inside`, those in which no instruction ran."""
    loops: list[TimedLoop]
    """The loops of the program on its first device, at most 20."""
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran each time."""
    in_cell: bool
    """Whether these are the runs of a cell as it ran. Then `best` and `median` are from a run's
    first instruction to its last, and nothing was run again."""
    buffers: CommandBuffers
    measured: Measurements | None
    """All that was measured, in a file; None in a notebook's output."""


class RanProgram(Record, frozen=True):
    """A compiled program that ran while a cell was profiled."""

    number: int
    """The `id` of its `HloModuleProto`, which tells it from others of its name."""
    name: str
    calls: int
    """How often it ran while the profiler was on."""
    of: int | None
    """How often its function was called in all; None where all of it was measured."""
    seconds: float
    """Of all these runs, each from its first instruction's begin to its last one's end."""
    best: float
    """Of the shortest run."""
    median: float
    spans: list[float]
    """When it ran: start, end, start, end and so on, in seconds since 1970. Where there are too
    many, what lies close together is one."""
    known: bool
    """Whether its function is known, so that its lines can be told."""


class CellTimes(Record, frozen=True):
    """Where the time of a profiled cell went. The four parts add up to `seconds`; what several
    threads did at once counts as the first of them."""

    start: float
    """Seconds since 1970."""
    seconds: float
    """How long the profiler was on."""
    ended: str
    """Why it ended before the cell: `time`, `events` or `memory`; empty where it did not."""
    running: float
    """While a compiled program ran."""
    making: float
    """While JAX traced, lowered or compiled."""
    moving: float
    """While arrays were moved to a device or from it."""
    rest: float
    """The rest: Python, and waiting."""
    before: float
    """Of `seconds`, those before the first program ran."""
    after: float
    """Those after the last one had ended."""
    programs: list[RanProgram]
    """Those that took longest first; at most 100."""
