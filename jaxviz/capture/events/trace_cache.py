"""Looks in JAX's caches for what JAX does not announce: which functions it traced (from 0.10 on
those within another trace, or under grad and vmap), and that the caches were cleared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from threading import RLock, get_ident
from typing import Any

from jaxviz.capture import _events, _traces
from jaxviz.capture._traces import Body
from jaxviz.capture.events.functions import Identities

ANNOUNCED = 10_000
"""How many announced traces are remembered until they are seen in the cache."""
LIKELY = 5_000
UNLIKELY = 100
"""The number of keys up to which JAX's cache of traces is searched: `LIKELY` if a new trace is
expected in it, `UNLIKELY` if not. The search takes place within the user's call."""


class TraceCache:
    """JAX's cache of traces: compares its keys with those at the last look.

    All threads share that cache, and it has a key before the trace has ended. So while a trace is
    open, a new key may be that trace's own, which JAX has still to announce. Such a key is left for
    a later look.
    """

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._lock = RLock()
        self._known: set[int] = set()
        self._announced: Counter[Hashable] = Counter()
        self._open: dict[int, int] = {}
        """How many traces are open in each thread that has any."""
        self.held = False
        """Whether the last look left a key for a later one."""
        self.expected = False
        """Whether there were traces since the last look that JAX did not announce, whosever."""
        self.overlooked = False
        """Whether the cache was too large to be searched when a trace was expected in it."""

    def start(self) -> None:
        """Begins anew: what was traced before is not reported, however much that is."""
        with self._lock:
            self._open.clear()
            self._announced.clear()
            self.overlooked = self.held = self.expected = False
            self._known = set(_traces.trace_keys())

    def open(self, traces: int) -> None:
        """Notes how many traces are open in this thread."""
        with self._lock:
            if traces:
                self._open[get_ident()] = traces
            else:
                self._open.pop(get_ident(), None)

    def announce(self, identity: Hashable, avals: tuple[Any, ...]) -> None:
        """Notes a trace that JAX announced, so that `look` leaves it out. `identity` is the number
        of the function object, or else the debug info of its jaxpr."""
        if not _traces.NESTED_ARE_SILENT:
            return
        with self._lock:
            self._announced[identity, avals] += 1
            if len(self._announced) > ANNOUNCED:
                del self._announced[next(iter(self._announced))]

    def look(self, mine: Callable[[Body], bool], likely: bool = True) -> list[Body]:
        """What was traced since the last look and not announced. While a trace is open, only what
        `mine` admits; the rest is left for a later look. `likely` says whether anything is
        expected."""
        with self._lock:
            if not _traces.NESTED_ARE_SILENT or not self._may_look(likely):
                return []
            keys = _traces.trace_keys()
            new: list[Body] = []
            held: set[int] = set()
            for number in [number for number in keys if number not in self._known]:
                body = _traces.body_of(keys[number])
                if self._is_announced(body):
                    continue
                if self._open and not mine(body):
                    held.add(number)
                else:
                    new.append(body)
            self._known, self.held, self.expected = set(keys) - held, bool(held), False
        return new

    def _may_look(self, likely: bool) -> bool:
        held = _traces.traces_held()
        self.overlooked |= likely and held > LIKELY
        return held <= (LIKELY if likely else UNLIKELY)

    def forget(self) -> None:
        """Notes that traces were removed from JAX's cache. A key that is added later may have the
        number of a removed one, and the function and the avals of an announced one."""
        with self._lock:
            keys = _traces.trace_keys()
            added = keys.keys() - self._known
            announced = {at for at in added if self._is_announced(_traces.body_of(keys[at]))}
            self._known = (self._known & keys.keys()) | announced
            self._announced.clear()

    def _is_announced(self, body: Body) -> bool:
        """Whether the trace was announced. Each announcement stands for one trace."""
        for identity in (self._identities.of(body.fun), body.source):
            key = (identity, body.avals)
            times = self._announced.pop(key, 0)
            if times > 1:
                self._announced[key] = times - 1
            if times:
                return True
        return False


class Clears:
    """Counts calls of `jax.clear_caches()` and `f.clear_cache()`, by their effects.

    JAX announces neither. If JAX clears all caches, our own cache returns a new object.
    Both empty the cache in which JAX looks up every call that it is about to trace: its count of
    lookups is then smaller than it was, or the same though a trace begins.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._sentinel = _events.sentinel()
        self._last = self._sentinel()
        self._lookups = _events.lookups()
        self.count = 0
        """How often any cache was cleared."""
        self.all = False
        """Whether all caches were cleared before the last look, and not those of one function."""

    def look(self, traces: bool = False) -> bool:
        """Whether caches were cleared since the last look. Called at the start of each event;
        `traces` says that this is an outermost trace."""
        with self._lock:
            now, lookups = self._sentinel(), _events.lookups()
            self.all = cleared = now is not self._last
            if lookups is not None and self._lookups is not None:
                cleared |= lookups < self._lookups + traces
            self.count += cleared
            self._last, self._lookups = now, lookups
        return cleared
