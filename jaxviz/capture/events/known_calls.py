"""Describes calls that JAX's caches answered, so that the program that each found can be told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

import jax
import numpy as np
from jax.tree_util import tree_flatten_with_path

from jaxviz.capture._events import Call
from jaxviz.capture.events.describe import arguments_of, signature_of
from jaxviz.capture.events.functions import definition_of, is_jax, site_of
from jaxviz.capture.events.programs import Programs
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name
from jaxviz.schema.signature import Trace


def nothing() -> None:
    """Tells nothing."""


class KnownCalls(threading.local):
    """Calls `sink` with calls that JAX's caches answered. Each thread sees its own `busy`."""

    busy = False
    """Whether a call is being described: what the user's classes call for it is no call."""

    def __init__(self, programs: Programs, sink: Callable[[Trace], None]) -> None:
        self._programs, self._sink = programs, sink

    def described(self, made: Call | None, frame: FrameType | None) -> Callable[[], None]:
        """Describes a call that was made from `frame`. What is returned tells of it, if its
        function is the user's."""
        try:
            self.busy = True
            call = None if made is None else self._call(made, frame)
        finally:
            self.busy = False
        return nothing if call is None else partial(self._sink, call)

    def _call(self, made: Call, frame: FrameType | None) -> Trace | None:
        whose = self._programs.whose(made, frame)
        if whose is None or is_jax(whose.function):
            return None
        return Trace(
            kind="call",
            start=time.time(),
            function=whose.function,
            definition=definition_of(whose.function),
            identity=whose.identity,
            signature=signature_of(whose.call),
            site=site_of(frame),
            narrowed=next(_narrowed(whose.call), ""),
        )


def _narrowed(call: Call) -> Iterator[str]:
    """The NumPy arrays among the arguments of which JAX takes another type than they have."""
    for argument, _, static, value in arguments_of(call):
        for path, leaf in [] if static else tree_flatten_with_path(value)[0]:
            if is_a(leaf, np.ndarray, np.generic):
                taken: Any = jax.typeof(leaf)
                if taken.dtype != leaf.dtype:
                    yield name(f"{argument}{path_text(path)}: {leaf.dtype} taken as {taken.dtype}")
