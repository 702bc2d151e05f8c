"""The records of a job: the programs of its processes, if they differ."""

from __future__ import annotations

from jaxviz.schema.record import Record, Words


class JobProgram(Record, frozen=True):
    """A program of a job, and its processes."""

    processes: list[int]
    differs: Words
    """Its difference from the program of most processes, in a clause; empty for that program."""
    program: str | None
    """The program as in `Display.program`, compared with that of most processes. None for the one
    that `Display.program` has itself. Empty if it could not be compared, or is too large to
    save."""


class ProcessProgram(Record, frozen=True, kw_only=False):
    """The report of one process on its program: names and digests, no arrays.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> [one] = jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0)).processes
    >>> (one.process, one.function)
    (0, 'sin')
    """

    process: int
    """Its number: `jax.process_index()`."""
    function: str
    jax: str
    """The version of JAX."""
    jaxpr: str
    """A digest of the jaxpr, and of the inputs and results with their types."""
    stablehlo: str
    """A digest of the StableHLO, which includes shardings and the function's name."""
    came: float
    """The time of its call of `agree`: seconds since 1970, by the clock of its host."""
    lowered: float
    """The seconds of lowering the program for its digest."""
    traced: float
    """The seconds of tracing the call earlier."""
    compiled: float
    """The seconds of compiling it earlier; 0 if its HLO was not requested."""


class JobAgreement(Record, frozen=True):
    """The reports of a job's processes; the fields are those of `jaxviz.Agreement`."""

    processes: list[ProcessProgram]
    missing: list[int]
    lowering: list[int]
    timeout: float
    process: int
    gone_on: list[int]


class Job(Record, frozen=True, tag_field="tool", tag="agree"):
    """The programs of a job, and in a file the reports of its processes."""

    held: list[JobProgram]
    """The program of most processes first. Empty if all have the same."""
    text: str
    """The text that `print` shows of the agreement, above the programs. Empty in a notebook's
    output, which has it as printed text."""
    agreement: JobAgreement | None
    """None in a notebook's output."""
