"""Finds which bodies were traced without an announcement: from JAX 0.10 on those within another
trace, or under grad and vmap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from threading import RLock, get_ident
from typing import Any

from jaxviz.capture import _traces as seen
from jaxviz.capture._traces import Body
from jaxviz.capture.events.identities import Identities

ANNOUNCED = 10_000
"""Announced traces that are remembered until the next look."""
LIKELY = 5_000
UNLIKELY = 100
"""How large JAX's cache of traces may be to be looked at: the first where a trace is expected in
it, the second where none is."""


class Silent:
    """Compares the keys of JAX's cache of traces with those at the last look.

    All threads share that cache, and a key is in it before its trace has ended. So while a trace
    is open a key may be of that one, which JAX has still to announce: it is held for a later look.
    """

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._lock = RLock()
        self._known: set[int] = set()
        self._announced: Counter[Hashable] = Counter()
        self._open: dict[int, int] = {}
        """How many traces are open, by thread."""
        self.held = False
        """Whether the last look left a key for a later one."""
        self.overlooked = False
        """Whether a look was due, and there were too many keys."""

    def start(self) -> None:
        """Nothing that was traced before is told."""
        with self._lock:
            self._open.clear()
            self.overlooked = False
            self.look(lambda _: True)

    def open(self, traces: int) -> None:
        """So many traces are open in this thread."""
        with self._lock:
            if traces:
                self._open[get_ident()] = traces
            else:
                self._open.pop(get_ident(), None)

    def announce(self, identity: Hashable, avals: tuple[Any, ...]) -> None:
        """A trace that JAX announced: it is none of these. Where its function is not known,
        `identity` is what JAX's debug info says of it."""
        if not seen.NESTED_ARE_SILENT:
            return
        with self._lock:
            self._announced[identity, avals] += 1
            if len(self._announced) > ANNOUNCED:
                del self._announced[next(iter(self._announced))]

    def look(self, mine: Callable[[Body], bool], likely: bool = True) -> list[Body]:
        """What was traced and not announced since the last look. While a trace is open, those
        alone that are `mine`."""
        with self._lock:
            if not seen.NESTED_ARE_SILENT or not self._may_look(likely):
                return []
            keys = seen.trace_keys()
            new: list[Body] = []
            held: set[int] = set()
            for number in [number for number in keys if number not in self._known]:
                body = seen.body_of(keys[number])
                if self._is_announced(body):
                    continue
                if self._open and not mine(body):
                    held.add(number)
                else:
                    new.append(body)
            self._known, self.held = set(keys) - held, bool(held)
        return new

    def _may_look(self, likely: bool) -> bool:
        held = seen.traces_held()
        self.overlooked |= likely and held > LIKELY
        return held <= (LIKELY if likely else UNLIKELY)

    def forget(self) -> None:
        """JAX's caches were cleared: what is in them now is new."""
        with self._lock:
            self._known.clear()
            self._announced.clear()

    def _is_announced(self, body: Body) -> bool:
        """Whether it was announced; each announcement counts once."""
        for identity in (self._identities.of(body.fun), body.source):
            key = (identity, body.avals)
            times = self._announced.pop(key, 0)
            if times > 1:
                self._announced[key] = times - 1
            if times:
                return True
        return False
