"""A program as a notebook's output: data, widget, picture and text in one MIME bundle."""

from __future__ import annotations

import html
from collections.abc import Container
from contextlib import suppress
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.channel import listen
from jaxviz.display.fit import fit
from jaxviz.display.hosts import WIDGET, in_kernel, needs_widget
from jaxviz.display.known import Shown, keep
from jaxviz.display.still import still, tag, undrawn
from jaxviz.display.summary import fixed_text, harmless, headline, summary
from jaxviz.picture import NotDrawn, picture
from jaxviz.stages import Stages

LIMIT = 195_000
"""Bytes of the whole bundle, with a little room for the notebook's own JSON around it."""
PICTURE = 60_000
"""Bytes of the picture's HTML."""


def mimebundle(
    stages: Stages,
    first: str = "",
    include: Container[str] | None = None,
    exclude: Container[str] | None = None,
) -> dict[str, Any]:
    """The MIME bundle of a program, at most 200 kB; the stage `first` is seen first, or
    where it is empty the one that the reader prefers.

    `include` and `exclude` are as in IPython's `_repr_mimebundle_`: MIME types to give alone, or
    to leave out."""
    try:
        data = whole_bundle(stages, first)
    except Exception as error:
        shown = headline(stages.record)
        data = {"text/plain": f"{shown}\njaxviz cannot show more of it: {error}"}
    return chosen(data, include, exclude)


def chosen(
    data: dict[str, Any], include: Container[str] | None, exclude: Container[str] | None
) -> dict[str, Any]:
    """The MIME types that IPython asks for."""
    return {
        mime: value
        for mime, value in data.items()
        if (not include or mime in include) and not (exclude and mime in exclude)
    }


def whole_bundle(stages: Stages, first: str) -> dict[str, Any]:
    record = stages.record
    text = summary(record)
    whole = wire.encode(record)
    key = announced(stages)
    data: dict[str, Any] = {"text/plain": text, "text/html": picture_html(record, first, text, key)}
    if needs_widget():
        data |= widget_view(key, whole, first)
    room = LIMIT - len(msgspec.json.encode(data))
    display = fit(record, whole, first, key, room)
    if display is not None:
        return {schema.MIME: msgspec.to_builtins(display), **data}
    return data


def announced(shown: Shown) -> str:
    """The key under which pages can ask this kernel for more of it; empty where they cannot."""
    if not in_kernel():
        return ""
    try:
        listen()
        return keep(shown)
    except Exception:
        return ""


def picture_html(record: schema.Program, first: str, text: str, key: str) -> str:
    """The static picture, or the summary where it cannot be drawn or is too large, and why."""
    instead = f"<pre>{html.escape(text)}</pre>"
    try:
        shown = image(record, first)
    except NotDrawn as error:
        shown = instead + undrawn(str(error))
    except Exception:
        shown = instead
    if len(shown) > PICTURE:
        shown = instead
    return still(shown, key, "program", f"stage-{first}")


def image(record: schema.Program, first: str = "jaxpr") -> str:
    """The static picture of a stage. Raises ValueError where the program has no graph."""
    told = " · ".join(filter(None, [headline(record), harmless(fixed_text(record))]))
    return tag(picture(record, first), told)


def widget_view(key: str, payload: bytes, first: str) -> dict[str, Any]:
    """The view of a new widget, as a part of the bundle: of none where it cannot be made."""
    with suppress(Exception):
        from jaxviz.display.widget import ProgramWidget

        return {WIDGET: ProgramWidget(key, payload=payload, stage=first).view}
    return {}


def as_widget(stages: Stages) -> Any:
    """The anywidget that draws a program, for hosts that ask for one themselves."""
    from jaxviz.display.widget import ProgramWidget

    return ProgramWidget(keep(stages), payload=wire.encode(stages.record), stage="")
