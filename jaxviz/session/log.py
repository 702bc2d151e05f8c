"""What was traced, lowered and compiled, as the user asks for it."""

from __future__ import annotations

import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from jaxviz import schema
from jaxviz.capture.events import APART, JAX, Apart, Called
from jaxviz.schema import Cause, Event, Function, Op, Totals
from jaxviz.session.counts import Counts
from jaxviz.session.keeper import Keeper
from jaxviz.session.making import Union
from jaxviz.session.rows import row
from jaxviz.session.shortened import EVENTS as SHOWN
from jaxviz.session.shortened import functions_and_causes
from jaxviz.session.text import overview

EVENTS = 10_000
"""Events that a log keeps at most, and the latest `SHOWN` beside these; others are counted."""
NOT_KEPT = "With this version of NumPy programs are shown only as long as JAX holds them."


_LIVING = ("_lock", "_told", "_keeper", "_source")
"""What of a log is of the process that it is in."""


class Source(Protocol):
    """What fills a log, and has its programs."""

    def program(self, event: Event) -> schema.Program | None: ...

    def kept(self, event: Event, packed: bytes) -> None:
        """Is told what a log has kept."""
        ...

    def catch_up(self) -> None:
        """Tells the log of calls that were counted and not told."""
        ...


class Log:
    """What was traced, lowered and compiled so far. Grows while `watch()` lasts.

    Any thread may read it at any time.
    """

    def __init__(
        self,
        *,
        hits: bool = False,
        keep: bool = False,
        told: Callable[[], None] | None = None,
    ) -> None:
        """With `hits`, calls that JAX's caches knew are counted. With `keep`, `settle` makes
        records of programs that JAX may forget. `told` is called after anything was added, within
        the user's own call: it may set a flag, and no more."""
        self._lock = threading.RLock()
        self._told = told
        self._keeper = Keeper() if keep and APART else None
        self._source: Source | None = None
        self._events: list[Event] = []
        self._latest: deque[Event] = deque(maxlen=SHOWN)
        self._counts = Counts(hits)
        self._making = Union()
        self._added = 0
        self._begun = time.perf_counter()
        self._ended: float | None = None
        self._error: str | None = None
        self._notes = [NOT_KEPT] if keep and not APART else list[str]()
        self.hits = hits
        """Whether calls that JAX's caches knew are counted."""
        self.start = time.time()
        """Seconds since 1970."""

    @property
    def events(self) -> Sequence[Event]:
        """The first `EVENTS` events, in the order in which they ended."""
        with self._lock:
            return tuple(self._events)

    @property
    def omitted(self) -> int:
        """Events that are counted in `functions` and are not among `events`."""
        return self._added - len(self._events)

    @property
    def functions(self) -> Sequence[Function]:
        """What was counted of each function, in the order in which they were met."""
        self._catch_up()
        with self._lock:
            return self._counts.functions()

    @property
    def causes(self) -> Sequence[Cause]:
        """Why functions were traced, lowered and compiled again, and how often; what took longest
        first."""
        with self._lock:
            return self._counts.causes()

    @property
    def apart(self) -> Totals:
        """What was counted of JAX's own functions, `jnp.sum` and the like, in total."""
        return self._counts.apart

    @property
    def ops(self) -> Sequence[Op]:
        """What was compiled op by op, outside jit, by op and line, in the order in which it was
        first met."""
        with self._lock:
            return self._counts.ops.rows()

    @property
    def retraces(self) -> int:
        return sum(function.retraces for function in self.functions)

    @property
    def again(self) -> int:
        """How often functions were made again: traced, or lowered and compiled without a trace."""
        with self._lock:
            return self._counts.again()

    @property
    def running(self) -> bool:
        return self._ended is None

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return (time.perf_counter() if self._ended is None else self._ended) - self._begun

    @property
    def making(self) -> float:
        """Seconds of these in which JAX traced, lowered or compiled anything."""
        return self._making.length

    def records(self) -> list[dict[str, Any]]:
        """The events as plain dicts, for `pandas.DataFrame(log.records())`."""
        return [row(event) for event in self.events]

    def record(self) -> schema.Log:
        """All that a page draws: of too many events the first and the latest, of too many
        functions and causes those that took longest."""
        self._catch_up()
        with self._lock:
            functions, causes = self._counts.functions(), self._counts.causes()
            first, latest = self._events[: 2 * SHOWN], list(self._latest)
            added, making, apart = self._added, self.making, self.apart
            ops = self._counts.ops.rows()
            slice_, notes = self._counts.slice, list(self._notes)
        events = first if added <= 2 * SHOWN else [*first[:SHOWN], *latest]
        shown, told = functions_and_causes(functions, causes)
        return schema.Log(
            version=schema.VERSION,
            jax=JAX,
            start=self.start,
            seconds=self.seconds,
            running=self.running,
            making=making,
            functions=shown,
            causes=told,
            events=events,
            omitted=added - len(events),
            apart=apart,
            ops=ops,
            slice=slice_,
            error=self._error,
            notes=notes,
        )

    def program(self, number: int) -> schema.Program | None:
        """What the event with this number traced, or the trace whose program it lowered or
        compiled, without tracing again. None where it is gone."""
        event = self._event(number)
        if event is None or self._source is None:
            return None
        trace = number if event.of is None else event.of
        kept = None if self._keeper is None else self._keeper.get(trace)
        return self._source.program(event) if kept is None else kept

    def settle(self) -> None:
        """Makes records of programs that were traced, of those that JAX still holds, for at most
        30 ms or one program. To be called in a thread of ours as soon as something was added, and
        once after the end."""
        if self._keeper is not None and self._source is not None:
            source = self._source
            self._keeper.settle(source.program, source.kept, last=not self.running)

    def adopt(self, event: Event, packed: bytes) -> None:
        """Keeps what another log has kept of an event, where it is told of it too."""
        if self._keeper is not None:
            self._keeper.adopt(event, packed)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as it is now: what is unpickled has ended, and has no programs."""
        with self._lock:
            state = {name: value for name, value in vars(self).items() if name not in _LIVING}
            state["_ended"] = self._begun + self.seconds
            return unpickled, (type(self), schema.VERSION, pickle.dumps(state))

    def __len__(self) -> int:
        return len(self._events)

    def __repr__(self) -> str:
        return self.summary(self.record())

    def summary(self, record: schema.Log) -> str:
        """What `print` shows; `record` is what `record()` gave."""
        return overview(record, self.omitted)

    def begin(self, source: Source) -> None:
        """From now on programs are had from `source`."""
        self._source = source

    def add(self, event: Event | Apart) -> None:
        """Counts it, and keeps it while there is room."""
        with self._lock:
            if not self.running:
                return
            self._making.add(max(event.start, self.start), event.start + event.seconds)
            if isinstance(event, Apart):
                self._counts.add_apart(event)
            else:
                self._counts.add(event)
                self._keep(event)
                if self._keeper is not None:
                    self._keeper.want(event)
        self._tell()

    def add_hits(self, since: float, called: Sequence[Called]) -> None:
        """Counts calls that JAX's caches knew, which came from `since` on (`perf_counter`)."""
        with self._lock:
            for function in called:
                self._counts.add_hits(function, max(since - self._begun, 0.0))
        self._tell()

    def note(self, sentence: str) -> None:
        """What could not be had from this version of JAX."""
        with self._lock:
            if sentence not in self._notes:
                self._notes.append(sentence)

    def close(self, error: str | None = None) -> None:
        """Ends it, where it has not ended: with the class of the exception that did, if any."""
        with self._lock:
            if self._ended is None:
                self._ended, self._error = time.perf_counter(), error

    def _catch_up(self) -> None:
        if self.hits and self.running and self._source is not None:
            self._source.catch_up()

    def _keep(self, event: Event) -> None:
        self._added += 1
        self._latest.append(event)
        if len(self._events) < EVENTS:
            self._events.append(event)

    def _event(self, number: int) -> Event | None:
        with self._lock:
            kept = (event for events in (self._events, self._latest) for event in events)
            return next((event for event in kept if event.number == number), None)

    def _tell(self) -> None:
        """What the one who is told fails at is not the user's."""
        if self._told is None:
            return
        try:
            self._told()
        except Exception:
            self._told = None


def unpickled(kind: type[Log], version: int, state: bytes) -> Log:
    """What `Log.__reduce__` wrote. Raises ValueError where another version of jaxviz did."""
    if version != schema.VERSION:
        raise ValueError(
            f"this log was pickled in format {version}, and this jaxviz reads format "
            f"{schema.VERSION}: unpickle it with the jaxviz that pickled it."
        )
    log = kind()
    vars(log).update(pickle.loads(state))
    return log
