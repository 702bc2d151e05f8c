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
    """What the processes of a job reported; the fields are those of `jaxviz.Agreement`."""

    processes: list[JobProcess]
    missing: list[int]
    lowering: list[int]
    timeout: float
    process: int
    gone_on: list[int]


class Job(Record, frozen=True, tag_field="tool", tag="agree"):
    """The programs of a job, and in a file what its processes reported."""

    held: list[Held]
    """First the one that most processes hold. Empty where all hold the same."""
    text: str
    """What `print` shows of the agreement, above the programs. Empty in a notebook's output, where
    it is printed."""
    agreement: JobAgreement | None
    """None in a notebook's output."""
