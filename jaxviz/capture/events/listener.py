"""Listens to `jax.monitoring` and reports what happened.

JAX calls a listener within the user's own call, at the start and the end of each trace, lowering
and compilation, and not at all where its caches have what is needed. If anything fails here, the
event is lost, but the user's call is not affected.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

from jaxviz.capture import _events as seen
from jaxviz.capture._traces import misses
from jaxviz.capture.events.announcements import Objects
from jaxviz.capture.events.hits import AnsweredCalls
from jaxviz.capture.events.reader import Reader
from jaxviz.capture.events.user_lines import with_user_lines
from jaxviz.capture.shown.strings import name
from jaxviz.capture.tracing.trace import LISTENERS
from jaxviz.schema import Program
from jaxviz.schema.signature import Function, Trace

_KIND_OF_EVENT = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
_CACHE = {"/jax/compilation_cache/cache_hits": True, "/jax/compilation_cache/cache_misses": False}
_SAVED = "/jax/compilation_cache/compile_time_saved_sec"


class BegunEvent(NamedTuple):
    """A trace, lowering or compilation that has begun and not ended."""

    kind: str
    name: str
    bodies: int | None
    """How many functions JAX had traced in all when it began; None if not known."""
    earlier: int | None
    """As `Objects.earlier`."""


@dataclass
class ThreadState(threading.local):
    """What happens in one thread: each thread sees its own fields."""

    begun: list[BegunEvent] = field(default_factory=list)
    """Events that have not ended, outermost first."""
    cached: bool | None = None
    """Whether the persistent cache had the compilation that goes on; None if it was not asked."""
    saved: float | None = None
    """The seconds that this saved, as JAX says."""
    busy: bool = False
    """Whether an event is being read: what JAX does for that is no event."""
    bodies: int | None = None
    """How many functions JAX had traced in all when the last event began or ended, or when
    listening began; None if not known."""


class Listener:
    """Calls `sink` with every event from `start` to `stop`, but not with jaxviz's own traces."""

    def __init__(self, sink: Callable[[Trace], None]) -> None:
        self._sink = sink
        self._thread = ThreadState()
        self._looks: dict[int, list[int]] = {}
        """The numbers of the traces (`JaxvizTrace.number`) in the look of each thread that has one
        open: jaxviz traces in a look, to show a program."""
        self._reader = Reader()
        self._on = False
        self._lock = threading.RLock()
        LISTENERS.add(self)

    def start(self) -> None:
        """Begins to call `sink`, if it has not begun."""
        if not self._on:
            self._thread = ThreadState()
        self._on = True
        self._register()

    def stop(self) -> None:
        """Takes back what `start` registered, if JAX still has it."""
        self.end()
        self._unregister()

    def is_looking(self) -> bool:
        """Whether a look is open in this thread."""
        return threading.get_ident() in self._looks

    def begin_look(self) -> None:
        """Until `end_look`, traces of this thread are remembered as jaxviz's, and not reported."""
        self._looks[threading.get_ident()] = []
        self._register()

    def end_look(self) -> None:
        """Ends what `begin_look` began."""
        self._looks.pop(threading.get_ident(), None)
        self._unregister()

    def forget_open_events(self) -> None:
        """Forgets the events of this thread that have begun: at the begin of a cell they have ended
        without a word of JAX's, by an exception."""
        ThreadState.__init__(self._thread)

    def _register(self) -> None:
        """Registers with JAX what is not registered, as JAX's own lists say: they cannot be wrong
        after an interrupt, as a count can."""
        with self._lock:
            if not any(seen.is_registered(*of) for of in self._listeners()):
                with suppress(Exception):
                    # A clearing before this one began does not make what was traced since new.
                    self._reader.clears.look()
                    self._thread.bodies = misses()
                    self._reader.cache.start()
            for listener, kind in self._listeners():
                seen.register(listener, kind)

    def _unregister(self) -> None:
        """Takes all of it back, unless a watch or a look needs it."""
        with self._lock:
            if self._on or self._looks:
                return
            for listener, kind in self._listeners():
                with suppress(Exception):
                    seen.unregister(listener, kind)

    def _listeners(self) -> list[tuple[Any, str]]:
        """Our listeners, each with the kind of events that it hears."""
        return [(self._starts, "scalar"), (self._ends, "event_duration"), (self._happens, "event")]

    def end(self) -> None:
        """Reports nothing more, even if JAX goes on calling."""
        self._on = False

    @property
    def overlooked(self) -> bool:
        """Whether traces within other traces may be missing. It can be from 0.10 on, if JAX's cache
        of traces was too large to search."""
        return self._reader.cache.overlooked

    @property
    def lacking(self) -> bool:
        """Whether private names of JAX that are read here are missing in this version."""
        try:
            return bool(seen.missing())
        except Exception:
            return True

    def answered_calls(self, sink: Callable[[Trace], None]) -> AnsweredCalls:
        """What describes calls that JAX's caches answered, by the functions that are known here."""
        return AnsweredCalls(self._reader.programs, sink)

    def program(self, number: int, title: str) -> Program | None:
        """The program with the number `Trace.program`; None if JAX no longer holds its jaxpr."""
        return self._reader.programs.live.program(number, title)

    def _starts(self, event: str, value: float, **about: Any) -> None:
        if event not in _KIND_OF_EVENT or not self._hears():
            return
        try:
            kind, clears = _KIND_OF_EVENT[event], self._reader.clears
            if clears.look(kind == "trace" and not self._thread.begun):
                self._reader.cache.forget()
                self._thread.bodies = 0 if clears.all else self._thread.bodies
            label = str(about.get("fun_name", ""))
            earlier, now = self._thread.bodies, misses()
            begun = BegunEvent(kind, label, now, _since(earlier, now))
            self._thread.begun.append(begun)
            self._thread.bodies = now
            self._reader.cache.open(self._traces())
        except Exception:
            return

    def _happens(self, event: str, **about: Any) -> None:
        if event in _CACHE:
            self._thread.cached = _CACHE[event]

    def _ends(self, event: str, duration_secs: float, **about: Any) -> None:
        if event == _SAVED:
            self._thread.saved = duration_secs
        if event not in _KIND_OF_EVENT or not self._hears():
            return
        try:
            self._thread.busy = True
            kind, label = _KIND_OF_EVENT[event], str(about.get("fun_name", ""))
            heard = self._heard(kind, label, duration_secs, sys._getframe(1))
            within = self._looks.get(threading.get_ident())
            if within is not None:
                self._reader.look(heard, within)
                return
            for trace in self._reader.read(heard):
                self._sink(with_user_lines(trace, heard))
        except Exception:
            return
        finally:
            self._thread.busy = False

    def _hears(self) -> bool:
        return (self._on or self.is_looking()) and not self._thread.busy

    def _heard(self, kind: str, label: str, seconds: float, frame: FrameType) -> Trace:
        """What JAX announces from `frame`."""
        cached, saved = (
            (self._thread.cached, self._thread.saved) if kind == "compile" else (None, None)
        )
        if kind == "compile":
            self._thread.cached = self._thread.saved = None
        begun, now = self._close(kind, label), misses()
        self._thread.bodies = now
        return Trace(
            kind=kind,
            start=time.time() - seconds,
            seconds=seconds,
            depth=len(self._thread.begun),
            thread=threading.current_thread().name,
            function=Function(name(label), "", 0),
            cached=cached,
            saved=saved,
            objects=Objects(
                label=label,
                frame=frame,
                traces=self._traces(),
                bodies=begun and _since(begun.bodies, now),
                earlier=begun and begun.earlier,
            ),
        )

    def _traces(self) -> int:
        return [begun.kind for begun in self._thread.begun].count("trace")

    def _close(self, kind: str, label: str) -> BegunEvent | None:
        """Removes and returns what ends now. Events within it that an exception left open go, too;
        None if its beginning was not seen."""
        open_ = self._thread.begun
        for i in range(len(open_) - 1, -1, -1):
            if open_[i][:2] == (kind, label):
                begun = open_[i]
                del open_[i:]
                return begun
        return None


def _since(before: int | None, now: int | None) -> int | None:
    """How many functions were traced from one count to the next; None if one is not known."""
    return None if now is None or before is None else max(now - before, 0)
