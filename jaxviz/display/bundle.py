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
from jaxviz.display.still import classed, still, tag, undrawn
from jaxviz.display.summary import fixed_text, harmless, headline, summary
from jaxviz.picture import NotDrawn, picture
from jaxviz.stages import Stages

BUNDLE_BYTES = 195_000
"""How many bytes a bundle may have; 200 kB less some room for the notebook's own JSON around it."""
PICTURE_BYTES = 60_000
"""How many bytes the picture's HTML may have."""


def mimebundle(
    stages: Stages,
    opening: schema.Opening = schema.UNCHOSEN,
    include: Container[str] | None = None,
    exclude: Container[str] | None = None,
) -> dict[str, Any]:
    """The MIME bundle of a program, at most 200 kB, which opens as `opening` says.

    `include` and `exclude` are as in IPython's `_repr_mimebundle_`: the only MIME types to give, or
    those to leave out."""
    try:
        data = whole_bundle(stages, opening)
    except Exception as error:
        shown = headline(stages.record)
        data = {"text/plain": f"{shown}\njaxviz cannot show more of it: {error}"}
    return chosen(data, include, exclude)


def chosen(
    data: dict[str, Any], include: Container[str] | None, exclude: Container[str] | None
) -> dict[str, Any]:
    """The part of the bundle that IPython asks for."""
    return {
        mime: value
        for mime, value in data.items()
        if (not include or mime in include) and not (exclude and mime in exclude)
    }


def whole_bundle(stages: Stages, opening: schema.Opening) -> dict[str, Any]:
    with suppress(ValueError):  # where the stage cannot be made, the page says so
        stages.opened(opening)
    record = stages.record
    text = summary(record)
    whole = wire.encode(record)
    key = announced(stages)
    shown = picture_html(record, opening, text, key)
    data: dict[str, Any] = {"text/plain": text, "text/html": shown}
    if needs_widget():
        data |= widget_view(key, whole, opening)
    room = BUNDLE_BYTES - len(msgspec.json.encode(data))
    display = fit(record, whole, opening, key, room)
    if display is not None:
        return {schema.MIME: msgspec.to_builtins(display), **data}
    return data


def announced(shown: Shown) -> str:
    """The key with which pages can ask this kernel for more of what is shown; empty where they
    cannot."""
    if not in_kernel():
        return ""
    try:
        listen()
        return keep(shown)
    except Exception:
        return ""


def picture_html(record: schema.Program, opening: schema.Opening, text: str, key: str) -> str:
    """The static picture as HTML. Where it is too large or cannot be drawn, it is the summary,
    with the reason if the drawing engine failed."""
    instead = f"<pre>{html.escape(text)}</pre>"
    try:
        shown = image(record, opening)
    except NotDrawn as error:
        shown = instead + undrawn(str(error))
    except Exception:
        shown = instead
    if len(shown) > PICTURE_BYTES:
        shown = instead
    return still(shown, key, "program", f"opening-{classed(opening)}")


def image(record: schema.Program, opening: schema.Opening) -> str:
    """The static picture as an image element. Raises ValueError where the program has no graph."""
    words = " · ".join(filter(None, [headline(record), harmless(fixed_text(record))]))
    return tag(picture(record, opening), words)


def widget_view(key: str, payload: bytes, opening: schema.Opening) -> dict[str, Any]:
    """The view of a new widget, as a part of the bundle; empty where it cannot be made."""
    with suppress(Exception):
        return {WIDGET: program_widget(key, payload, opening).view}
    return {}


def as_widget(stages: Stages, opening: schema.Opening) -> Any:
    """The anywidget that draws a program, for hosts that ask for one themselves."""
    return program_widget(keep(stages), wire.encode(stages.record), opening)


def program_widget(key: str, payload: bytes, opening: schema.Opening) -> Any:
    from jaxviz.display.widget import ProgramWidget

    return ProgramWidget(key, payload=payload, opening=msgspec.to_builtins(opening))
