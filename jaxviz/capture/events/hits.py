"""Counts calls that JAX's caches answer.

JAX announces nothing for them, so hooks are put where JAX looks for its own. They take a little
time in each call, so calls are counted only if the user asks for it. That the C++ cache answered a
call is known at once; that one of the caches in Python did, only at the end of the call, since it
may be lowered or compiled until then.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import RLock
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

from jaxviz.capture import _hooks as seen
from jaxviz.capture.events.functions import definition_of, function_of, is_jax
from jaxviz.schema import Frame


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

    def count(self) -> None:
        """One call more."""
        self.times += 1


@dataclass(frozen=True, slots=True, eq=False)
class PlacedHook:
    """A hook of ours: where it was put, and what was there before."""

    place: seen.Hook
    ours: Any
    earlier: Any


class Hits:
    """Calls `sink` with the calls counted in a period, and the `perf_counter` when it began."""

    def __init__(self, sink: Callable[[float, list[CallCount]], None]) -> None:
        self._sink = sink
        self._lock = RLock()
        self._counters: dict[Any, CallCounter] = {}
        self._known: dict[int, CallCounter] = {}
        """The counter of each jitted function, by its `id`, as long as the function lives."""
        self._alive: dict[int, ref[Any]] = {}
        """The weak references that remove a dead function from `_known`, by the same `id`."""
        self._placed: list[PlacedHook] = []
        self._since = self._until = 0.0
        self._slow = SlowCalls()
        self._hook, self._listener = self._count, self._hear
        self.effects = False
        """Whether calls of functions with effects are counted as well."""

    def start(self) -> bool:
        """Puts our hooks where JAX looks for them. False if this version of JAX has no place for
        the hook that counts functions without effects: then nothing is counted."""
        try:
            for place in seen.hooks():
                self._put(place, self._hook)
            started, events = bool(self._placed), seen.event_hook()
            if events is not None:
                self._put(events, self._listener)
            self.effects = events is not None
        except Exception:
            return bool(self._placed)
        return started

    def _put(self, place: seen.Hook, hook: Any) -> None:
        earlier = place.get()
        if earlier is hook:  # left in this thread by a stop in another
            earlier = None
        ours = hook if earlier is None else _chained(hook, earlier)
        place.set(ours)
        self._placed.append(PlacedHook(place, ours, earlier))

    def stop(self) -> bool:
        """Reports what was counted, and puts back the hooks that were there before. False if
        another hook has replaced one of ours: calls may have been missed then."""
        stayed = self.withdraw()
        self.tell()
        self._known.clear()
        self._alive.clear()
        self._counters.clear()
        self._slow.clear()
        return stayed

    def withdraw(self) -> bool:
        """As `stop`, but without a report of what was counted."""
        stayed = [_put_back(placed) for placed in self._placed]
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
        try:
            with self._lock:
                now = perf_counter()
                if now >= self._until:
                    self._turn(now)
                self._counter(fun).count()
        except Exception:
            return

    def _hear(self, name: str, *_: Any) -> None:
        """The hook of all other calls. One that is neither lowered nor compiled until it ends was
        answered by another of JAX's caches, and is counted."""
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
            self._slow.begin(call, self._counter(fun).count)

    def _counter(self, fun: Any) -> CallCounter:
        number = id(fun)
        return self._known[number] if number in self._known else self._meet(fun)

    def _turn(self, now: float) -> None:
        self.tell()
        self._since, self._until = now, now + PERIOD

    def _meet(self, fun: Any) -> CallCounter:
        function = function_of(fun)
        if function is None or is_jax(function):
            counter = CallCounter("", None)
        else:
            key = (function.name, definition_of(function))
            counter = self._counters.setdefault(key, CallCounter(*key))
        number = id(fun)
        with suppress(TypeError):  # no weak reference: the counter is looked up in every call
            self._alive[number] = ref(fun, lambda _: self._forget(number))
            self._known[number] = counter
        return counter

    def _forget(self, number: int) -> None:
        self._known.pop(number, None)
        self._alive.pop(number, None)


def _chained(count: Any, earlier: Any) -> Any:
    """A hook that counts and then calls the `earlier` one, which may raise: that is how
    `jax_debug_nans` reports."""

    def hook(*args: Any) -> Any:
        count(*args)
        return earlier(*args)

    return hook


def _put_back(placed: PlacedHook) -> bool:
    try:
        stayed = placed.place.get() is placed.ours
        if stayed:
            placed.place.set(placed.earlier)
    except Exception:
        return False
    return stayed
