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
from typing import Any, NamedTuple

import jax.monitoring

from jaxviz.capture import _events as seen
from jaxviz.capture._traces import misses
from jaxviz.capture.events.announcements import Apart, Span
from jaxviz.capture.events.reader import Reader
from jaxviz.capture.events.user_lines import with_user_lines
from jaxviz.capture.looking import LISTENERS
from jaxviz.schema import Program
from jaxviz.signature import Fact

_KIND_OF_EVENT = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
_CACHE = {
    "/jax/compilation_cache/cache_hits": True,
    "/jax/compilation_cache/cache_misses": False,
}


class Begun(NamedTuple):
    """What has begun and not ended."""

    kind: str
    name: str
    bodies: int | None
    earlier: int | None


@dataclass
class Thread(threading.local):
    """What happens in one thread."""

    begun: list[Begun] = field(default_factory=list)
    cached: bool | None = None
    busy: bool = False
    bodies: int | None = None
    """Traced when its last event began or ended."""


class Looks(threading.local):
    """How many looks of jaxviz's own last in one thread."""

    count: int = 0
    within: list[int]
    """What was traced in the outermost of them."""


class Listener:
    """Tells `sink` of everything, from `start` to `stop`, but of what jaxviz traces itself."""

    def __init__(self, sink: Callable[[Fact | Apart], None]) -> None:
        self._sink = sink
        self._thread = Thread()
        self._looks = Looks()
        self._reader = Reader()
        self._on = False
        self._lock = threading.RLock()
        self._users = 0
        """How many need JAX's announcements: watchers, and looks of jaxviz's own."""
        LISTENERS.add(self)

    def start(self) -> None:
        """Registers with JAX."""
        self._thread = Thread()
        self._on = True
        self._register()

    def stop(self) -> None:
        """Takes back what `start` registered. What JAX has lost meanwhile needs no taking."""
        self.end()
        self._unregister()

    def begin_look(self) -> None:
        """What this thread traces until `end_look` is remembered, and no event."""
        self._looks.count += 1
        if self._looks.count == 1:
            self._looks.within = []
            self._register()

    def end_look(self) -> None:
        """Ends what `begin_look` began."""
        self._looks.count -= 1
        if self._looks.count == 0:
            self._looks.within = []
            self._unregister()

    def _register(self) -> None:
        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            with suppress(Exception):
                # A clearing before this one began does not make what was traced since new.
                self._reader.clears.look()
                self._reader.silent.start()
            jax.monitoring.register_scalar_listener(self._starts)
            jax.monitoring.register_event_duration_secs_listener(self._ends)
            jax.monitoring.register_event_listener(self._happens)

    def _unregister(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users > 0:
                return
        listeners = {
            "scalar": self._starts,
            "event_duration": self._ends,
            "event": self._happens,
        }
        for kind, listener in listeners.items():
            with suppress(Exception):
                seen.unregister(listener, kind)

    def end(self) -> None:
        """Tells of nothing any more, though JAX goes on calling."""
        self._on = False

    @property
    def overlooked(self) -> bool:
        """Whether traces within others may not have been told: of 0.10 on, where JAX's cache of
        traces is too large to look through."""
        return self._reader.silent.overlooked

    @property
    def lacking(self) -> bool:
        """Whether this version of JAX names its own functions otherwise than is known here."""
        try:
            return bool(seen.missing())
        except Exception:
            return True

    def program(self, number: int, title: str) -> Program | None:
        """What was traced, lowered or compiled (`Fact.program`), as long as JAX holds it."""
        return self._reader.programs.live.program(number, title)

    def _starts(self, event: str, value: float, **about: Any) -> None:
        if event not in _KIND_OF_EVENT or not self._hears():
            return
        try:
            if self._reader.clears.look():
                self._reader.silent.forget()
                self._thread.bodies = 0
            label = str(about.get("fun_name", ""))
            earlier, now = self._thread.bodies, misses()
            begun = Begun(_KIND_OF_EVENT[event], label, now, _since(earlier, now))
            self._thread.begun.append(begun)
            self._thread.bodies = now
            self._reader.silent.open(self._traces())
        except Exception:
            return

    def _happens(self, event: str, **about: Any) -> None:
        if event in _CACHE:
            self._thread.cached = _CACHE[event]

    def _ends(self, event: str, duration_secs: float, **about: Any) -> None:
        if event not in _KIND_OF_EVENT or not self._hears():
            return
        self._thread.busy = True
        try:
            span = self._span(_KIND_OF_EVENT[event], str(about.get("fun_name", "")), duration_secs)
            if self._looks.count:
                self._reader.look(span, sys._getframe(1), self._looks.within)
                return
            for told in self._reader.read(span, sys._getframe(1)):
                self._sink(with_user_lines(told, span, sys._getframe(1)))
        except Exception:
            return
        finally:
            self._thread.busy = False

    def _hears(self) -> bool:
        return (self._on or self._looks.count > 0) and not self._thread.busy

    def _span(self, kind: str, label: str, seconds: float) -> Span:
        cached = self._thread.cached if kind == "compile" else None
        if kind == "compile":
            self._thread.cached = None
        begun, now = self._close(kind, label), misses()
        self._thread.bodies = now
        return Span(
            kind=kind,
            name=label,
            start=time.time() - seconds,
            seconds=seconds,
            depth=len(self._thread.begun),
            traces=self._traces(),
            thread=threading.current_thread().name,
            cached=cached,
            bodies=begun and _since(begun.bodies, now),
            earlier=begun and begun.earlier,
        )

    def _traces(self) -> int:
        return sum(begun.kind == "trace" for begun in self._thread.begun)

    def _close(self, kind: str, label: str) -> Begun | None:
        """Takes away what ends now, with what an exception left open within it."""
        open_ = self._thread.begun
        for i in range(len(open_) - 1, -1, -1):
            if open_[i][:2] == (kind, label):
                begun = open_[i]
                del open_[i:]
                return begun
        return None


def _since(before: int | None, now: int | None) -> int | None:
    """How many bodies were traced since; None where it is not known."""
    return None if now is None or before is None else max(now - before, 0)
