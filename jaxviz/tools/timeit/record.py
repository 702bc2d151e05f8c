"""The records of what calls took, with jit and without it."""

from __future__ import annotations

from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Sentence


class Spread(Record, frozen=True):
    """The median of several runs, in seconds, between their quartiles."""

    low: float
    median: float
    high: float
    runs: int


class Timing(Record, frozen=True):
    """What one call of a function took, step by step, in seconds."""

    function: str
    size: int | None
    eqns: int
    trace: float
    lower: float
    compile: float
    first_run: float
    jitted: Spread
    """Calls of the compiled program, until their results are there."""
    eager: Spread | None
    """Calls without jit, op by op; None if that fails."""


class Timed(Record, frozen=True, tag_field="tool", tag="timeit"):
    """What several calls took: of one function or more, for one size or more."""

    timings: list[Timing]
    said: list[Sentence]
    """What follows from each of them."""
    programs: list[str]
    """Of each its program, as `Display.program`; empty where there is but one, and where they are
    too large to be saved."""
