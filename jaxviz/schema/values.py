"""The records of what values were like in a run, line by line."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record


class Bars(Record, frozen=True):
    """A height for each turn of a loop, or for each power of 2; of long loops the highest of a few
    turns."""

    first: int
    """The turn, or the power, of the first bar."""
    each: int
    """How many turns a bar stands for."""
    count: int
    """How many turns or powers there are."""
    heights: list[float]
    """Of turns the largest finite magnitude, of powers how many elements."""
    flawed: list[int]
    """The bars in which an element was NaN or infinite."""


class ValueDistribution(Record, frozen=True):
    """How the finite elements of a result are spread, as `jaxviz.Distribution`."""

    finite: int
    smallest: float | None
    greatest: float | None
    mean: float | None
    deviation: float | None
    zeros: int
    subnormals: int
    exponents: Bars | None
    turns: Bars | None


class EqnValues(Record, frozen=True):
    """What the results of an eqn were like in one run, over all the times that it ran; for each
    result, in their order."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    largest: list[str]
    """The largest magnitude of the finite elements as text, to three digits, such as `6.18e+04`;
    empty where there is none, and of results that hold no floating-point numbers."""
    nan: list[int]
    """How many elements were NaN."""
    inf: list[int]
    """How many were infinite."""
    written: list[int]
    """The results, by number, that are made of numbers alone that are written in the program."""
    spread: list[str]
    """The smallest and the largest finite element as text, such as `-3.2…4.1`; empty where no
    distribution was told, or none was finite."""


class LineValues(Record, frozen=True):
    """Of all that one of the user's lines made, the result of an eqn that comes first: one that is
    not finite, else the largest. Where lines were named, any result of these."""

    frame: Frame | None
    """The line; None for eqns of no line of the user's."""
    eqn: int
    """The eqn, numbered through all graphs in their order."""
    result: int
    """Which of its results, from 0."""
    op: str
    type: str
    """The type of the result: `f32[8,3]`."""
    largest: float | None
    """The largest magnitude of its finite elements, to three digits; None where there is none."""
    nan: int
    """How many elements were NaN, over all the times that the eqn ran."""
    inf: int
    """How many were infinite, likewise."""
    distribution: ValueDistribution | None
    """How it is spread, where lines were named."""


class Values(Record, frozen=True, tag_field="tool", tag="statistics"):
    """What the values of one run were like: lines with what is not finite first, then those with
    the largest."""

    lines: list[LineValues]
    more: int
    """How many lines are not told of."""
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran again."""


class PartValues(Record, frozen=True):
    """What the values of some eqns were like in one run more."""

    eqns: list[EqnValues]
    results: list[LineValues]
    """Each of their results, with its distribution, in the order of the program."""
