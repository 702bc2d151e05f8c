"""Makes events by hand, for tests of what is counted of them, and says what events tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import astuple

from jaxviz.schema import Change, Event, literal


def event_of(name: str, number: int, **fields: Any) -> Event:
    """A first trace of a function of that name, but for what `fields` say."""
    plain = {
        "number": number,
        "kind": "trace",
        "name": name,
        "definition": None,
        "site": None,
        "start": 0.0,
        "seconds": 0.0,
        "depth": 0,
        "library": False,
        "thread": "MainThread",
        "eqns": 1,
        "again": False,
        "of": None,
        "implied": False,
        "looked": False,
        "against": None,
        "reason": [],
        "more": 0,
        "hint": literal(""),
        "cached": None,
        "saved": None,
        "error": None,
        "failed": None,
    }
    return Event(**(plain | fields))


def change(kind: str, where: str, after: str = "") -> Change:
    return Change(kind, where, "", after)


def kinds(events: Iterable[Event]) -> list[str]:
    return [event.kind for event in events]


def reason(event: Event) -> list[tuple[Any, ...]]:
    """The kind, place, and values before and after of each change."""
    return [astuple(change) for change in event.reason]
