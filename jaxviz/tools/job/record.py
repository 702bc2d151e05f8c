"""The records of a job: the programs that its processes hold, where not all hold the same."""

from __future__ import annotations

from jaxviz.schema.record import Record


class Held(Record, frozen=True):
    """A program of a job, and the processes that hold it."""

    processes: list[int]
    differs: str
    """How it differs from the one that most processes hold, in a clause; empty for that one."""
    program: str | None
    """As `Display.program`, compared with the one that most processes hold. None for that which
    `Display.program` has itself; empty where it could not be compared, or is too large to save."""


class Job(Record, frozen=True, tag_field="tool", tag="agree"):
    """The programs of a job."""

    held: list[Held]
    """First the one that most processes hold."""
