"""The records of a function's cache: the programs that JAX traced, and what tells them apart."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record


class CacheColumn(Record, frozen=True):
    """One thing that JAX compares when it looks a call up."""

    where: str
    """The argument, as `Change.where`; empty for what concerns the whole call."""
    kind: str
    """As `Change.kind`: `shape`, `dtype`, `weak type`, `static`…"""


class CacheRow(Record, frozen=True):
    """One program: a trace of the function."""

    number: int
    """`Event.number` of the trace."""
    site: Frame | None
    """The user's line that led to it."""
    cells: list[str]
    """What the trace had in each column; `?` where that is not known."""
    differs: list[int]
    """The columns in which it differs from the row above that is most like it."""


class CacheTable(Record, frozen=True):
    """The programs of one function, and the columns in which their calls differ."""

    name: str
    definition: Frame | None
    columns: list[CacheColumn]
    """Those in which rows differ; of a single program, those of its arguments."""
    more: int
    """Columns that are left out."""
    rows: list[CacheRow]
    """The first ones, in the order in which they were traced."""
    omitted: int
    """Programs that are left out."""
