"""The records of call times, with and without jit."""

from __future__ import annotations

from jaxviz.schema.record import Record, Sentence


class Spread(Record, frozen=True):
    """The median of several runs, in seconds, between their quartiles."""

    low: float
    median: float
    high: float
    runs: int


class Timing(Record, frozen=True):
    """The times of one call of a function, step by step, in seconds."""

    function: str
    size: int | None
    eqns: int
    trace: float
    lower: float
    compile: float
    first_run: float
    jitted: Spread
    """Calls of the compiled program, until their results are available."""
    eager: Spread | None
    """Calls without jit, op by op; None if that fails."""


class Timed(Record, frozen=True, tag_field="tool", tag="timeit"):
    """The times of several calls: of one function or more, for one size or more."""

    timings: list[Timing]
    said: list[Sentence]
    """The conclusion on each of them."""
    programs: list[str]
    """The program of each, as `Display.program`; empty if there is only one, and if they are too
    large to save."""
