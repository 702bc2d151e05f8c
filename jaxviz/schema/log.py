"""What JAX traced, lowered and compiled, and why."""

from __future__ import annotations

from jaxviz.schema.program import Change, Frame
from jaxviz.schema.record import Record


class Event(Record, frozen=True):
    """One trace, lowering or compilation of a function of the user's."""

    number: int
    kind: str
    """`trace`, `lower` or `compile`."""
    name: str
    definition: Frame | None
    site: Frame | None
    """The user's innermost line that led to it."""
    start: float
    """Seconds since 1970."""
    seconds: float
    depth: int
    """How many traces, lowerings or compilations it lies within."""
    thread: str
    eqns: int | None
    """Of a trace: how many the jaxpr holds, bodies included, each counted once."""
    again: bool
    """Of a trace: the function had been traced before. Of the others: the same program had
    been lowered or compiled before, so that this came without a trace."""
    of: int | None
    """Of a lowering or compilation: the number of the trace whose program it is."""
    implied: bool
    """JAX announces no trace within another, or under grad and vmap, from 0.10 on: this one
    was found afterwards, and its time is that of another."""
    looked: bool
    """Of a trace: the body ran earlier, when jaxviz captured a call. This call of the user's found
    the program in JAX's cache, and `seconds` is 0."""
    reason: list[Change]
    """Empty of a lowering or compilation that follows a trace."""
    more: int
    """Changes that were left out of `reason`."""
    against: int | None
    """Of a trace: the number of the earlier one, the nearest, that `reason` compares it with."""
    hint: str
    """What to do about it, as one line; may be empty."""
    cached: bool | None
    """Of a compilation: whether the persistent cache had it; None where none is used."""
    error: str | None
    """The class of the exception that ended it."""
    failed: Frame | None
    """The user's innermost line where that exception was raised, where it is known."""


class Function(Record, frozen=True):
    """What was counted of one function."""

    name: str
    definition: Frame | None
    traces: int
    retraces: int
    lowerings: int
    relowerings: int
    """Without a new trace."""
    compiles: int
    recompiles: int
    """Without a new trace."""
    seconds: float
    """Of all these; a trace within another counts in both."""
    reason: list[Change]
    """Why it was last traced, lowered or compiled again."""
    hint: str
    hits: list[int] | None
    """Calls that JAX's caches knew, in each slice of the log's time (`Log.slice`), from its start;
    None where they were not counted."""


class Variant(Record, frozen=True):
    """One of the reasons that are the same cause: `x: f32[256→1024, 8]`, and how often."""

    reason: list[Change]
    times: int


class Cause(Record, frozen=True):
    """Why a function was traced, lowered or compiled again, and how often for this reason: all
    events whose changes are of the same kinds at the same places."""

    function: int
    """Index into the log's `functions`."""
    kind: str
    """As `Event.kind`."""
    reason: list[Change]
    """The changes of the latest."""
    values: list[Variant]
    """Each distinct reason, in the order in which they were met."""
    others: int
    """How often it was for reasons that are not among `values`, which are the first alone."""
    more: int
    hint: str
    times: int
    seconds: float
    """With the lowerings and compilations that followed the traces."""
    first: int
    last: int
    """The numbers of the first event and of the latest."""


class Totals(Record, frozen=True):
    """What was counted apart: traces, lowerings and compilations of JAX's own functions."""

    traces: int
    lowerings: int
    compiles: int
    seconds: float


class Op(Record, frozen=True):
    """What was compiled op by op, outside jit, at one line: `jnp.sin`. JAX compiles an op when it
    is first run with arguments of these types; later runs are not seen."""

    name: str
    """As the user would write it, as far as that is known."""
    site: Frame | None
    """The user's line."""
    traces: int
    compiles: int
    seconds: float
    spans: list[float]
    """When: starts and ends by turns, seconds since 1970; of too many the first."""


class Log(Record, frozen=True):
    """What happened while a cell ran, or while `watch()` lasted."""

    version: int
    jax: str
    start: float
    """Seconds since 1970."""
    seconds: float
    """How long it has lasted."""
    running: bool
    making: float
    """Seconds of these in which JAX traced, lowered or compiled anything, its own functions too;
    what threads did at the same time counts once."""
    functions: list[Function]
    """In the order in which they were met."""
    causes: list[Cause]
    """Those that took longest first."""
    events: list[Event]
    """In the order in which they ended: of too many the first ones and the latest."""
    omitted: int
    """Events that are counted in all else, and not listed."""
    apart: Totals
    ops: list[Op]
    """What was compiled op by op, in the order in which it was first met; of too many the last is
    the sum of the others. All of it is counted in `apart` too."""
    slice: float
    """Seconds of a slice of `Function.hits`."""
    error: str | None
    """The class of the exception that ended it."""
    notes: list[str]
    """What could not be had from this version of JAX, a sentence each."""


class LogDisplay(Record, frozen=True):
    """What a notebook's output holds of a log (MIME type
    `application/vnd.jaxviz.log.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty where that is not known."""
    log: str
    """A `Log` as JSON, deflated (zlib, RFC 1950), in base64."""
    strip: bool
    """It is first seen as one line."""
    key: str
    """Under what the kernel knows the log, to ask it for the programs that were traced."""
