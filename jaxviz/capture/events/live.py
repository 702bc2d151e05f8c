"""Finds the jaxpr of a trace in JAX's caches, so that it can be shown without tracing again."""

from __future__ import annotations

import weakref
from contextvars import Context
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxviz.capture.jaxpr import debug_paths
from jaxviz.capture.strings import without_values
from jaxviz.capture.trace import program_of
from jaxviz.schema import Program

PROGRAMS = 10_000


def _printing_is_per_thread() -> bool:
    with without_values():
        return Context().run(np.get_printoptions)["formatter"] is None


PRINTING_IS_PER_THREAD = _printing_is_per_thread()
"""Whether each thread has NumPy's print options to itself. A program is made with options that
print no values of arrays. Older versions of NumPy have one set for all threads, so that a thread of
ours would change what the user's threads print meanwhile."""


class Live:
    """Weak references to the jaxprs of programs: what JAX forgets is gone here, too."""

    def __init__(self) -> None:
        self._jaxprs: dict[int, weakref.ref[Any]] = {}

    def add(self, number: int, jaxpr: Any) -> None:
        """Remembers the open jaxpr of the program `number`, and forgets the oldest of more than
        `PROGRAMS`."""
        self._jaxprs[number] = weakref.ref(jaxpr)
        if len(self._jaxprs) > PROGRAMS:
            del self._jaxprs[next(iter(self._jaxprs))]

    def program(self, number: int, title: str) -> Program | None:
        """The record of the program `number`; None if JAX has forgotten its jaxpr."""
        reference = self._jaxprs.get(number)
        jaxpr = None if reference is None else reference()
        if jaxpr is None:
            return None
        named, returned = debug_paths(jaxpr)
        inputs = [path or f"args[{i}]" for i, path in enumerate(named)]
        outputs = [path or f"result[{i}]" for i, path in enumerate(returned)]
        closed = ClosedJaxpr(jaxpr, [None] * len(jaxpr.constvars))
        return program_of(closed, title, inputs, outputs, [])
