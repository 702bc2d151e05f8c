"""The records of the values of a run, line by line."""

from __future__ import annotations

from jaxviz.schema.graph import EqnValues, Frame
from jaxviz.schema.record import Record


class Bars(Record, frozen=True):
    """A height for each iteration of a loop, or for each power of 2. For a long loop, a bar is the
    maximum of a few iterations."""

    first: int
    """The iteration, or the power, of the first bar."""
    each: int
    """The number of iterations of one bar."""
    count: int
    """The number of iterations or powers."""
    heights: list[float]
    """The largest finite magnitudes for iterations, the numbers of elements for powers."""
    flawed: list[int]
    """The bars with an element that was NaN or infinite."""


class ValueDistribution(Record, frozen=True):
    """The spread of the finite elements of a result, as in `jaxviz.Distribution`."""

    finite: int
    smallest: float | None
    greatest: float | None
    mean: float | None
    deviation: float | None
    zeros: int
    subnormals: int
    exponents: Bars | None
    turns: Bars | None


class LineValues(Record, frozen=True):
    """The first result that a line of the user made: one that is not finite, else the largest. If
    lines were named, any result of these."""

    frame: Frame | None
    """The line; None for eqns without a line of the user."""
    eqn: int
    """The eqn, numbered through all graphs in their order."""
    result: int
    """The index of the result among those of the eqn, from 0."""
    op: str
    type: str
    """The type of the result: `f32[8,3]`."""
    largest: float | None
    """The largest magnitude of its finite elements, to three digits; None if there is none."""
    nan: int
    """The number of elements that were NaN, over all the times that the eqn ran."""
    inf: int
    """The number of infinite elements, counted as for NaN."""
    distribution: ValueDistribution | None
    """The spread of its elements, if lines were named."""


class Statistics(Record, frozen=True, tag_field="tool", tag="statistics"):
    """The values of one run: lines with elements that are not finite first, then those with the
    largest."""

    lines: list[LineValues]
    more: int
    """The number of lines that are left out."""
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """True if the program has a `pure_callback`, which ran again."""


class PartValues(Record, frozen=True):
    """The values of some eqns in one more run."""

    eqns: list[EqnValues]
    results: list[LineValues]
    """Each of their results, with its distribution, in the order of the program."""
