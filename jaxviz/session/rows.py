"""Events as plain rows, for a data frame."""

from __future__ import annotations

from typing import Any

from jaxviz.analysis.retraces import reason_text
from jaxviz.schema import Event, Frame


def row(event: Event) -> dict[str, Any]:
    """One event; of its changes the first by itself, and all in one line."""
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
        "against": event.against,
        "implied": event.implied,
        "looked": event.looked,
        "change": None if first is None else first.kind,
        "where": None if first is None else first.where,
        "before": None if first is None else first.before,
        "after": None if first is None else first.after,
        "reason": reason_text(event.reason),
        "hint": event.hint,
        "cached": event.cached,
        "error": event.error,
        "failed": _at(event.failed),
        "depth": event.depth,
        "thread": event.thread,
    }


def _at(frame: Frame | None) -> str | None:
    return None if frame is None else f"{frame.file}:{frame.line}"
