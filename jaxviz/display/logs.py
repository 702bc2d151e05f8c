"""A log as a notebook's output: data, widget and text in one MIME bundle."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.bundle import BUNDLE_BYTES
from jaxviz.display.hosts import WIDGET, needs_widget
from jaxviz.display.still import still, tag, undrawn
from jaxviz.display.traces import deflated
from jaxviz.picture import NotDrawn, timeline

FEWER = (500, 200, 80, 30, 10, 0)
"""How many events are kept at each end of a log that is too large, tried in turn."""


def log_bundle(record: schema.Log, text: str, strip: bool, key: str, last: bool) -> dict[str, Any]:
    """The MIME bundle of a log, at most 200 kB. Where the log is too large, events in its middle
    are left out and counted as `omitted`.

    `text` is shown where nothing else can be. `strip` and `key` are those of `schema.LogDisplay`.
    `last` says that no further bundle of this log follows: only then the picture is made, and a
    widget where the host needs one.
    """
    kinds = ("log", "strip") if strip else ("log",)
    picture = drawn(record) if last and not strip else ""
    seen = still(f"{picture}<pre>{html.escape(text)}</pre>", key, *kinds, hint=not strip)
    data: dict[str, Any] = {"text/plain": text, "text/html": seen}
    if last and needs_widget():
        data |= widget_view(record, strip, key)
    room = BUNDLE_BYTES - len(msgspec.json.encode(data))
    for small in smaller(record):
        shown = display(small, strip, key)
        if len(shown.log) + len(key) + 200 <= room:
            return {schema.LOG_MIME: msgspec.to_builtins(shown), **data}
    return data


def drawn(record: schema.Log) -> str:
    """The timeline as an image element, or why it could not be drawn. Empty where there is nothing
    to draw: the text says so already."""
    try:
        return tag(timeline(record), "What JAX traced, lowered and compiled, and when")
    except NotDrawn as error:
        return undrawn(str(error))
    except Exception:
        return ""


def display(record: schema.Log, strip: bool, key: str) -> schema.LogDisplay:
    log = b64encode(deflated(record)).decode()
    by = schema.release()
    return schema.LogDisplay(version=schema.VERSION, jaxviz=by, log=log, strip=strip, key=key)


def smaller(record: schema.Log) -> Iterator[schema.Log]:
    """The log, then the log with fewer and fewer events, and at last without causes too."""
    yield record
    for kept in FEWER:
        left_out = len(record.events) - 2 * kept
        if left_out > 0:
            events = [*record.events[:kept], *record.events[len(record.events) - kept :]]
            yield replace(record, events=events, omitted=record.omitted + left_out)
    omitted = record.omitted + len(record.events)
    yield replace(record, events=[], omitted=omitted, causes=[])


def widget_view(record: schema.Log, strip: bool, key: str) -> dict[str, Any]:
    """The view of a new widget, as a part of the bundle; empty where it cannot be made."""
    with suppress(Exception):
        from jaxviz.display.widget import LogWidget

        return {WIDGET: LogWidget(key, payload=deflated(record), strip=strip).view}
    return {}
