"""Makes events by hand, for tests of what is counted of them."""

from __future__ import annotations

from typing import Any

from jaxviz.schema import Change, Event


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
        "thread": "MainThread",
        "eqns": 1,
        "again": False,
        "of": None,
        "implied": False,
        "looked": False,
        "against": None,
        "reason": [],
        "more": 0,
        "hint": "",
        "cached": None,
        "saved": None,
        "error": None,
        "failed": None,
    }
    return Event(**(plain | fields))


def change(kind: str, where: str, after: str = "") -> Change:
    return Change(kind=kind, where=where, before="", after=after)
