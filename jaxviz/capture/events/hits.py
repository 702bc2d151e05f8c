"""Counts and describes the calls that JAX's caches answer.

JAX announces nothing for them, so jaxviz puts hooks where JAX looks for its own. A hook takes a
little time in each call, so calls are counted only if the user asks for it. A hit of the C++ cache
is certain at once. A hit of a cache in Python is certain only at the end of the call, since JAX may
lower or compile until then.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import RLock
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

import jax
import numpy as np
from jax.tree_util import tree_flatten_with_path

from jaxviz.capture import _hooks as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.describe import arguments_of, signature_of
from jaxviz.capture.events.functions import definition_of, function_of, is_jax, site_of
from jaxviz.capture.events.programs import Programs
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name
from jaxviz.schema import Frame, Sentence
from jaxviz.schema.signature import Trace
from jaxviz.sentences import sentence


class OpenCall(NamedTuple):
    """A call that has been neither lowered nor compiled so far."""

    thread: int
    """The number of its thread (`threading.get_ident`)."""
    answered: Callable[[], None]
    """Counts the call as one that JAX's caches answered."""


class SlowCalls:
    """Counts a call when it has ended, unless it was lowered or compiled. JAX does not announce its
    end: `settle` checks if the call's frame is still on a stack."""

    def __init__(self) -> None:
        self._open: dict[int, OpenCall] = {}
        """Open calls by the `id` of their frames, which is unique while the call lasts."""

    def begin(self, call: FrameType, answered: Callable[[], None]) -> None:
        """Notes a call that has begun. `answered` is called if a cache answers it."""
        self._open[id(call)] = OpenCall(threading.get_ident(), answered)

    def miss(self, call: FrameType) -> None:
        """Notes that the call is lowered or compiled, so that it is not counted."""
        self._open.pop(id(call), None)

    def settle(self, new: FrameType | None = None) -> None:
        """Counts the calls that have ended. A call has also ended if a `new` call begins in a frame
        with the same `id`."""
        earlier = self._open.pop(id(new), None)
        if earlier is not None:
            earlier.answered()
        if not self._open:
            return
        running = _frames_of({call.thread for call in self._open.values()})
        for number in [number for number in self._open if number not in running]:
            self._open.pop(number).answered()

    def clear(self) -> None:
        """Forgets the calls that have not ended."""
        self._open.clear()


def _frames_of(threads: set[int]) -> set[int]:
    """The `id`s of all frames on the stacks of these threads."""
    if threads == {threading.get_ident()}:
        stacks: list[FrameType | None] = [sys._getframe()]
    else:
        current = sys._current_frames()
        stacks = [current.get(thread) for thread in threads]
    found: set[int] = set()
    for frame in stacks:
        while frame is not None:
            found.add(id(frame))
            frame = frame.f_back
    return found


def nothing() -> None:
    """Reports nothing."""


class AnsweredCalls(threading.local):
    """Describes calls that JAX's caches answered, for `sink`. Each thread has its own `busy`."""

    busy = False
    """True while a call is described. Calls that the user's classes make then are not counted."""

    def __init__(self, programs: Programs, sink: Callable[[Trace], None]) -> None:
        self._programs, self._sink = programs, sink

    def described(self, made: Call | None, frame: FrameType | None) -> Callable[[], None]:
        """Describes a call that was made from `frame`. Returns a function that reports it. That
        does nothing if the called function is not the user's."""
        try:
            self.busy = True
            call = None if made is None else self._call(made, frame)
        finally:
            self.busy = False
        return nothing if call is None else partial(self._sink, call)

    def _call(self, made: Call, frame: FrameType | None) -> Trace | None:
        users = self._programs.resolve(made, frame)
        if users is None or is_jax(users.function):
            return None
        return Trace(
            kind="call",
            start=time.time(),
            function=users.function,
            definition=definition_of(users.function),
            identity=users.identity,
            signature=signature_of(users.call),
            site=site_of(frame),
            narrowed=next(_narrowed(users.call), ""),
        )


def _narrowed(call: Call) -> Iterator[Sentence]:
    """The NumPy arrays among the arguments to which JAX gives another dtype."""
    for argument, _, static, value in arguments_of(call):
        for path, leaf in [] if static else tree_flatten_with_path(value)[0]:
            if is_a(leaf, np.ndarray, np.generic):
                taken: Any = jax.typeof(leaf)
                if taken.dtype != leaf.dtype:
                    which = name(f"{argument}{path_text(path)}: {leaf.dtype}")
                    yield sentence("narrowed", which=which, taken=str(taken.dtype))


SECONDS_OF_DESCRIBING = 0.25
"""The first calls of a function are described, until this takes so long. Describing takes longer
than counting, above all with many arguments."""
PERIOD = 0.001
"""Calls within this many seconds are counted together."""


class CallCount(NamedTuple):
    """The number of a function's calls since the last report."""

    name: str
    definition: Frame | None
    times: int


@dataclass(slots=True, eq=False)
class CallCounter:
    """Counts the calls of one function since the last report."""

    name: str
    definition: Frame | None
    times: int = 0
    seconds: float = SECONDS_OF_DESCRIBING
    """The time left for describing calls."""

    @contextmanager
    def describing(self) -> Iterator[None]:
        """Subtracts the time within this context from `seconds`."""
        began = perf_counter()
        yield
        self.seconds -= perf_counter() - began


class Hits:
    """Calls `sink` with the `perf_counter` when a period began, and the calls counted in it.
    `calls` describes the first calls of each function."""

    def __init__(
        self, sink: Callable[[float, list[CallCount]], None], calls: AnsweredCalls
    ) -> None:
        self._sink, self._calls = sink, calls
        self._lock = RLock()
        self._counters: dict[Any, CallCounter] = {}
        self._by_function: dict[int, tuple[CallCounter, ref[Any]]] = {}
        """The counter of each jitted function, by its `id`, while the function lives; with the weak
        reference that removes the counter."""
        self._placed: list[seen.PlacedHook] = []
        self._is_counting = False
        """If False, the hooks do nothing: JAX may still have one."""
        self._since = self._until = 0.0
        self._slow = SlowCalls()
        self._hook, self._listener = self._count, self._watch_slow
        self.effects = False
        """True if calls of functions with effects are counted, too."""

    def start(self) -> bool:
        """Puts the hooks where JAX looks for them, and removes older ones. False if this version of
        JAX has no place for the hook of functions without effects: then nothing is counted."""
        self.withdraw()
        self._is_counting, self._calls.busy = True, False
        try:
            places, events = seen.hooks(), seen.event_hook()
            for place in places:
                seen.put(place, self._hook, self._placed)
            if events is not None:
                seen.put(events, self._listener, self._placed)
            self.effects = events is not None
        except Exception:
            return bool(self._placed)
        return bool(places)

    def stop(self) -> bool:
        """Reports the counts, and restores the hooks that JAX had before. False if another hook has
        replaced one of jaxviz: then calls may be missing."""
        stayed = self.withdraw()
        self.report()
        self._by_function.clear()
        self._counters.clear()
        self._slow.clear()
        return stayed

    def withdraw(self) -> bool:
        """Removes the hooks; the counts stay. False if another hook has replaced one of these."""
        self._is_counting = False
        stayed = [seen.put_back(placed) for placed in self._placed]
        self._placed.clear()
        return all(stayed)

    def report(self) -> None:
        """Reports the counts since the last report, if there are any."""
        with self._lock:
            self._slow.settle()
            counted = [counter for counter in self._counters.values() if counter.times]
            counts = [CallCount(c.name, c.definition, c.times) for c in counted]
            for counter in counted:
                counter.times = 0
            since = self._since
        if counts:
            self._sink(since, counts)

    def _count(self, fun: Any, args: Any, kwargs: Any, out: Any) -> None:
        """The hook of calls that JAX's C++ cache answers. It runs within the user's call, so an
        exception is dropped, and that call is not counted."""
        if self._calls.busy or not self._is_counting:
            return
        try:
            with self._lock:
                now = perf_counter()
                if now >= self._until:
                    self._begin_period(now)
                counter = self._counter(fun)
                counter.times += 1
            if counter.seconds > 0:
                with counter.describing():
                    made = seen.fast_arguments(fun, args, kwargs)
                    self._calls.described(made, sys._getframe(1))()
        except Exception:
            return

    def _watch_slow(self, name: str, *_: Any) -> None:
        """The hook of all other calls. A call that ends without being lowered or compiled was
        answered by a cache in Python, and is counted."""
        if self._calls.busy or not self._is_counting:
            return
        if name != seen.SLOW and name not in seen.MISSES:
            return
        try:
            call = seen.slow_call(sys._getframe())
            if call is None:
                return
            with self._lock:
                if name == seen.SLOW:
                    self._open(call)
                else:
                    self._slow.miss(call)
        except Exception:
            return

    def _open(self, call: FrameType) -> None:
        self._slow.settle(call)
        now = perf_counter()
        if now >= self._until:
            self._begin_period(now)
        fun = seen.function_called(call)
        if fun is not None:
            self._slow.begin(call, self._when_answered(self._counter(fun), call))

    def _when_answered(self, counter: CallCounter, call: FrameType) -> Callable[[], None]:
        """Describes a call. Returns a function that counts and reports it."""
        report = nothing
        if counter.seconds > 0:
            with suppress(Exception), counter.describing():
                report = self._calls.described(seen.slow_arguments(call), call)

        def answered() -> None:
            counter.times += 1
            report()

        return answered

    def _counter(self, fun: Any) -> CallCounter:
        cached = self._by_function.get(id(fun))
        return cached[0] if cached is not None else self._new_counter(fun)

    def _begin_period(self, now: float) -> None:
        self.report()
        self._since, self._until = now, now + PERIOD

    def _new_counter(self, fun: Any) -> CallCounter:
        function = function_of(fun)
        if function is None or is_jax(function):
            counter = CallCounter("", None, seconds=0)
        else:
            key = (function.name, definition_of(function))
            counter = self._counters.setdefault(key, CallCounter(*key))
        number = id(fun)
        with suppress(TypeError):  # no weak reference: the counter is looked up in every call
            # Python drops an interrupt that comes within a callback written in Python.
            self._by_function[number] = counter, ref(fun, partial(self._by_function.pop, number))
        return counter
