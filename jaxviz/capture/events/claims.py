"""Tells announcements of new programs from those of programs that JAX found in its cache."""

from __future__ import annotations

from collections.abc import Hashable
from threading import RLock

from jaxviz.capture.events.announced import Announced
from jaxviz.capture.events.functions import is_jax
from jaxviz.capture.events.programs import Programs

FAILED_TRACES = 1_000
"""How many failed traces are remembered."""


class Claims:
    """Gives each new program to the one announcement that made it."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._failed: set[Hashable] = set()
        """Traces that failed, by function object and signature: JAX's cache counts the next as one
        that it had."""
        self._lock = RLock()

    def claim(self, trace: Announced) -> int | None:
        """The number of a new program; None where a cache had it. Of threads that wait for one
        trace the first has it."""
        key = self._key(trace)
        with self._lock:
            reused = self._is_reused(trace) and key not in self._failed
            self._failed.discard(key)
            if trace.jaxpr is None and key is not None and len(self._failed) < FAILED_TRACES:
                self._failed.add(key)
            if reused and self._programs.of(trace.jaxpr) is not None:
                return None
            own = None if is_jax(trace.function) else trace.identity
            program = self._programs.remember(trace.jaxpr, trace.function, own)
        return None if reused else program

    def _key(self, trace: Announced) -> Hashable:
        """What identifies a trace. Its signature is read only where a trace has failed, to save
        time."""
        if trace.signature is None or not (trace.jaxpr is None or self._failed):
            return None
        return trace.identity, trace.signature.digest()

    def _is_reused(self, trace: Announced) -> bool:
        """From 0.9 on JAX announces a trace also where its cache has the jaxpr."""
        known = self._programs.of(trace.jaxpr) is not None
        return trace.jaxpr is not None and (trace.span.bodies == 0 or known)
