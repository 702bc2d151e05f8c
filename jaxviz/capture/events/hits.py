"""Counts calls that JAX's caches answer. This takes a little time in each of these calls, so it is
done only where the user asks for it."""

from __future__ import annotations

import sys
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
from jaxviz.capture.events.slow import SlowCalls
from jaxviz.schema import Frame

PERIOD = 0.001
"""Calls within this many seconds are counted together."""


class Called(NamedTuple):
    """How often a function was called."""

    name: str
    definition: Frame | None
    times: int


@dataclass(slots=True, eq=False)
class Counter:
    """Counts the calls of one function since they were last reported."""

    name: str
    definition: Frame | None
    times: int = 0

    def count(self) -> None:
        """One call more."""
        self.times += 1


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Our hook, where it was put, and what was there before."""

    place: seen.Hook
    ours: Any
    earlier: Any


class Hits:
    """Tells `sink` of calls, with the time (`perf_counter`) from which on they came."""

    def __init__(self, sink: Callable[[float, list[Called]], None]) -> None:
        self._sink = sink
        self._lock = RLock()
        self._counters: dict[Any, Counter] = {}
        self._known: dict[int, Counter] = {}
        """By the identity of the jitted function, as long as it lives."""
        self._alive: dict[int, ref[Any]] = {}
        self._placed: list[Placed] = []
        self._since = self._until = 0.0
        self._slow = SlowCalls()
        self._hook, self._listener = self._count, self._hear
        self.effects = False
        """Whether calls of functions with effects are counted, too."""

    def start(self) -> bool:
        """Puts our hooks where JAX looks for them; False where there is no place for the one that
        functions without effects need."""
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
        self._placed.append(Placed(place, ours, earlier))

    def stop(self) -> bool:
        """Puts back what was there, where our hook still is; False where another one is now, and
        calls may have been missed."""
        stayed = self.withdraw()
        self.tell()
        self._known.clear()
        self._alive.clear()
        self._counters.clear()
        self._slow.clear()
        return stayed

    def withdraw(self) -> bool:
        """The same, but calls that were not told are forgotten."""
        stayed = [_put_back(placed) for placed in self._placed]
        self._placed.clear()
        return all(stayed)

    def tell(self) -> None:
        """Tells what was counted and not told."""
        with self._lock:
            self._slow.settle()
            counted = [counter for counter in self._counters.values() if counter.times]
            told = [Called(c.name, c.definition, c.times) for c in counted]
            for counter in counted:
                counter.times = 0
            since = self._since
        if told:
            self._sink(since, told)

    def _count(self, fun: Any, args: Any, kwargs: Any, out: Any) -> None:
        """Runs within the user's own call: what fails here is a call that is not counted."""
        try:
            with self._lock:
                now = perf_counter()
                if now >= self._until:
                    self._turn(now)
                self._counter(fun).count()
        except Exception:
            return

    def _hear(self, name: str, *_: Any) -> None:
        """The same of the other caches: a call that was not lowered or compiled was known."""
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

    def _counter(self, fun: Any) -> Counter:
        number = id(fun)
        return self._known[number] if number in self._known else self._meet(fun)

    def _turn(self, now: float) -> None:
        self.tell()
        self._since, self._until = now, now + PERIOD

    def _meet(self, fun: Any) -> Counter:
        function = function_of(fun)
        if function is None or is_jax(function):
            counter = Counter("", None)
        else:
            key = (function.name, definition_of(function))
            counter = self._counters.setdefault(key, Counter(*key))
        number = id(fun)
        with suppress(TypeError):  # of what cannot be referred to weakly it is found out each time
            self._alive[number] = ref(fun, lambda _: self._forget(number))
            self._known[number] = counter
        return counter

    def _forget(self, number: int) -> None:
        self._known.pop(number, None)
        self._alive.pop(number, None)


def _chained(count: Any, earlier: Any) -> Any:
    """Counts, and does what the hook before it did: that may raise, as for `jax_debug_nans`."""

    def hook(*args: Any) -> Any:
        count(*args)
        return earlier(*args)

    return hook


def _put_back(placed: Placed) -> bool:
    try:
        stayed = placed.place.get() is placed.ours
        if stayed:
            placed.place.set(placed.earlier)
    except Exception:
        return False
    return stayed
