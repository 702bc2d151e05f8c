"""The log of traces, lowerings and compilations."""

from __future__ import annotations

import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Protocol

from jaxviz import schema
from jaxviz.analysis.retraces import LibraryEvents
from jaxviz.capture.events import JAX, PRINTING_IS_PER_THREAD, CallCount
from jaxviz.schema import Cause, Event, Finding, Function, Op, Sentence, Totals
from jaxviz.schema.signature import Trace
from jaxviz.sentences import sentence
from jaxviz.session.cache_tables import CacheTables
from jaxviz.session.counts import Counts, Repeats, shown_on_page
from jaxviz.session.log_text import overview, row
from jaxviz.session.op_counts import sums
from jaxviz.session.over_time import UnionOfIntervals
from jaxviz.session.program_store import ProgramStore


class Source(Protocol):
    """Fills a log, and finds the programs of its events."""

    def program(self, event: Event) -> schema.Program | None:
        """Find the program that an event traced, lowered or compiled; None if it is gone."""
        ...

    def stored(self, event: Event, packed: bytes) -> None:
        """Receive a program that a log has stored, packed."""
        ...

    def catch_up(self) -> None:
        """Add new events to the log."""
        ...


EVENTS_SHOWN = 500
"""If there are too many events, a page draws this many first and this many latest ones."""
EVENTS_STORED = 10_000
"""The most events from the beginning that a log stores, in addition to the latest `EVENTS_SHOWN`.
Others are counted."""
MOST_FINDINGS = 100
"""The latest findings that no event shows are stored, at most this many."""
_OF_THIS_PROCESS = ("_lock", "_on_change", "_programs", "_source", "cell")
"""The fields of a log that are meaningless in another process."""


class Log:
    """Traces, lowerings and compilations so far. Any thread may read it at any time."""

    cell: Any = None
    """The profiler's result; None if no profiler ran in this process."""

    def __init__(
        self, *, hits: bool = False, keep: bool = False, on_change: Callable[[], None] | None = None
    ) -> None:
        """Begin an empty log.

        With `hits`, calls that JAX's caches answer are counted. With `keep`, `settle` makes records
        of programs that JAX may forget. `on_change` is called after each event, within the user's
        own call: it may only set a flag.
        """
        self._lock = threading.RLock()
        self.predict = False  # True if a page is open, which first asks about each call
        self._on_change = on_change
        self._programs = ProgramStore() if keep and PRINTING_IS_PER_THREAD else None
        self._source: Source | None = None
        self._events: list[Event] = []
        self._latest: deque[Event] = deque(maxlen=EVENTS_SHOWN)
        self._counts = Counts(hits)
        self._libraries = LibraryEvents()
        self._making = UnionOfIntervals()
        self._added = 0
        self._begun = time.perf_counter()
        self._ended: float | None = None
        self._error: str | None = None
        self._profile: schema.CellTimes | None = None
        self._notes = list[Sentence]()
        self._findings = list[Finding]()
        if keep and not PRINTING_IS_PER_THREAD:
            self._notes.append(sentence("programs not retained"))
        self.caches = CacheTables()
        self.hits = hits
        """True if calls that JAX's caches answer are counted."""
        self.start = time.time()
        """Seconds since 1970."""

    @property
    def events(self) -> Sequence[Event]:
        """The first `EVENTS_STORED` events, in the order in which they ended."""
        with self._read():
            return tuple(self._events)

    @property
    def omitted(self) -> int:
        """The number of events that are counted in `functions` but not in `events`."""
        with self._read():
            return self._added - len(self._events)

    @property
    def functions(self) -> Sequence[Function]:
        """Counts of each function, in the order of first sight."""
        with self._read():
            return self._counts.functions()

    @property
    def causes(self) -> Sequence[Cause]:
        """The reasons why functions were made again, with counts; the longest first."""
        with self._read():
            return self._counts.causes()

    @property
    def apart(self) -> Totals:
        """Totals of JAX's own functions, and of library functions that are not in `events`."""
        with self._read():
            return self._apart()

    def _apart(self) -> Totals:
        return Totals(
            **sums([self._counts.apart, self._libraries.unshown], *Totals.__struct_fields__)
        )

    @property
    def ops(self) -> Sequence[Op]:
        """Ops that JAX compiled outside jit, by op and line, in the order of first sight."""
        with self._read():
            return self._counts.ops.rows()

    @property
    def retraces(self) -> int:
        """The number of retraces of your functions."""
        return sum(one.retraces for one in self.functions if not one.library)

    @property
    def repeats(self) -> Repeats:
        """The retraces, and the recompilations and relowerings without a trace."""
        with self._read():
            return self._counts.repeats()

    @property
    def again(self) -> int:
        """The number of retraces, and of relowerings and recompilations without a trace."""
        return sum(self.repeats)

    @property
    def has_findings(self) -> bool:
        """True if it has findings that no event shows."""
        return bool(self._findings)

    @property
    def running(self) -> bool:
        """True if the log still grows."""
        return self._ended is None

    @property
    def seconds(self) -> float:
        """The duration of the log in seconds."""
        return (time.perf_counter() if self._ended is None else self._ended) - self._begun

    @property
    def making(self) -> float:
        """The part of these seconds in which JAX traced, lowered or compiled, in any thread."""
        with self._read():
            return self._making.length

    def records(self) -> list[dict[str, Any]]:
        """Give the events as plain dicts, for `pandas.DataFrame(log.records())`."""
        return [row(event) for event in self.events]

    def record(self) -> schema.Log:
        """Give all that a page draws, as a record.

        If there are too many events, it has the first and the latest; of too many functions and
        causes, the longest.
        """
        with self._read():
            functions, causes = self._counts.functions(), self._counts.causes()
            first, latest = self._events[: 2 * EVENTS_SHOWN], list(self._latest)
            added, making, notes = self._added, self._making.length, list(self._notes)
            findings = list(self._findings)
            apart, ops, slice_ = self._apart(), self._counts.ops.rows(), self._counts.slice
        events = first if added <= 2 * EVENTS_SHOWN else [*first[:EVENTS_SHOWN], *latest]
        shown_functions, shown_causes = shown_on_page(functions, causes)
        return schema.Log(
            version=schema.VERSION,
            jax=JAX,
            start=self.start,
            seconds=self.seconds,
            running=self.running,
            making=making,
            functions=shown_functions,
            causes=shown_causes,
            events=events,
            omitted=added - len(events),
            apart=apart,
            ops=ops,
            caches=self.caches.tables(functions),
            predict=self.predict,
            slice=slice_,
            error=self._error,
            notes=notes,
            profile=self._profile,
            findings=findings,
        )

    def program(self, number: int) -> schema.Program | None:
        """Give the program of an event, without tracing again; None if it is gone.

        For a lowering or compilation, it is the program traced for it.
        """
        event = self._event(number)
        if event is None or self._source is None:
            return None
        trace = number if event.of is None else event.of
        stored = None if self._programs is None else self._programs.get(trace)
        return self._source.program(event) if stored is None else stored

    def settle(self) -> None:
        """Make records of traced programs that JAX still has.

        Takes at most 30 ms, or one program. Call it in a thread of jaxviz after each addition, and
        once after the end.
        """
        if self._programs is not None and self._source is not None:
            self._catch_up()
            self._programs.settle(self._source.program, self._source.stored, last=not self.running)

    def adopt(self, event: Event, packed: bytes) -> None:
        """Store the program of an event from another log, if this log has the event, too."""
        if self._programs is not None:
            self._programs.adopt(event, packed)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the present state. The unpickled log has ended, and has no programs."""
        with self._read():
            state = {name: vars(self)[name] for name in vars(self).keys() - _OF_THIS_PROCESS}
            state["_ended"] = self._begun + self.seconds
            return unpickled, (type(self), schema.VERSION, pickle.dumps(state))

    def __len__(self) -> int:
        return len(self.events)

    def __repr__(self) -> str:
        return self.summary(self.record())

    def summary(self, record: schema.Log) -> str:
        """Give the text that `print` shows; `record` is the result of `record()`."""
        return overview(record, self.omitted)

    def begin(self, source: Source) -> None:
        """Set the source that fills the log from now on."""
        self._source = source

    def add(self, event: Event | Trace, trace: Trace | None = None) -> None:
        """Count an event, and keep it while there is room.

        `trace` is its trace. An event of JAX's own functions is a trace itself, which is only
        counted.
        """
        with self._lock:
            if not self.running:
                return
            self._making.add(max(event.start, self.start), event.start + event.seconds)
            if isinstance(event, Trace):
                self._counts.add_internal(event)
            elif trace is None:
                self._add(event)
            else:
                for shown, made_of in self._libraries.shown(event, trace):
                    self._add(shown)
                    self.caches.add(shown, made_of)

    def _add(self, event: Event) -> None:
        self._counts.add(event)
        self._added += 1
        self._latest.append(event)
        if len(self._events) < EVENTS_STORED:
            self._events.append(event)
        if self._programs is not None:
            self._programs.queue(event)

    def add_hits(self, since: float, called: Sequence[CallCount]) -> None:
        """Count calls that JAX's caches answered, from `since` on (`perf_counter`)."""
        with self._lock:
            for function in called:
                self._counts.add_hits(function, max(since - self._begun, 0.0))
        self.announce()

    def profiled(
        self, cell: Any, times: Callable[[Iterable[tuple[float, float]]], schema.CellTimes]
    ) -> None:
        """Store the result of a profiler for the time of this log.

        `times` returns its record, given the times in which JAX traced, lowered or compiled.
        """
        with self._lock:
            self.cell, self._profile = cell, times(self._making)

    def announce(self) -> None:
        """Call `on_change`. If that fails, it is not called again, and the user's call goes on."""
        try:
            if self._on_change is not None and self.running:
                self._on_change()
        except Exception:
            self._on_change = None

    def note(self, note: Sentence) -> None:
        """Add a sentence on a fact that this version of JAX does not provide."""
        with self._lock:
            if note not in self._notes:
                self._notes.append(note)

    def found(self, finding: Finding) -> None:
        """Add a finding that no event shows; an equal one is not added again."""
        with self._lock:
            if self.running and finding not in self._findings[-MOST_FINDINGS:]:
                self._findings = [*self._findings, finding][-MOST_FINDINGS:]
        self.announce()

    def close(self, error: str | None = None) -> None:
        """End the log, if it has not ended. `error` is the class of the exception that ended it."""
        with self._lock:
            if self._ended is None:
                self._ended, self._error = time.perf_counter(), error

    @contextmanager
    def _read(self) -> Iterator[None]:
        """Freeze the log while it is read."""
        self._catch_up()
        with self._lock:
            yield

    def _catch_up(self) -> None:
        if self.running and self._source is not None:
            self._source.catch_up()

    def _event(self, number: int) -> Event | None:
        with self._read():
            stored = chain(self._events, self._latest)
            return next((event for event in stored if event.number == number), None)


def unpickled(kind: type[Log], version: int, state: bytes) -> Log:
    """Read a pickled log. Raises ValueError if another version of jaxviz wrote it."""
    if version != schema.VERSION:
        raise ValueError(
            f"this log was pickled in format {version}, and this jaxviz reads format "
            f"{schema.VERSION}: unpickle it with the jaxviz that pickled it."
        )
    log = kind()
    vars(log).update(pickle.loads(state))
    return log
