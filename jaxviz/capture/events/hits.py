"""Counts and describes the calls that JAX's caches answer.

JAX announces nothing for them, so hooks are put where JAX looks for its own. They take a little
time in each call, so calls are counted only if the user asks for it. That the C++ cache answered a
call is known at once; that one of the caches in Python did, only at the end of the call, since it
may be lowered or compiled until then.
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
    """A call that was neither lowered nor compiled so far."""

    thread: int
    """The number of its thread (`threading.get_ident`)."""
    known: Callable[[], None]
    """Counts the call as one that JAX's caches answered."""


class SlowCalls:
    """Counts each call when it is over, unless it was lowered or compiled: no cache answered that.
    JAX does not say when a call is over: `settle` looks whether its frame is still on a stack."""

    def __init__(self) -> None:
        self._open: dict[int, OpenCall] = {}
        """By the `id` of the call's frame, which is no other frame's while the call lasts."""

    def begin(self, call: FrameType, known: Callable[[], None]) -> None:
        """Notes a call that has begun. `known` is called if JAX's caches turn out to answer it."""
        self._open[id(call)] = OpenCall(threading.get_ident(), known)

    def miss(self, call: FrameType) -> None:
        """Notes that the call is lowered or compiled, so that it is not counted."""
        self._open.pop(id(call), None)

    def settle(self, new: FrameType | None = None) -> None:
        """Counts the calls that are over. If a `new` call begins in a frame with the `id` of an
        earlier one, the earlier one is over, too."""
        earlier = self._open.pop(id(new), None)
        if earlier is not None:
            earlier.known()
        if not self._open:
            return
        running = _running({call.thread for call in self._open.values()})
        for number in [number for number in self._open if number not in running]:
            self._open.pop(number).known()

    def clear(self) -> None:
        """Forgets the calls that are not over."""
        self._open.clear()


def _running(threads: set[int]) -> set[int]:
    """The `id`s of all frames on the stacks of these threads."""
    if threads == {threading.get_ident()}:
        return _stack(sys._getframe())
    frames = sys._current_frames()
    return {number for thread in threads for number in _stack(frames.get(thread))}


def _stack(frame: Any) -> set[int]:
    found = set()
    while frame is not None:
        found.add(id(frame))
        frame = frame.f_back
    return found


def nothing() -> None:
    """Reports nothing."""


class AnsweredCalls(threading.local):
    """Describes calls that JAX's caches answered, for `sink`. Each thread sees its own `busy`."""

    busy = False
    """True while a call is being described: what the user's classes call for it is no call."""

    def __init__(self, programs: Programs, sink: Callable[[Trace], None]) -> None:
        self._programs, self._sink = programs, sink

    def described(self, made: Call | None, frame: FrameType | None) -> Callable[[], None]:
        """Describes a call that was made from `frame`. Returns a function that reports it, if its
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


def _narrowed(call: Call) -> Iterator[Sentence]:
    """The NumPy arrays among the arguments that JAX takes with another type than their own."""
    for argument, _, static, value in arguments_of(call):
        for path, leaf in [] if static else tree_flatten_with_path(value)[0]:
            if is_a(leaf, np.ndarray, np.generic):
                taken: Any = jax.typeof(leaf)
                if taken.dtype != leaf.dtype:
                    which = name(f"{argument}{path_text(path)}: {leaf.dtype}")
                    yield sentence("narrowed", which=which, taken=str(taken.dtype))


SECONDS_OF_DESCRIBING = 0.25
"""How long calls of one function are described: the first ones. To describe one takes longer than
to count it, the longer the more arguments it has."""
PERIOD = 0.001
"""Calls within this many seconds are counted together."""


class CallCount(NamedTuple):
    """How often a function was called since the last report."""

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
    """How long calls will still be described."""

    def count(self) -> None:
        """One call more."""
        self.times += 1

    @contextmanager
    def describing(self) -> Iterator[None]:
        """While a call is described."""
        began = perf_counter()
        yield
        self.seconds -= perf_counter() - began


class Hits:
    """Calls `sink` with the calls counted in a period, and the `perf_counter` when it began. The
    first calls of each function are described by `calls`."""

    def __init__(
        self, sink: Callable[[float, list[CallCount]], None], calls: AnsweredCalls
    ) -> None:
        self._sink, self._calls = sink, calls
        self._lock = RLock()
        self._counters: dict[Any, CallCounter] = {}
        self._known: dict[int, tuple[CallCounter, ref[Any]]] = {}
        """The counter of each jitted function, by its `id`, as long as the function lives; with the
        weak reference that removes it then."""
        self._placed: list[seen.PlacedHook] = []
        self._is_counting = False
        """False if a hook that was left in its place is to do nothing."""
        self._since = self._until = 0.0
        self._slow = SlowCalls()
        self._hook, self._listener = self._count, self._hear
        self.effects = False
        """Whether calls of functions with effects are counted as well."""

    def start(self) -> bool:
        """Puts our hooks where JAX looks for them, after it took out any that were left there.
        False if this version of JAX has no place for the hook that counts functions without
        effects: then nothing is counted."""
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
        """Reports what was counted, and puts back the hooks that were there before. False if
        another hook has replaced one of ours: calls may have been missed then."""
        stayed = self.withdraw()
        self.tell()
        self._known.clear()
        self._counters.clear()
        self._slow.clear()
        return stayed

    def withdraw(self) -> bool:
        """As `stop`, but without a report of what was counted."""
        self._is_counting = False
        stayed = [seen.put_back(placed) for placed in self._placed]
        self._placed.clear()
        return all(stayed)

    def tell(self) -> None:
        """Reports what was counted since the last report, if anything."""
        with self._lock:
            self._slow.settle()
            counted = [counter for counter in self._counters.values() if counter.times]
            told = [CallCount(c.name, c.definition, c.times) for c in counted]
            for counter in counted:
                counter.times = 0
            since = self._since
        if told:
            self._sink(since, told)

    def _count(self, fun: Any, args: Any, kwargs: Any, out: Any) -> None:
        """The hook of calls that JAX's fastest cache answers. It runs within the user's call, so an
        exception here is dropped, and that call is not counted."""
        if self._calls.busy or not self._is_counting:
            return
        try:
            with self._lock:
                now = perf_counter()
                if now >= self._until:
                    self._turn(now)
                counter = self._counter(fun)
                counter.count()
            if counter.seconds > 0:
                with counter.describing():
                    made = seen.known_arguments(fun, args, kwargs)
                    self._calls.described(made, sys._getframe(1))()
        except Exception:
            return

    def _hear(self, name: str, *_: Any) -> None:
        """The hook of all other calls. One that is neither lowered nor compiled until it ends was
        answered by another of JAX's caches, and is counted."""
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
            self._turn(now)
        fun = seen.function_called(call)
        if fun is not None:
            self._slow.begin(call, self._known_later(self._counter(fun), call))

    def _known_later(self, counter: CallCounter, call: FrameType) -> Callable[[], None]:
        """Counts a call, and tells what it was called with, once it is known."""
        described = nothing
        if counter.seconds > 0:
            with suppress(Exception), counter.describing():
                described = self._calls.described(seen.slow_arguments(call), call)

        def known() -> None:
            counter.count()
            described()

        return known

    def _counter(self, fun: Any) -> CallCounter:
        known = self._known.get(id(fun))
        return known[0] if known is not None else self._meet(fun)

    def _turn(self, now: float) -> None:
        self.tell()
        self._since, self._until = now, now + PERIOD

    def _meet(self, fun: Any) -> CallCounter:
        function = function_of(fun)
        if function is None or is_jax(function):
            counter = CallCounter("", None, seconds=0)
        else:
            key = (function.name, definition_of(function))
            counter = self._counters.setdefault(key, CallCounter(*key))
        number = id(fun)
        with suppress(TypeError):  # no weak reference: the counter is looked up in every call
            # Python drops an interrupt that comes within a callback written in Python.
            self._known[number] = counter, ref(fun, partial(self._known.pop, number))
        return counter
