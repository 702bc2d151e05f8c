"""Listens to `jax.monitoring` and reports each trace, lowering and compilation.

JAX calls a listener within the user's call, at the start and the end of each event. It calls no
listener if its caches answer. If a listener fails, the event is lost, and the user's call goes on.
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
from jaxviz.capture.events.frozen.frozen_traces import FrozenTraces
from jaxviz.capture.events.hits import AnsweredCalls
from jaxviz.capture.events.programs import Objects
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
    """A trace, lowering or compilation that has not ended."""

    kind: str
    name: str
    bodies: int | None
    """The number of functions that JAX had traced when it began; None if not known."""
    earlier: int | None
    """See `Objects.earlier`."""


@dataclass
class ThreadState(threading.local):
    """The state of one thread. Each thread has its own fields."""

    begun: list[BegunEvent] = field(default_factory=list)
    """Events that have not ended, outermost first."""
    cached: bool | None = None
    """True if the persistent cache had the current compilation; None if it was not asked."""
    saved: float | None = None
    """The seconds that the persistent cache saved, from JAX."""
    busy: bool = False
    """True while an event is read. JAX's events for that are ignored."""
    bodies: int | None = None
    """The number of functions that JAX had traced when the last event began or ended, or when
    listening began; None if not known."""


class Listener:
    """Calls `sink` with every event from `start` to `stop`, except traces by jaxviz itself."""

    def __init__(self, sink: Callable[[Trace], None]) -> None:
        self._sink = sink
        self._thread = ThreadState()
        self._captures: dict[int, list[int]] = {}
        """For each thread in which jaxviz captures a program, the numbers of its traces
        (`JaxvizTrace.number`)."""
        self._reader = Reader()
        self._on = False
        self._lock = threading.RLock()
        LISTENERS.add(self)

    def start(self) -> None:
        """Begins to call `sink`."""
        if not self._on:
            self._thread = ThreadState()
        self._on = True
        self._register()

    def stop(self) -> None:
        """Ends the calls of `sink`, and removes the listeners from JAX."""
        self.end()
        self._unregister()

    def is_capturing(self) -> bool:
        """True if jaxviz captures a program in this thread."""
        return threading.get_ident() in self._captures

    def begin_capture(self) -> None:
        """Until `end_capture`, traces of this thread are remembered as jaxviz's, not reported."""
        self._captures[threading.get_ident()] = []
        self._register()

    def end_capture(self) -> None:
        """Ends what `begin_capture` began."""
        self._captures.pop(threading.get_ident(), None)
        self._unregister()

    def forget_open_events(self) -> None:
        """Forgets the events of this thread that have begun: at the begin of a cell they have ended
        without a word of JAX's, by an exception."""
        ThreadState.__init__(self._thread)

    def _register(self) -> None:
        """Registers the listeners that JAX's lists lack. After an interrupt these lists are right,
        while a count may be wrong."""
        with self._lock:
            if not any(seen.is_registered(*of) for of in self._listeners()):
                with suppress(Exception):
                    # Clearings before now are not counted: they explain no later trace.
                    self._reader.clears.update()
                    self._thread.bodies = misses()
                    self._reader.cache.start()
            for listener, kind in self._listeners():
                seen.register(listener, kind)

    def _unregister(self) -> None:
        """Removes the listeners from JAX, unless a watch or a capture needs them."""
        with self._lock:
            if self._on or self._captures:
                return
            for listener, kind in self._listeners():
                with suppress(Exception):
                    seen.unregister(listener, kind)

    def _listeners(self) -> list[tuple[Any, str]]:
        """The listeners, each with its kind of JAX's events."""
        return [(self._starts, "scalar"), (self._ends, "event_duration"), (self._happens, "event")]

    def end(self) -> None:
        """Ends the calls of `sink`, even if JAX still calls the listeners."""
        self._on = False

    @property
    def may_miss_traces(self) -> bool:
        """True if nested traces may be missing: JAX's cache was too large to search (from 0.10)."""
        return self._reader.cache.was_too_large

    @property
    def lacks_names(self) -> bool:
        """True if this version of JAX lacks private names that jaxviz reads for events."""
        try:
            return bool(seen.missing())
        except Exception:
            return True

    def answered_calls(self, sink: Callable[[Trace], None]) -> AnsweredCalls:
        """Describes the calls that JAX's caches answer, for `sink`."""
        return AnsweredCalls(self._reader.programs, sink)

    @property
    def frozen(self) -> FrozenTraces:
        """The values that traces have read, also traces by jaxviz itself."""
        return self._reader.frozen

    def program(self, number: int, title: str) -> Program | None:
        """The program with the number `Trace.program`; None if JAX no longer has its jaxpr."""
        return self._reader.programs.live.program(number, title)

    def _starts(self, event: str, value: float, **about: Any) -> None:
        if event not in _KIND_OF_EVENT or not self._reports():
            return
        try:
            kind, clears = _KIND_OF_EVENT[event], self._reader.clears
            if clears.update(kind == "trace" and not self._thread.begun):
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
        if event not in _KIND_OF_EVENT or not self._reports():
            return
        try:
            self._thread.busy = True
            kind, label = _KIND_OF_EVENT[event], str(about.get("fun_name", ""))
            announced = self._announced(kind, label, duration_secs, sys._getframe(1))
            within = self._captures.get(threading.get_ident())
            if within is not None:
                self._reader.remember(announced, within)
                return
            for trace in self._reader.read(announced):
                self._sink(with_user_lines(trace, announced))
        except Exception:
            return
        finally:
            self._thread.busy = False

    def _reports(self) -> bool:
        return (self._on or self.is_capturing()) and not self._thread.busy

    def _announced(self, kind: str, label: str, seconds: float, frame: FrameType) -> Trace:
        """The event that JAX announces from `frame`, with its `Objects`."""
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
        """Removes and returns the event that ends, with events in it that an exception ended. None
        if the listener was not called at its beginning."""
        open_ = self._thread.begun
        for i in range(len(open_) - 1, -1, -1):
            if open_[i][:2] == (kind, label):
                begun = open_[i]
                del open_[i:]
                return begun
        return None


def _since(before: int | None, now: int | None) -> int | None:
    """The number of functions that were traced between two counts; None if one is not known."""
    return None if now is None or before is None else max(now - before, 0)
