"""Programs of traces, kept as records: JAX forgets a function's jaxprs with the function."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Hashable, Iterator
from itertools import islice, zip_longest

import msgspec

from jaxviz.schema import Event, Program

PROGRAMS = 64
BYTES = 8_000_000
"""Of all programs that are kept, packed: 35 to 100 an eqn, where a record takes 1,400."""
LARGEST = 2_000
"""Eqns of the largest program that is kept."""
WAITING = 5
"""Traces of one function that wait: the first and the latest."""
BUDGET = 0.03
"""Seconds that one call of `settle` works, but for the program that it is at."""
CREDIT = 0.2
SHARE = 0.03
"""All calls together work for so many seconds, and for this share of the time that has passed."""

Make = Callable[[Event], Program | None]
Kept = Callable[[Event, bytes], None]
"""Is told of each program that is made, and has it packed."""


class Keeper:
    """Of each function the first program and the latest ones, as many as there is room for."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._settling = threading.Lock()
        self._waiting: dict[Hashable, list[Event]] = {}
        self._kept: dict[Hashable, dict[int, bytes]] = {}
        self._begun = time.perf_counter()
        self._spent = 0.0

    def want(self, event: Event) -> None:
        """Its program is worth keeping, where it made one: it traced, or lowered what grad, vmap
        or the like had made."""
        made = event.kind == "trace" or (event.kind == "lower" and event.of is None)
        if not made or event.error is not None or (event.eqns or 0) > LARGEST:
            return
        with self._lock:
            waiting = self._waiting.setdefault(_key(event), [])
            waiting.append(event)
            if len(waiting) > WAITING:
                del waiting[1]

    def adopt(self, event: Event, packed: bytes) -> None:
        """Another has made what is wanted here too."""
        if self._take(_key(event), event):
            self._keep(_key(event), event.number, packed)

    def get(self, number: int) -> Program | None:
        """The program of the trace with this number, where it is kept."""
        with self._lock:
            found = (programs.get(number) for programs in self._kept.values())
            packed = next((program for program in found if program is not None), None)
        return None if packed is None else _unpacked(packed)

    def settle(self, make: Make, kept: Kept, last: bool) -> None:
        """Makes what is wanted, for a little while; nothing while too much time was spent on it,
        unless it is the `last` call. One thread does it at a time."""
        if not self._settling.acquire(blocking=False):
            return
        try:
            start = time.thread_time()
            due = self._spent <= CREDIT + SHARE * (time.perf_counter() - self._begun)
            if due or last:
                self._work(make, kept, start + BUDGET)
                self._spent += time.thread_time() - start
        finally:
            self._settling.release()

    def _work(self, make: Make, kept: Kept, until: float) -> None:
        for key, event in self._fairly():
            if time.thread_time() >= until:
                break
            if self._take(key, event):
                self._make(make, kept, key, event)

    def _fairly(self) -> Iterator[tuple[Hashable, Event]]:
        """What waits: of each function its first, then of each its latest, and so on back; those
        first of which the fewest are kept."""
        with self._lock:
            keys = sorted(self._waiting, key=lambda key: len(self._kept.get(key, ())))
            queues = [[(key, event) for event in _ordered(self._waiting[key])] for key in keys]
        for turn in zip_longest(*queues):
            yield from (one for one in turn if one is not None)

    def _take(self, key: Hashable, event: Event) -> bool:
        """Whether it still waits; now it waits no more."""
        with self._lock:
            waiting = self._waiting.get(key, [])
            found = event in waiting
            if found:
                waiting.remove(event)
            if not waiting:
                self._waiting.pop(key, None)
        return found

    def _make(self, make: Make, kept: Kept, key: Hashable, event: Event) -> None:
        """What cannot be made is not kept: it is shown from what JAX holds, or not at all."""
        try:
            program = make(event)
        except Exception:
            program = None
        if program is not None:
            packed = _packed(program)
            self._keep(key, event.number, packed)
            kept(event, packed)

    def _keep(self, key: Hashable, number: int, packed: bytes) -> None:
        """Makes room by the oldest but the first of the function that has most; where each has
        only one, this one is not kept."""
        with self._lock:
            self._kept.setdefault(key, {})[number] = packed
            while self._is_full():
                most = max(self._kept.values(), key=len)
                if len(most) == 1:
                    most = self._kept[key]
                del most[next(islice(most, 1, None), number)]
            if not self._kept[key]:
                del self._kept[key]

    def _is_full(self) -> bool:
        packed = [program for programs in self._kept.values() for program in programs.values()]
        return len(packed) > PROGRAMS or sum(map(len, packed)) > BYTES


def _key(event: Event) -> Hashable:
    return event.name, event.definition


def _ordered(events: list[Event]) -> list[Event]:
    return [events[0], *reversed(events[1:])]


def _packed(program: Program) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(program), 1)


def _unpacked(packed: bytes) -> Program:
    return msgspec.msgpack.decode(zlib.decompress(packed), type=Program)
