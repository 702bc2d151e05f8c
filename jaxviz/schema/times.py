"""The records of what the runs of a program took, line by line."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record


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


class Times(Record, frozen=True):
    """What some runs of a program took, the longest line first."""

    lines: list[TimedLine]
    more: int
    """How many lines are not told of."""
    runs: int
    best: float
    """The seconds of the fastest run, from the call until its results were there."""
    median: float
    """The same of the run in the middle."""
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran each time."""
