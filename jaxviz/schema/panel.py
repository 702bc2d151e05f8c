"""The records of the panel beside the notebook: what a kernel has traced and captured."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.log import Log
from jaxviz.schema.record import Record


class Capture(Record, frozen=True):
    """A program that a cell shows, and that the kernel can be asked about."""

    key: str
    """As `Display.key`."""
    name: str
    eqns: int
    """How many eqns its jaxpr has, with those of its bodies, each body once."""
    cell: str | None
    """The id of the cell that shows it."""
    count: int | None
    """That cell's execution count."""
    definition: Frame | None
    """Where the function begins; None where its code could not be read."""


class Panel(Record, frozen=True):
    """What a kernel traced and captured so far. Its `log` covers everything that any log of this
    kernel covers."""

    version: int
    watching: bool
    """Whether `%jaxviz on` was run, and `%jaxviz off` was not run since."""
    log: Log
    captures: list[Capture]
    """In the order in which they were shown."""
    since: int
    """How often functions were traced, lowered or compiled again since the last cell began."""
