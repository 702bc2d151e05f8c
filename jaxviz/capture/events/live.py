"""Jaxprs that JAX's caches still hold, so that a trace can be shown without tracing again."""

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


def _is_apart() -> bool:
    with without_values():
        return Context().run(np.get_printoptions)["formatter"] is None


APART = _is_apart()
"""Whether a thread can make a program while the user's own threads print arrays: older versions of
NumPy have one way of printing them for all threads, and programs are made without their values."""


class Live:
    """Keeps weak references to jaxprs: one that JAX forgets is gone here too."""

    def __init__(self) -> None:
        self._jaxprs: dict[int, weakref.ref[Any]] = {}

    def add(self, number: int, jaxpr: Any) -> None:
        """Remembers the open jaxpr under a number, and forgets the oldest beyond `PROGRAMS`."""
        self._jaxprs[number] = weakref.ref(jaxpr)
        if len(self._jaxprs) > PROGRAMS:
            del self._jaxprs[next(iter(self._jaxprs))]

    def program(self, number: int, title: str) -> Program | None:
        """The program with its jaxpr; None where JAX has forgotten it."""
        reference = self._jaxprs.get(number)
        jaxpr = None if reference is None else reference()
        if jaxpr is None:
            return None
        named, returned = debug_paths(jaxpr)
        inputs = [path or f"args[{i}]" for i, path in enumerate(named)]
        outputs = [path or f"result[{i}]" for i, path in enumerate(returned)]
        closed = ClosedJaxpr(jaxpr, [None] * len(jaxpr.constvars))
        return program_of(closed, title, inputs, outputs, [])
