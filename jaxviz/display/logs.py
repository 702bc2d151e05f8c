"""A log as a notebook's output: data, widget and text in one MIME bundle."""

from __future__ import annotations

import html
import zlib
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.bundle import LIMIT, WIDGET, in_kernel

FEWER = (500, 200, 80, 30, 10, 0)
"""How many events are shown at each end of a log that is too large, tried in turn."""


def log_bundle(
    record: schema.Log, text: str, strip: bool, key: str, widget: bool
) -> dict[str, Any]:
    """The MIME bundle of a log, at most 200 kB: of one that is too large, events of its middle are
    left out and counted as `omitted`.

    `text` is what is shown where nothing else can be. `strip` and `key` are those of
    `schema.LogDisplay`. With `widget` a view is made for hosts without our extension.
    """
    data: dict[str, Any] = {"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"}
    if widget and (view := widget_view(record, strip, key)) is not None:
        data[WIDGET] = view
    room = LIMIT - len(msgspec.json.encode(data))
    for small in smaller(record):
        shown = display(small, strip, key)
        if len(shown.log) + len(key) + 200 <= room:
            return {schema.LOG_MIME: msgspec.to_builtins(shown), **data}
    return data


def display(record: schema.Log, strip: bool, key: str) -> schema.LogDisplay:
    log = b64encode(deflated(record)).decode()
    return schema.LogDisplay(version=schema.VERSION, log=log, strip=strip, key=key)


def deflated(record: schema.Log) -> bytes:
    """JSON, deflated (zlib, RFC 1950)."""
    return zlib.compress(msgspec.json.encode(record))


def smaller(record: schema.Log) -> Iterator[schema.Log]:
    """The log, then with fewer and fewer events, and at last without its causes too."""
    yield record
    for kept in FEWER:
        left_out = len(record.events) - 2 * kept
        if left_out > 0:
            events = [*record.events[:kept], *record.events[len(record.events) - kept :]]
            yield replace(record, events=events, omitted=record.omitted + left_out)
    omitted = record.omitted + len(record.events)
    yield replace(record, events=[], omitted=omitted, causes=[])


def widget_view(record: schema.Log, strip: bool, key: str) -> dict[str, Any] | None:
    """The view of a new widget, or None where there is no kernel to serve one."""
    if not in_kernel():
        return None
    try:
        from jaxviz.display.widget import LogWidget, view_of

        return view_of(LogWidget(key, payload=deflated(record), strip=strip))
    except Exception:
        return None
