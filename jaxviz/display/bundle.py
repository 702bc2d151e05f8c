"""A program as a notebook's output: data, widget, picture and text in one MIME bundle."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Container
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.fit import fit
from jaxviz.display.summary import headline, summary
from jaxviz.picture import picture

WIDGET = "application/vnd.jupyter.widget-view+json"
LIMIT = 195_000
"""Bytes of the whole bundle, with a little room for the notebook's own JSON around it."""
PICTURE = 60_000
"""Bytes of the picture's HTML."""


def mimebundle(
    record: schema.Program,
    include: Container[str] | None = None,
    exclude: Container[str] | None = None,
) -> dict[str, Any]:
    """The MIME bundle of a program, at most 200 kB. `include` and `exclude` are as in IPython's
    `_repr_mimebundle_`: MIME types to give alone, or to leave out."""
    try:
        data = whole_bundle(record)
    except Exception as error:
        data = {"text/plain": f"{headline(record)}\njaxviz cannot show more of it: {error}"}
    return {
        mime: value
        for mime, value in data.items()
        if (not include or mime in include) and not (exclude and mime in exclude)
    }


def whole_bundle(record: schema.Program) -> dict[str, Any]:
    text = summary(record)
    data: dict[str, Any] = {"text/plain": text, "text/html": picture_html(record, text)}
    whole = wire.encode(record)
    view = widget_view(whole)
    if view is not None:
        data[WIDGET] = view
    room = LIMIT - len(msgspec.json.encode(data))
    display = fit(record, whole, room)
    if display is not None:
        return {schema.MIME: msgspec.to_builtins(display), **data}
    return data


def picture_html(record: schema.Program, text: str) -> str:
    """The static picture, or the summary where it cannot be drawn or is too large."""
    try:
        shown = image(record)
    except Exception:
        shown = None
    if shown is None or len(shown) > PICTURE:
        return f"<pre>{html.escape(text)}</pre>"
    return shown


def image(record: schema.Program) -> str:
    """The static picture as an image, which no host takes out. Raises ValueError where the
    program has no graph."""
    svg = b64encode(picture(record).encode()).decode()
    alt = html.escape(headline(record))
    return f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{svg}">'


def widget_view(payload: bytes) -> dict[str, Any] | None:
    """The view of a new widget, or None where there is no kernel to serve one."""
    if not in_kernel():
        return None
    try:
        from jaxviz.display.widget import ProgramWidget

        bundle: Any = ProgramWidget(payload=payload)._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        return data[WIDGET]
    except Exception:
        return None


def as_widget(record: schema.Program) -> Any:
    """The anywidget that draws a program, for hosts that ask for one themselves."""
    from jaxviz.display.widget import ProgramWidget

    return ProgramWidget(payload=wire.encode(record))


def in_kernel() -> bool:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None
