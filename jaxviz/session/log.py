"""What was traced, lowered and compiled, as the user asks for it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jaxviz.analysis.hints import told
from jaxviz.capture.events import Apart
from jaxviz.schema import Event, Frame
from jaxviz.session.counts import Function, Totals
from jaxviz.session.text import overview

EVENTS = 10_000
"""Events that a log keeps at most; later ones are counted alone."""


class Log:
    """What was traced, lowered and compiled so far. Grows while `watch()` lasts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._functions: dict[tuple[str, Frame | None], Function] = {}
        self._apart = Totals()
        self._omitted = 0

    @property
    def events(self) -> Sequence[Event]:
        """The first `EVENTS` events, in the order in which they ended."""
        with self._lock:
            return tuple(self._events)

    @property
    def omitted(self) -> int:
        """Events that are counted in `functions` and not kept."""
        return self._omitted

    @property
    def functions(self) -> Sequence[Function]:
        """What was counted of each function, in the order in which they were met."""
        with self._lock:
            return tuple(self._functions.values())

    @property
    def apart(self) -> Totals:
        """The same of JAX's own functions, `jnp.sum` and the like, in total."""
        return self._apart

    @property
    def retraces(self) -> int:
        return sum(function.retraces for function in self.functions)

    def records(self) -> list[dict[str, Any]]:
        """The events as plain dicts, for `pandas.DataFrame(log.records())`."""
        return [_record(event) for event in self.events]

    def __len__(self) -> int:
        return len(self._events)

    def __repr__(self) -> str:
        return overview(self.events, self.functions, self.apart, self.omitted)

    def add(self, event: Event | Apart) -> None:
        """Counts it, and keeps it while there is room."""
        with self._lock:
            if isinstance(event, Apart):
                self._apart = _counted_apart(self._apart, event)
                return
            key = (event.name, event.definition)
            known = self._functions.get(key) or Function(event.name, event.definition)
            self._functions[key] = _counted(known, event)
            if len(self._events) < EVENTS:
                self._events.append(event)
            else:
                self._omitted += 1


_FIELDS = {"trace": "traces", "lower": "lowerings", "compile": "compiles"}
_AGAIN = {"trace": "retraces", "lower": "relowerings", "compile": "recompiles"}


def _counted(function: Function, event: Event) -> Function:
    fields = [_FIELDS[event.kind], *([_AGAIN[event.kind]] if event.again else [])]
    counts = {field: getattr(function, field) + 1 for field in fields}
    why = {"reason": tuple(event.reason), "hint": event.hint} if event.again else {}
    return replace(function, seconds=function.seconds + event.seconds, **counts, **why)


def _counted_apart(totals: Totals, apart: Apart) -> Totals:
    field = _FIELDS[apart.kind]
    counts = {field: getattr(totals, field) + 1}
    return replace(totals, seconds=totals.seconds + apart.seconds, **counts)


def _record(event: Event) -> dict[str, Any]:
    first = event.reason[0] if event.reason else None
    return {
        "number": event.number,
        "kind": event.kind,
        "function": event.name,
        "definition": _at(event.definition),
        "site": _at(event.site),
        "start": event.start,
        "seconds": event.seconds,
        "eqns": event.eqns,
        "again": event.again,
        "of": event.of,
        "implied": event.implied,
        "change": None if first is None else first.kind,
        "where": None if first is None else first.where,
        "before": None if first is None else first.before,
        "after": None if first is None else first.after,
        "reason": told(event.reason),
        "hint": event.hint,
        "cached": event.cached,
        "error": event.error,
        "depth": event.depth,
        "thread": event.thread,
    }


def _at(frame: Frame | None) -> str | None:
    return None if frame is None else f"{frame.file}:{frame.line}"
