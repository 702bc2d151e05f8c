"""The records of a function's cache: the programs that JAX traced, and what tells them apart."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Words


class CacheColumn(Record, frozen=True):
    """One thing that JAX compares when it looks a call up."""

    where: str
    """The argument, as `Change.where`; empty for what concerns the whole call."""
    kind: str
    """As `Change.kind`: `shape`, `dtype`, `weak type`, `static`…"""


class CacheRow(Record, frozen=True):
    """One program of the function."""

    number: int | None
    """`Event.number` of its trace; None where calls found a program that was traced before."""
    site: Frame | None
    """The user's line that led to it."""
    cells: list[Words]
    """What the trace had in each column; `?` where that is not known."""
    differs: list[int]
    """The columns in which it differs from the row above that is most like it."""


class CacheCall(Record, frozen=True):
    """A call of the function, or several that followed one another and were alike."""

    row: int
    """Which row's program it made or found."""
    end: str
    """`miss` where it was traced, `hit` where JAX's caches had its program; `compiled again` where
    they had the trace alone, and `traced earlier` where jaxviz had traced it, to show it."""
    site: Frame | None
    """The user's line of the call."""
    times: int
    narrowed: Words
    """For a hit, what JAX took an array as: `x: float64 taken as float32`; else empty."""


class CacheTable(Record, frozen=True):
    """The programs of one function, and the columns in which their calls differ."""

    name: str
    definition: Frame | None
    columns: list[CacheColumn]
    """Those in which rows differ; of a single program, those of its arguments."""
    more: int
    """Columns that are left out."""
    rows: list[CacheRow]
    """The first ones, in the order in which they were met."""
    calls: list[CacheCall]
    """Traces, programs compiled again, and of the calls that JAX's caches answered those whose
    program is known."""
    hits: int | None
    """How many calls JAX's caches answered in all; None where they were not counted."""
    omitted: int
    """Programs that were traced and are left out."""
