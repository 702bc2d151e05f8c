"""What a kernel knows, as the panel beside the notebook shows it."""

from __future__ import annotations

from jaxviz.schema.log import Log
from jaxviz.schema.program import Frame
from jaxviz.schema.record import Record


class Capture(Record, frozen=True):
    """A program that a cell shows, and that the kernel can be asked about."""

    key: str
    """As `Display.key`."""
    name: str
    eqns: int
    """Of its jaxpr, bodies included, each counted once."""
    cell: str | None
    """The id of the cell that shows it."""
    count: int | None
    """That cell's execution count."""
    definition: Frame | None
    """Where the function begins, where its code could be read."""


class Panel(Record, frozen=True):
    """What a kernel traced and captured so far. Its `log` has all that any log of the kernel was
    told."""

    version: int
    watching: bool
    """`%jaxviz on` was run, and `off` was not since."""
    log: Log
    captures: list[Capture]
    """In the order in which they were shown."""
    since: int
    """How often functions were made again since the last cell began."""
