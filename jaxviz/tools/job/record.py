"""The records of a job: the programs of its processes, if they differ."""

from __future__ import annotations

from jaxviz.schema.record import Record, Words


class Held(Record, frozen=True):
    """A program of a job, and its processes."""

    processes: list[int]
    differs: Words
    """Its difference from the program of most processes, in a clause; empty for that program."""
    program: str | None
    """The program as in `Display.program`, compared with that of most processes. None for the one
    that `Display.program` has itself. Empty if it could not be compared, or is too large to
    save."""


class JobProcess(Record, frozen=True):
    """One process of a job, as `jaxviz.ProcessProgram`."""

    process: int
    function: str
    jax: str
    jaxpr: str
    stablehlo: str
    came: float
    lowered: float
    traced: float
    compiled: float


class JobAgreement(Record, frozen=True):
    """The reports of a job's processes; the fields are those of `jaxviz.Agreement`."""

    processes: list[JobProcess]
    missing: list[int]
    lowering: list[int]
    timeout: float
    process: int
    gone_on: list[int]


class Job(Record, frozen=True, tag_field="tool", tag="agree"):
    """The programs of a job, and in a file the reports of its processes."""

    held: list[Held]
    """The program of most processes first. Empty if all have the same."""
    text: str
    """The text that `print` shows of the agreement, above the programs. Empty in a notebook's
    output, which has it as printed text."""
    agreement: JobAgreement | None
    """None in a notebook's output."""
