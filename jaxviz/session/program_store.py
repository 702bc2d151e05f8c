"""Programs of traces, stored packed, because JAX forgets a function's jaxprs with the function."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Hashable, Iterator
from itertools import islice, zip_longest

import msgspec

from jaxviz.schema import Event, Program

MOST_PROGRAMS = 64
MOST_BYTES = 8_000_000
"""The most bytes of all stored programs. An eqn takes 35 to 100 bytes packed, and 1,400 as
records."""
MOST_EQNS = 2_000
"""The most eqns of a stored program."""
MOST_WAITING = 5
"""The most traces of one function whose programs wait to be made: the first one and the latest."""
SECONDS_A_CALL = 0.03
"""Seconds after which a call of `settle` begins no other program."""
SECONDS_AT_FIRST = 0.2
SHARE_OF_TIME = 0.03
"""The share of elapsed time in which all calls together may work, after their first seconds."""

MakeProgram = Callable[[Event], Program | None]
OnStored = Callable[[Event, bytes], None]
"""Called with each program that is made, packed."""


class ProgramStore:
    """Stores the first program of each function and the latest ones, while there is room."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._settling = threading.Lock()
        self._waiting: dict[Hashable, list[Event]] = {}
        self._stored: dict[Hashable, dict[int, bytes]] = {}
        self._begun = time.perf_counter()
        self._spent = 0.0

    def queue(self, event: Event) -> None:
        """Queues an event if it made a program: it traced a function, or it lowered the result of
        grad, vmap or a similar transformation."""
        made = event.kind == "trace" or (event.kind == "lower" and event.of is None)
        if not made or event.error is not None or (event.eqns or 0) > MOST_EQNS:
            return
        with self._lock:
            waiting = self._waiting.setdefault(_key(event), [])
            waiting.append(event)
            if len(waiting) > MOST_WAITING:
                del waiting[1]

    def adopt(self, event: Event, packed: bytes) -> None:
        """Stores a program that another log has made, if it is queued here, too."""
        if self._take(_key(event), event):
            self._store(_key(event), event.number, packed)

    def get(self, number: int) -> Program | None:
        """The program of the trace with this number; None if it is not stored."""
        with self._lock:
            found = (programs.get(number) for programs in self._stored.values())
            packed = next((program for program in found if program is not None), None)
        if packed is None:
            return None
        return msgspec.msgpack.decode(zlib.decompress(packed), type=Program)

    def settle(self, make: MakeProgram, on_stored: OnStored, last: bool) -> None:
        """Makes queued programs, for at most `SECONDS_A_CALL` plus the current program.

        Makes none while too much time was already spent, unless it is the `last` call. One thread
        works at a time; for others the call does nothing.
        """
        if not self._settling.acquire(blocking=False):
            return
        try:
            start = time.thread_time()
            due = self._spent <= SECONDS_AT_FIRST + SHARE_OF_TIME * (
                time.perf_counter() - self._begun
            )
            if due or last:
                self._work(make, on_stored, start + SECONDS_A_CALL)
                self._spent += time.thread_time() - start
        finally:
            self._settling.release()

    def _work(self, make: MakeProgram, on_stored: OnStored, until: float) -> None:
        for key, event in self._fairly():
            if time.thread_time() >= until:
                break
            if self._take(key, event):
                self._make(make, on_stored, key, event)

    def _fairly(self) -> Iterator[tuple[Hashable, Event]]:
        """Waiting events: the first of each function, then the latest of each, and so on backwards.
        Functions with the fewest stored programs come first."""
        with self._lock:
            keys = sorted(self._waiting, key=lambda key: len(self._stored.get(key, ())))
            waiting = [self._waiting[key] for key in keys]
            queues = [
                [(key, event) for event in (events[0], *reversed(events[1:]))]
                for key, events in zip(keys, waiting, strict=True)
            ]
        for round_ in zip_longest(*queues):
            yield from (one for one in round_ if one is not None)

    def _take(self, key: Hashable, event: Event) -> bool:
        """Removes an event from the queue. Returns True if it was queued."""
        with self._lock:
            waiting = self._waiting.get(key, [])
            found = event in waiting
            if found:
                waiting.remove(event)
            if not waiting:
                self._waiting.pop(key, None)
        return found

    def _make(self, make: MakeProgram, on_stored: OnStored, key: Hashable, event: Event) -> None:
        """Makes one program. A program that cannot be made is not stored. It is shown from JAX's
        caches, or not at all."""
        try:
            program = make(event)
        except Exception:
            program = None
        if program is not None:
            packed = zlib.compress(msgspec.msgpack.encode(program), 1)
            self._store(key, event.number, packed)
            on_stored(event, packed)

    def _store(self, key: Hashable, number: int, packed: bytes) -> None:
        """Stores a packed program. To make room, the function with the most programs loses its
        oldest except the first. If each function has only one, this program is not stored."""
        with self._lock:
            self._stored.setdefault(key, {})[number] = packed
            while self._is_full():
                most = max(self._stored.values(), key=len)
                if len(most) == 1:
                    most = self._stored[key]
                del most[next(islice(most, 1, None), number)]
            if not self._stored[key]:
                del self._stored[key]

    def _is_full(self) -> bool:
        packed = [program for programs in self._stored.values() for program in programs.values()]
        return len(packed) > MOST_PROGRAMS or sum(map(len, packed)) > MOST_BYTES


def _key(event: Event) -> Hashable:
    return event.name, event.definition
