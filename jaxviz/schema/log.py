"""The records of a log: traces, lowerings and compilations with their reasons.

A `CacheTable` lists the programs of one function. A `Panel` is the log of a whole kernel, for the
panel beside the notebook.
"""

from __future__ import annotations

from msgspec import field

from jaxviz.schema.graph import Frame
from jaxviz.schema.program import Change, Finding
from jaxviz.schema.record import Record, Sentence, Words


class CacheColumn(Record, frozen=True):
    """One property that JAX compares when it looks up a call in its cache."""

    where: str
    """The argument, as in `Change.where`; empty for a property of the whole call."""
    kind: str
    """A value of `Change.kind`: `shape`, `dtype`, `weak type`, `static`…"""


class CacheRow(Record, frozen=True):
    """One program of the function."""

    number: int | None
    """`Event.number` of its trace; None if the log has only calls that found the program."""
    site: Frame | None
    """The user's line that caused the trace."""
    cells: list[Words]
    """The trace's value in each column; `?` if that is not known."""
    differs: list[int]
    """The columns in which it differs from the most similar row above it."""


class CacheCall(Record, frozen=True):
    """A call of the function, or several equal calls in a row."""

    row: int
    """The row of the program that the call made or found."""
    end: str
    """`miss` if it was traced, `hit` if JAX's caches had its program, `compiled again` if they had
    only its trace, and `traced earlier` if jaxviz had traced it, to show it."""
    site: Frame | None
    """The user's line of the call."""
    times: int
    narrowed: Words
    """For a hit: the dtype that JAX narrowed an array to, `x: float64 taken as float32`. Otherwise
    empty."""


class CacheTable(Record, frozen=True):
    """The programs of one function, and the columns in which their calls differ."""

    name: str
    definition: Frame | None
    columns: list[CacheColumn]
    """The columns in which rows differ; for a single program, those of its arguments."""
    more: int
    """The number of columns that are left out."""
    rows: list[CacheRow]
    """The first programs, in the order in which they were traced or found."""
    calls: list[CacheCall]
    """Traces, programs compiled again, and the calls answered by JAX's caches whose program is
    known."""
    hits: int | None
    """The number of calls that JAX's caches answered; None if they were not counted."""
    omitted: int
    """The number of traced programs that are left out."""


class Event(Record, frozen=True):
    """One trace, lowering or compilation of a function of the user or of a library."""

    number: int
    kind: str
    """`trace`, `lower` or `compile`."""
    name: str
    definition: Frame | None
    site: Frame | None
    """The user's innermost line that caused it."""
    start: float
    """Seconds since 1970."""
    seconds: float
    depth: int
    """The number of traces, lowerings and compilations that it is nested in."""
    library: bool
    """A library wrote the function and made the jit. The reader can change only its arguments."""
    thread: str
    eqns: int | None
    """For a trace: the number of eqns of the jaxpr, with those of its bodies, each body once."""
    again: bool
    """For a trace: the function had been traced before. For a lowering or compilation: the same
    program had been lowered or compiled before, so there is no trace for it."""
    of: int | None
    """For a lowering or compilation: the number of the trace that made the program."""
    implied: bool
    """JAX did not announce this trace. From version 0.10 on it announces none inside another, or
    under grad and vmap. jaxviz found it afterwards, and its time is that of the trace around it."""
    looked: bool
    """For a trace: the body ran earlier, when jaxviz captured a call. The user's call found the
    program in JAX's cache, so `seconds` is 0."""
    reason: list[Change]
    """Why it happened. Empty for a lowering or compilation that follows a trace."""
    more: int
    """The number of changes that are left out of `reason`."""
    against: int | None
    """For a trace: the number of the earlier trace that `reason` compares it with, the one that
    differs least."""
    hint: Sentence
    """A suggested fix, as one line; its text may be empty."""
    cached: bool | None
    """For a compilation: true if the persistent cache had it; None if no such cache is used."""
    saved: float | None
    """For a compilation that the persistent cache had: the seconds that this saved at least, as JAX
    reports them. JAX stores whole seconds, so the number is negative for short compilations. None
    otherwise."""
    error: str | None
    """The class of the exception that ended it."""
    failed: Frame | None
    """The user's innermost line that raised that exception; None if not known."""


class Function(Record, frozen=True):
    """The counts of one function."""

    name: str
    definition: Frame | None
    library: bool
    """The same as `Event.library`."""
    traces: int
    retraces: int
    lowerings: int
    relowerings: int
    """The lowerings without a new trace."""
    compiles: int
    recompiles: int
    """The compilations without a new trace."""
    seconds: float
    """The time of all of them together. A trace inside another counts in both functions."""
    reason: list[Change]
    """Why it was last traced, lowered or compiled again."""
    hint: Sentence
    hits: list[int] | None
    """The number of calls that JAX's caches answered in each slice of the log's time (`Log.slice`
    seconds), from its start; None if they were not counted."""


class Variant(Record, frozen=True):
    """One distinct reason of a cause (`x: f32[256→1024, 8]`), and the number of its events."""

    reason: list[Change]
    times: int


class Cause(Record, frozen=True):
    """Why a function was traced, lowered or compiled again, and how often.

    It sums up all events of one function whose changes have the same kinds in the same places.
    """

    function: int
    """Index into the log's `functions`."""
    kind: str
    """The same as `Event.kind`."""
    reason: list[Change]
    """The changes of the latest event."""
    values: list[Variant]
    """The first distinct reasons, in the order of their events."""
    others: int
    """The number of events whose reason is not in `values`."""
    more: int
    """The same as `Event.more`."""
    hint: Sentence
    times: int
    seconds: float
    """The time of these events, and of the lowerings and compilations that followed the traces."""
    first: int
    """The number of the first event."""
    last: int
    """The number of the latest event."""


class Totals(Record, frozen=True):
    """Counts of JAX's own functions, and of library functions that are not in a log's events."""

    traces: int
    lowerings: int
    compiles: int
    seconds: float


class Variety(Record, frozen=True):
    """A property in which the programs of an op differ, and the number of its values: 5 shapes."""

    kind: str
    """`shape`, `dtype`, `weak type`, `static value` or `placement`; `program` if JAX compiles the
    op as several programs."""
    count: int


class Op(Record, frozen=True):
    """An op that was compiled on its own, outside jit, at one of the user's lines: `jnp.sin`.

    JAX compiles an op when it first runs with arguments of these types. Later runs are not counted.
    """

    name: str
    """The name that the user would write, if it is known."""
    site: Frame | None
    """The user's line."""
    traces: int
    compiles: int
    reason: list[Variety]
    """Why it was compiled more than once; empty if that is not known."""
    seconds: float
    spans: list[float]
    """The times at which it was compiled: start, end, start, end and so on, in seconds since 1970.
    If there are too many, only the first ones."""


class RanProgram(Record, frozen=True):
    """A compiled program that ran while a cell was profiled."""

    number: int
    """The `id` of its `HloModuleProto`. It differs between programs of the same name."""
    name: str
    calls: int
    """The number of its runs while the profiler was on."""
    of: int | None
    """The number of all calls of its function; None if all of them were measured."""
    seconds: float
    """The time of all these runs, each from the start of its first instruction to the end of its
    last one."""
    best: float
    """The time of the shortest run."""
    median: float
    spans: list[float]
    """The times at which it ran: start, end, start, end and so on, in seconds since 1970. If there
    are too many, neighbouring runs are merged."""
    known: bool
    """True if its function is known: then the page can show the time of each line."""


class PythonLoop(Record, frozen=True):
    """A Python loop that ran many small programs one by one while a cell was profiled."""

    site: Frame
    """The line on which the loop begins."""
    programs: int
    """The number of its programs' runs."""
    seconds: float
    """The time of the loop, from its first run to its last."""
    running: float
    """The part of `seconds` in which XLA ran a program."""
    spans: list[float]
    """The times of the loop: start, end, start, end and so on, in seconds since 1970. If there are
    too many, neighbouring ones are merged."""


class CellTimes(Record, frozen=True):
    """The parts of a profiled cell's time.

    `running`, `making`, `moving` and `rest` add up to `seconds`. Time in which several threads did
    different things counts only for the first of these four.
    """

    start: float
    """Seconds since 1970."""
    seconds: float
    """The time during which the profiler was on."""
    ended: str
    """Why the profiler ended before the cell: `time`, `events` or `memory`; empty if it did not."""
    running: float
    """Seconds in which a compiled program ran."""
    making: float
    """Seconds in which JAX traced, lowered or compiled."""
    moving: float
    """Seconds in which arrays were moved to a device or from it."""
    rest: float
    """The rest: Python, and waiting."""
    before: float
    """The part of `seconds` before the first program ran."""
    after: float
    """The part of `seconds` after the last program had ended."""
    programs: list[RanProgram]
    """At most 100 programs, the most expensive first."""
    loops: tuple[PythonLoop, ...] = ()
    """At most 5 Python loops that called JAX's functions outside jit, the ones with the most calls
    first."""


class Log(Record, frozen=True):
    """The traces, lowerings and compilations of a cell, or of a `watch()`."""

    version: int
    jax: str
    start: float
    """Seconds since 1970."""
    seconds: float
    """The time from its start until now, or until it ended."""
    running: bool
    making: float
    """The part of `seconds` in which JAX traced, lowered or compiled anything, also its own
    functions. Time in which several threads did so counts once."""
    functions: list[Function]
    """In the order of their first events."""
    causes: list[Cause]
    """The most expensive first."""
    events: list[Event]
    """In the order in which they ended. If there are too many, only the first and the latest."""
    omitted: int
    """The number of events that are not in `events`. All other numbers count them."""
    apart: Totals
    ops: list[Op]
    """The ops that were compiled on their own, in the order of their first compilation. If there
    are too many, the last entry sums up the rest. All of them are also counted in `apart`."""
    caches: list[CacheTable]
    """The programs of functions that have several programs, or cache hits."""
    predict: bool
    """True if the user first guesses for each call whether it was a hit."""
    slice: float
    """The seconds of a slice of `Function.hits`."""
    error: str | None
    """The class of the exception that ended it."""
    notes: list[Sentence]
    """Facts that this version of JAX does not provide."""
    profile: CellTimes | None
    """The parts of the cell's time. None if it was not profiled, or the profile has not ended."""
    findings: list[Finding] = field(default_factory=list)
    """Values that a jitted function keeps although they are others now."""


class LogDisplay(Record, frozen=True):
    """A log as an output contains it (MIME type `application/vnd.jaxviz.log.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty if that is not known."""
    log: str
    """A `Log` as JSON, deflated (zlib, RFC 1950), in base64."""
    strip: bool
    """True if the page shows it as one line at first."""
    key: str
    """The kernel's name for the log. The page uses it to ask for the programs of traces."""


class Capture(Record, frozen=True):
    """A program that a cell shows, and about which the page can ask the kernel."""

    key: str
    """The same as `Display.key`."""
    name: str
    eqns: int
    """The number of eqns of its jaxpr, with those of its bodies, each body once."""
    cell: str | None
    """The id of the cell that shows it."""
    count: int | None
    """That cell's execution count."""
    definition: Frame | None
    """The function's first line; None if its code could not be read."""


class Panel(Record, frozen=True):
    """Everything that a kernel has traced and captured.

    Its `log` includes all other logs of this kernel.
    """

    version: int
    watching: bool
    """True after `%jaxviz on`, until `%jaxviz off`."""
    log: Log
    captures: list[Capture]
    """In the order in which they were shown."""
    since: int
    """The number of retraces, relowerings and recompilations since the last cell began."""
    recompiled: int = 0
    """The number of these that compiled without a trace."""
    relowered: int = 0
    """The number of these that only lowered."""
