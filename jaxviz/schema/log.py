"""The records of a log: what JAX traced, lowered and compiled, and why.

`Panel` is what the panel beside the notebook shows: the log of a whole kernel.
"""

from __future__ import annotations

from jaxviz.schema.cache import CacheTable
from jaxviz.schema.graph import Frame
from jaxviz.schema.program import Change
from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Sentence


class Event(Record, frozen=True):
    """One trace, lowering or compilation of a function of the user's, or of a library's."""

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
    """How many other traces, lowerings or compilations it took place in."""
    library: bool
    """A library wrote the function and made the jit. The reader can change its arguments alone."""
    thread: str
    eqns: int | None
    """For a trace: how many eqns the jaxpr has, with those of its bodies, each body once."""
    again: bool
    """For a trace: the function had been traced before. For a lowering or compilation: the same
    program had been lowered or compiled before, so that this came without a trace."""
    of: int | None
    """For a lowering or compilation: the number of the trace that made the program."""
    implied: bool
    """JAX did not announce this trace: from 0.10 on it announces none within another, or under
    grad and vmap. It was found afterwards, and its time is that of the trace around it."""
    looked: bool
    """For a trace: the body ran earlier, when jaxviz captured a call. The user's call found the
    program in JAX's cache, so that `seconds` is 0."""
    reason: list[Change]
    """Why it happened. Empty for a lowering or compilation that follows a trace."""
    more: int
    """Changes that were left out of `reason`."""
    against: int | None
    """For a trace: the number of the earlier trace that `reason` compares it with, the one that
    differs least."""
    hint: Sentence
    """What to do about it, as one line; its text may be empty."""
    cached: bool | None
    """For a compilation: whether the persistent cache had it; None where none is used."""
    saved: float | None
    """For a compilation that the persistent cache had: how many seconds that saved at least, as
    JAX says, which keeps whole seconds; below zero for short ones. None for any other."""
    error: str | None
    """The class of the exception that ended it."""
    failed: Frame | None
    """The user's innermost line at which that exception was raised; None where not known."""


class Function(Record, frozen=True):
    """What happened to one function, counted."""

    name: str
    definition: Frame | None
    library: bool
    """As `Event.library`."""
    traces: int
    retraces: int
    lowerings: int
    relowerings: int
    """Those without a new trace."""
    compiles: int
    recompiles: int
    """Those without a new trace."""
    seconds: float
    """Time of all these together. A trace within another counts in both functions."""
    reason: list[Change]
    """Why it was last traced, lowered or compiled again."""
    hint: Sentence
    hits: list[int] | None
    """How many calls JAX's caches answered in each slice of the log's time (`Log.slice` seconds),
    from its start; None where they were not counted."""


class Variant(Record, frozen=True):
    """One distinct reason of a cause (`x: f32[256→1024, 8]`), and how often it was met."""

    reason: list[Change]
    times: int


class Cause(Record, frozen=True):
    """Why a function was traced, lowered or compiled again, and how often.

    It sums up all events of one function whose changes are of the same kinds in the same places.
    """

    function: int
    """Index into the log's `functions`."""
    kind: str
    """As `Event.kind`."""
    reason: list[Change]
    """The changes of the latest event."""
    values: list[Variant]
    """The first distinct reasons, in the order in which they were met."""
    others: int
    """How many of the events had other reasons than those in `values`."""
    more: int
    """As `Event.more`."""
    hint: Sentence
    times: int
    seconds: float
    """Time of these events, and of the lowerings and compilations that followed the traces."""
    first: int
    """The number of the first event."""
    last: int
    """The number of the latest event."""


class Totals(Record, frozen=True):
    """What is counted apart: JAX's own functions, and library functions not in a log's events."""

    traces: int
    lowerings: int
    compiles: int
    seconds: float


class Variety(Record, frozen=True):
    """One respect in which the programs of an op differ, and how many there were: 5 shapes."""

    kind: str
    """`shape`, `dtype`, `weak type`, `static value` or `placement`; `program` if the op is
    several programs by itself."""
    count: int


class Op(Record, frozen=True):
    """An op that was compiled on its own, outside jit, at one of the user's lines: `jnp.sin`.

    JAX compiles an op when it is first run with arguments of these types; later runs are not seen.
    """

    name: str
    """As the user would write it, where that is known."""
    site: Frame | None
    """The user's line."""
    traces: int
    compiles: int
    reason: list[Variety]
    """Why it was compiled more than once; empty if that is not known."""
    seconds: float
    spans: list[float]
    """When it was compiled: start, end, start, end and so on, in seconds since 1970; only the first
    ones where there are too many."""


class RanProgram(Record, frozen=True):
    """A compiled program that ran while a cell was profiled."""

    number: int
    """The `id` of its `HloModuleProto`, which tells it from others of its name."""
    name: str
    calls: int
    """How often it ran while the profiler was on."""
    of: int | None
    """How often its function was called in all; None where all of it was measured."""
    seconds: float
    """Of all these runs, each from its first instruction's begin to its last one's end."""
    best: float
    """Of the shortest run."""
    median: float
    spans: list[float]
    """When it ran: start, end, start, end and so on, in seconds since 1970. Where there are too
    many, what lies close together is one."""
    known: bool
    """Whether its function is known, so that its lines can be told."""


class CellTimes(Record, frozen=True):
    """Where the time of a profiled cell went.

    The four parts add up to `seconds`; what several threads did at once counts as the first of
    them.
    """

    start: float
    """Seconds since 1970."""
    seconds: float
    """How long the profiler was on."""
    ended: str
    """Why it ended before the cell: `time`, `events` or `memory`; empty where it did not."""
    running: float
    """While a compiled program ran."""
    making: float
    """While JAX traced, lowered or compiled."""
    moving: float
    """While arrays were moved to a device or from it."""
    rest: float
    """The rest: Python, and waiting."""
    before: float
    """Of `seconds`, those before the first program ran."""
    after: float
    """Those after the last one had ended."""
    programs: list[RanProgram]
    """Those that took longest first; at most 100."""


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
    """For how many of these seconds JAX traced, lowered or compiled anything, its own functions
    too. What several threads did at the same time counts once."""
    functions: list[Function]
    """In the order in which they were met."""
    causes: list[Cause]
    """Those that took longest first."""
    events: list[Event]
    """In the order in which they ended; only the first and the latest where there are too many."""
    omitted: int
    """How many events `events` leaves out. All other numbers count them."""
    apart: Totals
    ops: list[Op]
    """What was compiled op by op, in the order in which it was first met. Where there is too much,
    the last entry sums up the rest. All of it is counted in `apart` too."""
    caches: list[CacheTable]
    """The programs of functions that have several, or that calls found again."""
    predict: bool
    """Whether the reader first says of each call whether it was a hit."""
    slice: float
    """How many seconds a slice of `Function.hits` lasts."""
    error: str | None
    """The class of the exception that ended it."""
    notes: list[Sentence]
    """What could not be had from this version of JAX."""
    profile: CellTimes | None
    """Where the time went, where that was asked for and the profile has ended."""


class LogDisplay(Record, frozen=True):
    """What an output holds of a log (MIME type `application/vnd.jaxviz.log.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty where that is not known."""
    log: str
    """A `Log` as JSON, deflated (zlib, RFC 1950), in base64."""
    strip: bool
    """Whether the page shows it as one line at first."""
    key: str
    """The kernel's name for the log, with which the page asks for the programs that were
    traced."""


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
    """What a kernel traced and captured so far.

    Its `log` covers everything that any log of this kernel covers.
    """

    version: int
    watching: bool
    """Whether `%jaxviz on` was run, and `%jaxviz off` was not run since."""
    log: Log
    captures: list[Capture]
    """In the order in which they were shown."""
    since: int
    """How often functions were traced, lowered or compiled again since the last cell began."""
