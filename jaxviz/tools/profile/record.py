"""The records of what the runs of a program took, by instruction, by loop and by line."""

from __future__ import annotations

from typing import Literal

from jaxviz.schema.graph import Frame, Peak
from jaxviz.schema.record import Record

CommandBuffers = Literal["", "off", "hide"]
"""What became of XLA's command buffers, with which it launches many kernels of a GPU at once:
`off`, so that the profiler told of each instruction; `hide`, where it did not. Else empty."""


class EqnShare(Record, frozen=True):
    """The part of an instruction's time that belongs to one eqn."""

    graph: int
    eqn: int
    """`graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`."""
    op: str
    """The eqn's primitive."""
    frame: Frame | None
    """The user's line."""
    share: float
    """Between 0 and 1. The shares of an instruction add up to 1."""
    path: tuple[int, ...]
    """The eqns around it and itself, the outermost first, by their numbers through all graphs: it
    distinguishes the calls of a shared body."""


class InstructionTime(Record, frozen=True):
    """How long one instruction of the compiled program took on one device, in one run of the
    program. Moments in which several ran side by side are divided among them."""

    device: int
    """The device's number among those of this process, from 0."""
    name: str
    """As the text of the stage `hlo` prints it, without `%`: `fusion.3`."""
    op: str
    """The instruction's opcode: `fusion`, `dot`, `while`."""
    calls: int
    """How often it ran in one run of the program, as in a loop."""
    seconds: float
    """In the run in which it took least."""
    median: float
    """The median of the runs, in seconds."""
    parts: tuple[EqnShare, ...]
    """The eqns that it was made for; empty where XLA does not say."""
    flops: int | None
    """Of all calls, by jaxviz's count; None where it is not known, and of loops and the like, whose
    time is without what they run."""
    bytes: int | None
    """What all calls read and write; None as for `flops`."""


class LoopTime(Record, frozen=True):
    """How long the turns of one loop took on one device, in one run of the program."""

    device: int
    name: str
    """The instruction, as the text of the stage `hlo` prints it, without `%`."""
    parts: tuple[EqnShare, ...]
    """The eqn that it was made for; empty where XLA does not say."""
    turns: tuple[float, ...]
    """What the instructions of each turn took, in seconds: of each the shortest of all runs. If
    the loop runs several times, within another, its turns follow one another. Empty where they
    cannot be distinguished: XLA compiles small loops whole."""

    @property
    def op(self) -> str:
        """The eqn's primitive; empty where it is not known."""
        return self.parts[0].op if self.parts else ""

    @property
    def frame(self) -> Frame | None:
        """The user's line."""
        return self.parts[0].frame if self.parts else None


class LineTime(Record, frozen=True):
    """How long one line of the user's took in one run; of several devices the mean."""

    frame: Frame | None
    """The line; None for what belongs to no line of the user's."""
    ops: tuple[str, ...]
    """The primitives of the line that took time, longest first; in an output at most five."""
    graph: int
    eqn: int
    """`graph` and `eqn` find the one that took longest in `jaxviz.inspect(f)(...).stage("jaxpr")`;
    -1 where no eqn is known."""
    seconds: float
    share: float
    """Of what all lines took, between 0 and 1."""


class TimedLoop(Record, frozen=True):
    """The turns of a loop in short, in seconds."""

    frame: Frame | None
    op: str
    turns: int
    """0 where they cannot be distinguished."""
    shortest: float
    middle: float
    longest: float
    slowest: int
    """The turn that took longest."""


class Measurements(Record, frozen=True):
    """All that a profile measured."""

    rows: tuple[InstructionTime, ...]
    wall: tuple[float, ...]
    """Of each run, the seconds from the call until its results were there."""
    inside: tuple[float, ...]
    """Of each run under the profiler, the seconds from the first instruction's begin to the last
    one's end, on the device where that took longest."""
    between: tuple[float, ...]
    """Of these, the seconds in which no instruction ran."""
    loops: tuple[LoopTime, ...]
    peak: Peak | None
    """What the machine does at most, where that was asked for."""


class Times(Record, frozen=True, tag_field="tool", tag="profile"):
    """What some runs of a program took, the longest line first."""

    lines: list[LineTime]
    more: int
    """How many lines are left out."""
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
