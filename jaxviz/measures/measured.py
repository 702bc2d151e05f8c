"""What the runs of a program took, by instruction and by line, and how that is said. Nothing is run
here."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxviz.amounts import seconds_text
from jaxviz.schema import CommandBuffers, Frame, Peak, Stage
from jaxviz.schema.graph import line_text

MOST_LINES, MOST_OPS = 20, 3


@dataclass(frozen=True, slots=True)
class EqnShare:
    """The part of an instruction's time that is told of one eqn.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.tanh(x @ x), repeats=2)(jnp.ones((9, 9)))
    >>> sorted(part.op for row in found.rows for part in row.parts)
    ['dot_general', 'tanh']
    """

    graph: int
    eqn: int
    """`graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`."""
    op: str
    """The eqn's primitive."""
    frame: Frame | None
    """The user's line."""
    share: float
    """Between 0 and 1. The shares of an instruction add up to 1."""
    path: tuple[int, ...] = ()
    """The eqns around it and itself, the outermost first, by their numbers through all graphs: it
    tells one call of a shared body from another."""


@dataclass(frozen=True, slots=True)
class InstructionTime:
    """How long one instruction of the compiled program took on one device, in one run of the
    program. Moments in which several ran side by side are divided among them.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.tanh(x @ x), repeats=2)(jnp.ones((9, 9)))
    >>> [(row.device, row.calls) for row in found.rows]
    [(0, 1), (0, 1)]
    """

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
    flops: int | None = None
    """Of all calls, by jaxviz's count; None where it is not known, and of loops and the like, whose
    time is without what they run."""
    bytes: int | None = None
    """What all calls read and write, likewise."""

    def record(self) -> dict[str, Any]:
        """A row for `pandas.DataFrame`, with the line that has the largest share."""
        most = max(self.parts, key=lambda part: part.share, default=None)
        frame = most and most.frame
        return {
            "device": self.device,
            "instruction": self.name,
            "op": self.op,
            "calls": self.calls,
            "seconds": self.seconds,
            "median": self.median,
            "flops": self.flops,
            "bytes": self.bytes,
            "eqns": [*dict.fromkeys((part.graph, part.eqn) for part in self.parts)],
            "file": frame.file if frame else None,
            "line": frame.line if frame else None,
        }


@dataclass(frozen=True, slots=True)
class LoopTime:
    """How long the turns of one loop took on one device, in one run of the program.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> def f(x):
    ...     return jax.lax.fori_loop(0, 4, lambda _, y: jnp.tanh(y @ x), x)
    >>> found = jaxviz.profile(f, repeats=2)(jnp.ones((300, 300)))
    >>> [(loop.op, len(loop.turns)) for loop in found.loops]
    [('scan', 4)]
    """

    device: int
    name: str
    """The instruction, as the text of the stage `hlo` prints it, without `%`."""
    parts: tuple[EqnShare, ...]
    """The eqn that it was made for; empty where XLA does not say."""
    turns: tuple[float, ...]
    """What the instructions of each turn took, in seconds: of each the shortest of all runs. Where
    the loop runs several times, within another, its turns follow one another. Empty where they are
    not told apart: XLA compiles small loops whole."""

    @property
    def op(self) -> str:
        """The eqn's primitive; empty where it is not known."""
        return self.parts[0].op if self.parts else ""

    def sentence(self) -> str:
        """It as text."""
        frame = self.parts[0].frame if self.parts else None
        where = f"{self.op or self.name}, {line_text(frame) if frame else 'no line of yours'}"
        if not self.turns:
            return f"{where}: its turns are not told apart"
        longest = max(self.turns)
        of = min(self.turns), longest, statistics.median(self.turns)
        spread = "{} to {}, {} in the middle".format(*map(seconds_text, of))
        which = self.turns.index(longest)
        return f"{where}: {len(self.turns):,} turns of {spread}; turn {which:,} is the longest"


@dataclass(frozen=True, slots=True)
class LineTime:
    """How long one line of the user's took in one run; of several devices the mean.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.tanh(x @ x), repeats=2)(jnp.ones((9, 9)))
    >>> sum(line.share for line in found.lines)
    1.0
    """

    frame: Frame | None
    """The line; None for what belongs to no line of the user's."""
    ops: tuple[str, ...]
    """The primitives of the line that took time, longest first."""
    graph: int
    eqn: int
    """`graph` and `eqn` find the one that took longest in `jaxviz.inspect(f)(...).stage("jaxpr")`;
    -1 where no eqn is known."""
    seconds: float
    share: float
    """Of what all lines took, between 0 and 1."""

    def sentence(self) -> str:
        """It as text."""
        ops = ", ".join(self.ops[:MOST_OPS]) + ", …" * (len(self.ops) > MOST_OPS)
        where = line_text(self.frame) if self.frame else "no line of yours"
        return f"{self.share:4.0%}  {seconds_text(self.seconds)}  {where}: {ops}"


class Measured(NamedTuple):
    """What some runs of a program told."""

    rows: tuple[InstructionTime, ...]
    wall: tuple[float, ...]
    """Of each run, the seconds from the call until its results were there."""
    inside: tuple[float, ...]
    """Of each run under the profiler, the seconds from the first instruction's begin to the last
    one's end, on the device where that took longest."""
    between: tuple[float, ...]
    """Of these, the seconds in which no instruction ran."""
    left_out: tuple[str, ...]
    """The debug prints and callbacks of the program, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran again."""
    in_cell: bool = False
    """Whether these are the runs of a cell as it ran: then `wall` is from a run's first instruction
    to its last, and nothing was run again."""
    hlo: Stage | None = None
    """The instructions that ran."""
    loops: tuple[LoopTime, ...] = ()
    peak: Peak | None = None
    """What the machine does at most, where that was asked for."""
    buffers: CommandBuffers = ""

    @property
    def fastest(self) -> tuple[float, float]:
        """The seconds of the run that was fastest from first to last instruction, and of these
        those in which none ran."""
        return min(zip(self.inside, self.between, strict=True))


def by_line(rows: Iterable[InstructionTime]) -> tuple[LineTime, ...]:
    """The lines, the longest first; of several devices the mean."""
    rows = [*rows]
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
    return LineTime(frame, names, longest.graph, longest.eqn, seconds, seconds / total)


def measured_text(function: str, told: Measured, lines: tuple[LineTime, ...]) -> str:
    """It as text: the runs, then a line for each line of the user's, the longest first."""
    shown = [f"  {line.sentence()}" for line in lines[:MOST_LINES]]
    more = len(lines) - MOST_LINES
    shown += [f"  … and {more} more: lines has all."] * (more > 0)
    added = sum(line.seconds for line in lines)
    times = map(seconds_text, (min(told.wall), statistics.median(told.wall), added))
    between = "first to last instruction" if told.in_cell else "call to result"
    heading = _HEADING.format(function, len(told.wall), *times, between)
    notes = [*_between(told), _HOW]
    if told.loops:
        notes += ["Loops:", *(f"  {loop.sentence()}" for loop in told.loops[:MOST_LINES])]
    if told.left_out:
        notes.append(f"Not repeated, and not in these times: {', '.join(told.left_out)}.")
    if told.run_again:
        notes.append("pure_callback ran in each run.")
    return "\n".join([heading, *shown, *notes])


def _between(told: Measured) -> list[str]:
    if told.buffers == "off":
        return [_LAUNCHED_SINGLY]
    between = _BETWEEN.format(*map(seconds_text, told.fastest))
    return [between, _HIDDEN] if told.buffers == "hide" else [between]


_HEADING = (
    "{0}, in {1} runs: {2} from {5} at best, {3} in the middle. Its operations at their "
    "shortest add up to {4}, at these lines:"
)
_BETWEEN = (
    "The fastest run took {0} from first to last instruction, {1} of it between instructions, "
    "when none ran."
)
_LAUNCHED_SINGLY = (
    "From call to result is without the profiler. For it XLA launched each kernel by itself, and "
    "not in command buffers, which hide instructions: so what passes between kernels is not told."
)
_HIDDEN = (
    "What XLA launched as a command_buffer is told as one: the profiler does not say which "
    "instructions ran in it. jaxviz.profile compiles the program without them."
)
_HOW = (
    "Of each operation the shortest time of all runs is told, so they add up to no more than one "
    "run took. What XLA made one instruction of is divided by the arithmetic of each part; what "
    "ran at once, by how many did."
)
