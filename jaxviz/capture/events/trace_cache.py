"""Reads from JAX's caches what JAX does not announce: nested traces, and that caches were cleared.

From 0.10 on JAX does not announce traces within another trace, or under grad and vmap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from threading import RLock, get_ident
from typing import Any

from jaxviz.capture import _events, _traces
from jaxviz.capture._traces import Body
from jaxviz.capture.events.functions import Identities

ANNOUNCED = 10_000
"""At most this many announced traces are remembered until the search finds their keys."""
LIKELY = 5_000
UNLIKELY = 100
"""JAX's cache of traces is searched within the user's call. So it is only searched up to `LIKELY`
keys if a new trace is expected in it, and up to `UNLIKELY` keys if not."""


class TraceCache:
    """Finds new traces: keys of JAX's cache of traces that it did not have at the last search.

    All threads share that cache, and it has a key before the trace has ended. So while a trace is
    open, a new key may belong to that trace, which JAX will announce. Such a key is left to a later
    search.
    """

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._lock = RLock()
        self._seen: set[int] = set()
        self._announced: Counter[Hashable] = Counter()
        self._open: dict[int, int] = {}
        """The number of open traces of each thread that has any."""
        self.deferred = False
        """True if the last search left a key to a later search."""
        self.expected = False
        """True if there were unannounced traces, of any function, since the last search."""
        self.was_too_large = False
        """True if the cache was too large for a search in which a trace was expected."""

    def start(self) -> None:
        """Restarts: traces until now are not reported."""
        with self._lock:
            self._open.clear()
            self._announced.clear()
            self.was_too_large = self.deferred = self.expected = False
            self._seen = set(_traces.trace_keys())

    def open(self, traces: int) -> None:
        """Sets the number of open traces of this thread."""
        with self._lock:
            if traces:
                self._open[get_ident()] = traces
            else:
                self._open.pop(get_ident(), None)

    def note_announced(self, identity: Hashable, avals: tuple[Any, ...]) -> None:
        """Notes a trace that JAX announced, so that `new_traces` omits it. `identity` is the number
        of the function object, or else the debug info of its jaxpr."""
        if not _traces.NESTED_UNANNOUNCED:
            return
        with self._lock:
            self._announced[identity, avals] += 1
            if len(self._announced) > ANNOUNCED:
                del self._announced[next(iter(self._announced))]

    def new_traces(self, mine: Callable[[Body], bool], likely: bool = True) -> list[Body]:
        """The unannounced traces since the last search. While a trace is open, only those that
        `mine` accepts; the others are left to a later search. `likely`: traces are expected."""
        with self._lock:
            if not _traces.NESTED_UNANNOUNCED or not self._may_search(likely):
                return []
            keys = _traces.trace_keys()
            new: list[Body] = []
            deferred: set[int] = set()
            for number in [number for number in keys if number not in self._seen]:
                body = _traces.body_of(keys[number])
                if self._is_announced(body):
                    continue
                if self._open and not mine(body):
                    deferred.add(number)
                else:
                    new.append(body)
            self._seen, self.deferred, self.expected = set(keys) - deferred, bool(deferred), False
        return new

    def _may_search(self, likely: bool) -> bool:
        size = _traces.cached_trace_count()
        self.was_too_large |= likely and size > LIKELY
        return size <= (LIKELY if likely else UNLIKELY)

    def forget(self) -> None:
        """Forgets keys that JAX removed. A later key may get the number of a removed one, and have
        the function and the avals of an announced one."""
        with self._lock:
            keys = _traces.trace_keys()
            added = keys.keys() - self._seen
            announced = {at for at in added if self._is_announced(_traces.body_of(keys[at]))}
            self._seen = (self._seen & keys.keys()) | announced
            self._announced.clear()

    def _is_announced(self, body: Body) -> bool:
        """True if the trace was announced. Each announcement is used for one trace."""
        for identity in (self._identities.of(body.fun), body.source):
            key = (identity, body.avals)
            times = self._announced.pop(key, 0)
            if times > 1:
                self._announced[key] = times - 1
            if times:
                return True
        return False


class Clears:
    """Counts calls of `jax.clear_caches()` and `f.clear_cache()`, which JAX does not announce.

    If JAX clears all caches, a cache of jaxviz returns a new object. Both functions clear the cache
    in which JAX looks up every call before it traces. Then its count of lookups is smaller than
    before, or is unchanged although a trace begins.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._sentinel = _events.sentinel()
        self._last = self._sentinel()
        self._lookups = _events.lookups()
        self.count = 0
        """The number of clearings of any cache."""
        self.all = False
        """True if the last update found that all caches were cleared, not those of one function."""

    def update(self, traces: bool = False) -> bool:
        """True if caches were cleared since the last update. Call it at the start of each event.
        `traces`: the event is an outermost trace."""
        with self._lock:
            now, lookups = self._sentinel(), _events.lookups()
            self.all = cleared = now is not self._last
            if lookups is not None and self._lookups is not None:
                cleared |= lookups < self._lookups + traces
            self.count += cleared
            self._last, self._lookups = now, lookups
        return cleared

    def happened(self) -> bool:
        """True if caches were cleared since the last update, which is left to the next event."""
        with self._lock:
            lookups = _events.lookups()
            fewer = lookups is not None and self._lookups is not None and lookups < self._lookups
            return fewer or self._sentinel() is not self._last
