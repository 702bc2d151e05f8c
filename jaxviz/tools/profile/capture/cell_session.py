"""Profiles a cell as it runs, and counts the calls of jitted functions: nothing runs again, and
nothing is changed."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from threading import Event, RLock, Thread
from typing import Any, NamedTuple
from weakref import ref

import jax
import numpy as np

from jaxviz.capture import _hooks, _profiler
from jaxviz.capture.changes import note_change, take_back
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.tools.profile.capture.cell_runs import CellEvents, events_of_cell
from jaxviz.tools.profile.capture.loop_calls import LoopCalls, LoopRuns
from jaxviz.tools.profile.capture.sessions import (
    ENDS_ARE_REPORTED,
    LONGEST,
    MOST_INTERVALS,
    begin_session,
    end_session,
    session_folder,
    written_in,
)

MOST_BYTES = 200_000_000
"""The growth of the process, in bytes, at which the profiler ends."""
_EVENTS_OF_A_CALL = 28
"""The number of events that JAX and XLA report for one call of a small program (0.6.2: 28, 0.10.2:
18)."""
_SECONDS_BETWEEN_CHECKS = 0.05


class ProfiledCell(NamedTuple):
    """The result of profiling a cell."""

    start: float
    """Seconds since 1970."""
    seconds: float
    """The seconds for which the profiler was on."""
    ended: str
    """The reason why it ended before the cell: `time`, `events` or `memory`; else empty."""
    events: CellEvents
    functions: list[CalledFunction]
    peak: Any = None
    """The peak of the machine, as in `jaxviz.profile`."""
    loops: tuple[LoopRuns, ...] = ()
    """The Python loops that called many programs outside jit."""


class CellSession:
    """One profile. It ends by itself after 10 seconds, 200,000 events or 200 MB."""

    def __init__(self, is_wanted: Callable[[], bool], peak: Any = None) -> None:
        """Begins the profile. `is_wanted` returns True while it has an owner that ends it. Raises
        `CaptureError` if something else profiles this process, or there is no room for the
        profile."""
        self._folder, self._peak = session_folder(), peak
        self._start = time.time()
        self._bytes = resident_bytes()
        self._called = CalledFunctions()
        self._lock, self._over, self._ended = RLock(), Event(), ""
        self._seconds: float | None = None
        self._is_ended = False
        self._failure: CaptureError | None = None
        self._watch = Thread(target=self._work, daemon=True, name="jaxviz profile")
        self._change = note_change(self._abandon, is_wanted)
        try:
            begin_session(self._folder.name)
            self._called.start()
            self._watch.start()
        except BaseException:
            take_back(self._change)
            raise

    def stop(self) -> None:
        """Marks the end of the cell, and removes our hook from JAX."""
        self._called.stop()
        self._over.set()
        self._note("")

    def profile(self) -> ProfiledCell:
        """Ends the profile if it still runs, and reads it. Call once, after `stop`. Raises
        `CaptureError` if JAX could not write it."""
        try:
            self._watch.join()
            if not self._is_ended:
                time.sleep(ENDS_ARE_REPORTED)
                self._end()
            if self._failure is not None:
                raise self._failure
            events = events_of_cell(written_in(self._folder.name), MOST_INTERVALS)
        finally:
            take_back(self._change)
        seconds, ended = self._seconds or 0.0, self._ended
        if events.until is not None:
            seconds, ended = events.until, ended or "events"
        functions = self._called.functions()
        loops = (*self._called.loops.loops(self._start + seconds),)
        return ProfiledCell(self._start, seconds, ended, events, functions, self._peak, loops)

    def _work(self) -> None:
        while not self._over.wait(_SECONDS_BETWEEN_CHECKS):
            reason = self._no_room()
            if reason:
                if self._note(reason):
                    self._end()
                return

    def _end(self) -> None:
        """Ends JAX's profile exactly once: in the watching thread, or by the caller after that
        thread has ended."""
        self._is_ended = True
        try:
            end_session(self._folder.name)
        except CaptureError as error:
            self._failure = error

    def _abandon(self) -> None:
        """Ends everything that still runs, and removes the profile."""
        with ExitStack() as last:
            last.callback(self._folder.cleanup)
            last.callback(_profiler.drop, self._folder.name)
            self.stop()

    def _no_room(self) -> str:
        if time.time() - self._start >= LONGEST:
            return "time"
        calls = sum(one.calls for one in self._called.functions())
        if calls * _EVENTS_OF_A_CALL >= MOST_INTERVALS:
            return "events"
        return "memory" if resident_bytes() - self._bytes >= MOST_BYTES else ""

    def _note(self, reason: str) -> bool:
        """Records that it ends now, and why. False if it has ended already."""
        with self._lock:
            if self._seconds is not None:
                return False
            self._called.profiled_until_now()
            self._seconds, self._ended = time.time() - self._start, reason
            return True


def resident_bytes() -> int:
    """The memory of the process in bytes; 0 if it cannot be read, as on macOS and Windows."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return 0


_NOT_IN_NAMES = r"[^\w.-]"
MOST_NOTED = 8
"""The most kinds of calls of a function that are recorded."""


class CalledFunction:
    """A jitted function and its calls. It retains neither the function nor an array."""

    def __init__(self, fun: Any) -> None:
        self._fun: Callable[[], Any] = ref(fun)
        self.module = f"jit_{re.sub(_NOT_IN_NAMES, '_', str(getattr(fun, '__name__', '')))}"
        """XLA's name for the module of its programs."""
        self.calls = 0
        self.calls_before = 0
        """The number of calls while the profiler was on."""
        self._noted: dict[tuple[Any, ...], tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def note(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> None:
        """Records the shapes of a call."""
        shapes = jax.tree_util.tree_map(_shape_of, (args, kwargs or {}))
        if len(self._noted) < MOST_NOTED:
            key = tuple(map(_key_of, jax.tree_util.tree_leaves(shapes)))
            self._noted.setdefault(key, shapes)

    def noted(self) -> list[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
        """The function with the shapes of each kind of call; empty if the function is gone."""
        fun = self._fun()
        return [] if fun is None else [(fun, *shapes) for shapes in self._noted.values()]


class CalledFunctions:
    """Observes each call that JAX's fastest cache answers, from `start` to `stop`. The first call
    of a function, which compiles it, is not included."""

    def __init__(self) -> None:
        self._alive_functions: dict[int, CalledFunction] = {}
        """The functions that are alive, by `id`."""
        self._all: list[CalledFunction] = []
        self._alive: list[ref[Any]] = []
        self._hook = self._on_call
        self._placed: list[_hooks.PlacedHook] = []
        self._is_observing = False
        self.loops = LoopCalls()

    def start(self) -> None:
        """Installs our hook in JAX."""
        self._is_observing = True
        for place in _hooks.hooks():
            _hooks.put(place, self._hook, self._placed)

    def profiled_until_now(self) -> None:
        """Marks the end of the profiler."""
        for one in self.functions():
            one.calls_before = one.calls

    def stop(self) -> None:
        """Removes our hook."""
        self._is_observing = False
        for placed in self._placed:
            _hooks.put_back(placed)

    def functions(self) -> list[CalledFunction]:
        """All functions that were called."""
        return [*self._all]

    def _on_call(self, fun: Any, args: Any, kwargs: Any, out: Any) -> None:
        """The hook. It runs within the user's call, so an exception here is dropped. Recording
        takes longer than counting, so only the first calls, the sixteenth, the next power of two
        and so on are recorded."""
        if not self._is_observing:
            return
        with suppress(Exception):
            one = self._alive_functions.get(id(fun)) or self._observed(fun)
            one.calls += 1
            if one.calls <= MOST_NOTED or one.calls & (one.calls - 1) == 0:
                one.note(args, kwargs)
            self.loops.note(fun, sys._getframe(1))

    def _observed(self, fun: Any) -> CalledFunction:
        number, one = id(fun), CalledFunction(fun)
        # Python drops an interrupt that comes within a callback written in Python.
        self._alive.append(ref(fun, partial(self._alive_functions.pop, number)))
        self._alive_functions[number] = one
        self._all.append(one)
        return one


def _shape_of(leaf: Any) -> Any:
    """An array's shape, as JAX takes it; another value unchanged."""
    if isinstance(leaf, jax.Array):
        aval: Any = jax.typeof(leaf)
        placed = len(leaf.sharding.device_set) > 1 or getattr(leaf, "committed", False)
        sharding = leaf.sharding if placed else None
        weak = bool(getattr(aval, "weak_type", False))
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=weak, sharding=sharding)
    if isinstance(leaf, np.ndarray | np.generic):
        return jax.ShapeDtypeStruct(leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype))
    return leaf


def _key_of(shape: Any) -> Any:
    """The key of a kind of call; user objects are compared by identity."""
    if isinstance(shape, jax.ShapeDtypeStruct):
        return shape.shape, str(shape.dtype)
    return id(shape)
