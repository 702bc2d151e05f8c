"""Tells traces that made a new program from those whose jaxpr JAX found in its cache.

JAX announces both. Only the first kind is an event: the second cost no trace.
"""

from __future__ import annotations

from collections.abc import Hashable
from threading import RLock

from jaxviz.capture.events.announced import Announced
from jaxviz.capture.events.functions import is_jax
from jaxviz.capture.events.programs import Programs

FAILED_TRACES = 1_000
"""How many failed traces are remembered."""


class Claims:
    """Numbers new programs, so that each belongs to one announcement."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._failed: set[Hashable] = set()
        """Function and signature of traces that failed. JAX counts the next attempt as answered by
        its cache, though it traces again."""
        self._lock = RLock()

    def claim(self, trace: Announced) -> int | None:
        """The number of the new program; None if JAX's cache had it. If several threads wait for
        one trace, the first to report has the program."""
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
        """What tells whether a trace repeats a failed one: the function's identity and a digest of
        the signature. None if no trace has failed, since the digest takes time."""
        if trace.signature is None or not (trace.jaxpr is None or self._failed):
            return None
        return trace.identity, trace.signature.digest()

    def _is_reused(self, trace: Announced) -> bool:
        """Whether JAX's cache had the jaxpr. From 0.9 on JAX announces a trace then, too."""
        known = self._programs.of(trace.jaxpr) is not None
        return trace.jaxpr is not None and (trace.span.bodies == 0 or known)
