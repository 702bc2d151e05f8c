"""The records of a program's run times, by instruction, by loop and by line."""

from __future__ import annotations

from typing import Literal

from jaxviz.schema.graph import Frame, Peak
from jaxviz.schema.record import Record

CommandBuffers = Literal["", "off", "hide"]
"""The state of XLA's command buffers, with which it launches many kernels of a GPU at once: `off`
if the profiler reported each instruction; `hide` if it did not. Else empty."""


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
    """The time of one instruction of the compiled program on one device, in one run of the program.
    A moment in which several ran in parallel is divided among them."""

    device: int
    """The device's number among those of this process, from 0."""
    name: str
    """The name in the text of the stage `hlo`, without `%`: `fusion.3`."""
    op: str
    """The instruction's opcode: `fusion`, `dot`, `while`."""
    calls: int
    """The number of its runs in one run of the program, as in a loop."""
    seconds: float
    """The seconds in the fastest run."""
    median: float
    """The median of the runs, in seconds."""
    parts: tuple[EqnShare, ...]
    """The eqns that it was made for; empty if XLA does not say."""
    flops: int | None
    """The flops of all calls, by jaxviz's count. None if unknown, and for loops and the like, whose
    time excludes the instructions that they run."""
    bytes: int | None
    """The bytes that all calls read and write; None as for `flops`."""


class LoopTime(Record, frozen=True):
    """The times of the iterations of one loop on one device, in one run of the program."""

    device: int
    name: str
    """The instruction, as in the text of the stage `hlo`, without `%`."""
    parts: tuple[EqnShare, ...]
    """The eqn that it was made for; empty if XLA does not say."""
    turns: tuple[float, ...]
    """The seconds of the instructions of each iteration: the shortest of all runs. If the loop runs
    several times, within another, its iterations follow one another. Empty if they cannot be
    distinguished: XLA compiles small loops whole."""

    @property
    def op(self) -> str:
        """The eqn's primitive; empty if unknown."""
        return self.parts[0].op if self.parts else ""

    @property
    def frame(self) -> Frame | None:
        """The user's line."""
        return self.parts[0].frame if self.parts else None


class LineTime(Record, frozen=True):
    """The time of one line of the user in one run; for several devices the mean."""

    frame: Frame | None
    """The line; None for time that belongs to no line of the user."""
    ops: tuple[str, ...]
    """The primitives of the line that took time, longest first; in an output at most five."""
    graph: int
    eqn: int
    """`graph` and `eqn` find the longest one in `jaxviz.inspect(f)(...).stage("jaxpr")`; -1 if no
    eqn is known."""
    seconds: float
    share: float
    """The share of the time of all lines, between 0 and 1."""


class TimedLoop(Record, frozen=True):
    """The iterations of a loop in short, in seconds."""

    frame: Frame | None
    op: str
    turns: int
    """The number of iterations; 0 if they cannot be distinguished."""
    shortest: float
    middle: float
    longest: float
    slowest: int
    """The longest iteration."""


class Measurements(Record, frozen=True):
    """All measurements of a profile."""

    rows: tuple[InstructionTime, ...]
    wall: tuple[float, ...]
    """For each run, the seconds from the call until its results were available."""
    inside: tuple[float, ...]
    """For each run under the profiler, the seconds from the begin of the first instruction to the
    end of the last, on the device on which this took longest."""
    between: tuple[float, ...]
    """The part of these seconds in which no instruction ran."""
    loops: tuple[LoopTime, ...]
    peak: Peak | None
    """The peak rates of the machine, if requested."""


class Times(Record, frozen=True, tag_field="tool", tag="profile"):
    """The times of some runs of a program, the longest line first."""

    lines: list[LineTime]
    more: int
    """The number of lines that are left out."""
    runs: int
    best: float
    """The seconds of the fastest run, from the call until its results were available."""
    median: float
    """The seconds of the median run."""
    inside: float
    """The seconds from the begin of the first instruction to the end of the last, in the run with
    the fewest."""
    between: float
    """The part of `inside` in which no instruction ran."""
    loops: list[TimedLoop]
    """The loops of the program on its first device, at most 20."""
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """True if the program has a `pure_callback`, which ran each time."""
    in_cell: bool
    """True if these are the runs of a cell as it ran. Then `best` and `median` are from a run's
    first instruction to its last, and nothing was run again."""
    buffers: CommandBuffers
    measured: Measurements | None
    """All measurements, in a file; None in a notebook's output."""
