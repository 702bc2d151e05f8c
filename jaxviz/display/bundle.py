"""A program or a log as a notebook's output: data, widget, picture and text in one MIME bundle.

The picture is in HTML, for pages that cannot draw the data: pages without our extension, notebooks
that are opened again, nbconvert, web sites.
"""

from __future__ import annotations

import html
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Container, Iterator
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.channel import listen
from jaxviz.display.earlier import since
from jaxviz.display.fit import fit
from jaxviz.display.outputs import PROCESS, Shown, register
from jaxviz.display.running_cell import WIDGET, in_kernel, needs_widget
from jaxviz.display.text.summary import fixed_text, harmless, headline, summary
from jaxviz.picture.draw import NoEngine, NotDrawn, picture, timeline
from jaxviz.sentences import sentence
from jaxviz.stages import Stages

LIVE = (
    "For the live view in JupyterLab or Notebook, run "
    "<code>pip install --no-deps jupyterlab-jaxviz</code> where Jupyter's server runs, then reload "
    "the page."
)
HINT = f"A still picture. {LIVE}"
BUNDLE_BYTES = 195_000
"""The most bytes of a bundle: 200 kB, less some room for the notebook's own JSON around it."""
PICTURE_BYTES = 60_000
"""The most bytes of the picture's HTML."""
MOST_EQNS_ON_CARD = 24
"""The most eqns of a program that a card draws. Drawing more takes longer than the card."""
FEWER_EVENTS = (500, 200, 80, 30, 10, 0)
"""The numbers of events to keep at each end of a log that is too large, tried in this order."""


def mimebundle(
    stages: Stages,
    opening: schema.Opening = schema.UNCHOSEN,
    include: Container[str] | None = None,
    exclude: Container[str] | None = None,
) -> dict[str, Any]:
    """The MIME bundle of a program, at most 200 kB, which opens as `opening` says.

    `include` and `exclude` are as in IPython's `_repr_mimebundle_`: the only MIME types to return,
    and MIME types to leave out."""
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


def whole_bundle(
    stages: Stages,
    opening: schema.Opening,
    report: schema.Report | None = None,
    text: str = "",
    above: str = "",
) -> dict[str, Any]:
    """The MIME bundle of a program, with a tool's report.

    `text` replaces the summary. `above` is HTML above the still picture. A page without our
    extension shows both; without a report, it shows a live view of the program."""
    with suppress(ValueError):  # if the stage cannot be made, the page says so
        stages.opened(opening)
    record = stages.shown
    text = text or summary(record, opening.memory)
    whole = wire.encode(record)
    key = key_for(stages)
    html = above + picture_html(record, opening, text, key if report is None else "", report)
    data: dict[str, Any] = {"text/plain": text, "text/html": html}
    can_step = key != "" and stages.again is not None and report is None
    change = since(key, record, whole) if report is None else ""
    return with_display(data, record, whole, opening, key, change, report, can_step)


def card_bundle(card: schema.Card, record: schema.Program, text: str, key: str) -> dict[str, Any]:
    """The MIME bundle of an error's card: data, HTML and text. The HTML has the text, and a picture
    of the program so far if it is small. Pages use `key` to ask to try fixes."""
    shown = preformatted(text)
    with suppress(Exception):
        if 0 < sum(len(graph.eqns) for graph in record.stages[0].graphs) <= MOST_EQNS_ON_CARD:
            shown += image(record, schema.UNCHOSEN)
    data: dict[str, Any] = {"text/plain": text, "text/html": still(shown, "", "card", hint=False)}
    return with_display(data, record, wire.encode(record), schema.UNCHOSEN, key, report=card)


def findings_bundle(found: list[schema.Finding], text: str) -> dict[str, Any]:
    """The MIME bundle of findings alone: data of a program without eqns, and text."""
    record = schema.empty(
        schema.Program,
        version=schema.VERSION,
        stages=[schema.empty(schema.Stage, kind="jaxpr", graphs=[schema.empty(schema.Graph)])],
        findings=[replace(one, eqns=[]) for one in found],
    )
    html = still(preformatted(text), "", "findings", hint=False)
    data: dict[str, Any] = {"text/plain": text, "text/html": html}
    alone = schema.FindingsAlone()
    return with_display(data, record, wire.encode(record), schema.UNCHOSEN, "", report=alone)


def with_display(
    data: dict[str, Any],
    record: schema.Program,
    whole: bytes,
    opening: schema.Opening,
    key: str,
    since: str = "",
    report: schema.Report | None = None,
    can_step: bool = False,
) -> dict[str, Any]:
    """The bundle `data`, with a widget if the host needs one, and the data of the page's view if
    there is room. The arguments after `data` are those of `fit`."""
    if needs_widget():
        data |= widget_view(key, whole, opening, report, can_step)
    size = len(msgspec.json.encode(data)) + len(msgspec.json.encode(report))
    display = fit(record, whole, opening, key, BUNDLE_BYTES - size, since, report, can_step)
    return data if display is None else {schema.MIME: msgspec.to_builtins(display), **data}


def shown(record: schema.Program, report: schema.Report | None = None) -> schema.Display:
    """A program with a tool's report, as the answer to a page."""
    display = fit(record, wire.encode(record), schema.UNCHOSEN, "", BUNDLE_BYTES, report=report)
    if display is None:
        raise ValueError(sentence("too large"))
    return display


def key_for(shown: Shown) -> str:
    """A key with which pages can ask this kernel about an output; empty if they cannot."""
    if not in_kernel():
        return ""
    try:
        listen()
        return register(shown)
    except Exception:
        return ""


def picture_html(
    record: schema.Program,
    opening: schema.Opening,
    text: str,
    key: str,
    report: schema.Report | None = None,
) -> str:
    """The static picture as HTML. If it is too large or cannot be drawn, the HTML is `text`, with
    the reason if the drawing engine failed."""
    instead = f"<pre>{html.escape(text)}</pre>"
    try:
        shown = image(record, opening, report)
    except NotDrawn as error:
        shown = instead + undrawn(error)
    except Exception:
        shown = instead
    if len(shown) > PICTURE_BYTES:
        shown = instead
    return still(shown, key, "program", f"opening-{classed(opening)}")


def image(
    record: schema.Program, opening: schema.Opening, report: schema.Report | None = None
) -> str:
    """The static picture as an image element. Raises ValueError if the program has no graph."""
    words = " · ".join(filter(None, [headline(record), harmless(fixed_text(record))]))
    return tag(picture(record, opening, report), words)


def widget_view(
    key: str,
    payload: bytes,
    opening: schema.Opening,
    report: schema.Report | None,
    can_step: bool,
) -> dict[str, Any]:
    """A new widget as a part of the bundle; empty if it cannot be made."""
    with suppress(Exception):
        return {WIDGET: program_widget(key, payload, opening, report, can_step).view}
    return {}


def as_widget(stages: Stages, opening: schema.Opening) -> Any:
    """The anywidget that draws a program, for hosts that ask for one themselves."""
    key, payload = register(stages), wire.encode(stages.shown)
    return program_widget(key, payload, opening, None, can_step=False)


def program_widget(
    key: str,
    payload: bytes,
    opening: schema.Opening,
    report: schema.Report | None,
    can_step: bool,
) -> Any:
    from jaxviz.display.widget import ProgramWidget

    traits = msgspec.to_builtins({"opening": opening, "report": report})
    return ProgramWidget(key, payload=payload, can_step=can_step, **traits)


def log_bundle(record: schema.Log, text: str, strip: bool, key: str, last: bool) -> dict[str, Any]:
    """The MIME bundle of a log, at most 200 kB. If the log is too large, events in its middle are
    left out and counted as `omitted`.

    `text` is for hosts that can show nothing else. `strip` and `key` are those of
    `schema.LogDisplay`. `last` is True for the last bundle of this log: only this one has a
    picture, and a widget if the host needs one.
    """
    kinds = ("log", "strip") if strip else ("log",)
    picture = drawn_timeline(record) if last and not strip else ""
    seen = still(f"{picture}<pre>{html.escape(text)}</pre>", key, *kinds, hint=not strip)
    data: dict[str, Any] = {"text/plain": text, "text/html": seen}
    if last and needs_widget():
        data |= log_widget_view(record, strip, key)
    room = BUNDLE_BYTES - len(msgspec.json.encode(data))
    for small in smaller_logs(record):
        shown = log_display(small, strip, key)
        if len(shown.log) + len(key) + 200 <= room:
            return {schema.LOG_MIME: msgspec.to_builtins(shown), **data}
    return data


def drawn_timeline(record: schema.Log) -> str:
    """The timeline as an image element, or why it could not be drawn. Empty if there is nothing to
    draw: the text says so already."""
    try:
        return tag(timeline(record), "What JAX traced, lowered and compiled, and when")
    except NotDrawn as error:
        return undrawn(error)
    except Exception:
        return ""


def log_display(record: schema.Log, strip: bool, key: str) -> schema.LogDisplay:
    log = b64encode(wire.deflated(record)).decode()
    by = schema.release()
    return schema.LogDisplay(version=schema.VERSION, jaxviz=by, log=log, strip=strip, key=key)


def smaller_logs(record: schema.Log) -> Iterator[schema.Log]:
    """The log, then the log with fewer and fewer events, and finally without causes."""
    yield record
    for count in FEWER_EVENTS:
        left_out = len(record.events) - 2 * count
        if left_out > 0:
            events = [*record.events[:count], *record.events[len(record.events) - count :]]
            yield replace(record, events=events, omitted=record.omitted + left_out)
    omitted = record.omitted + len(record.events)
    yield replace(record, events=[], omitted=omitted, causes=[])


def log_widget_view(record: schema.Log, strip: bool, key: str) -> dict[str, Any]:
    """A new widget as a part of the bundle; empty if it cannot be made."""
    with suppress(Exception):
        from jaxviz.display.widget import LogWidget

        return {WIDGET: LogWidget(key, payload=wire.deflated(record), strip=strip).view}
    return {}


def still(shown: str, key: str, *kinds: str, hint: bool = True) -> str:
    """The HTML of an output: `shown`, and below it a hint on how to get the live view.

    Its classes are for a page that runs our script (`js/src/hosts/in-place.ts`). They contain the
    output's kinds, the kernel's id and the key. Hosts leave classes unchanged, even in notebooks
    that are not trusted."""
    source = (f"in-{PROCESS}", f"key-{key}") if key else ()
    names = " ".join(f"jaxviz-{name}" for name in ("output", *kinds, *source))
    below = small(HINT if "<img " in shown else LIVE) if hint else ""
    return f'<div class="{names}">{shown}{below}</div>'


def classed(opening: schema.Opening) -> str:
    """The opening as part of a class name: its JSON in base64 for URLs (RFC 4648, section 5)."""
    return urlsafe_b64encode(msgspec.json.encode(opening)).decode().rstrip("=")


def preformatted(text: str) -> str:
    return f'<pre style="white-space: pre-wrap">{html.escape(text)}</pre>'


_noted: set[str] = set()
"""The sentences on a missing engine that an output has shown."""


def undrawn(error: NotDrawn) -> str:
    """A line instead of a picture that could not be drawn. If there is no engine, only the first
    output has the line."""
    why = str(error)
    if isinstance(error, NoEngine):
        if why in _noted:
            return ""
        _noted.add(why)
    return small(f"No picture: {html.escape(why)}")


def small(shown: str) -> str:
    return f'<div class="jaxviz-hint" style="opacity:0.7;font-size:85%">{shown}</div>'


def tag(svg: str, words: str) -> str:
    """A picture as an image element with an alternative text. Hosts would remove an inline SVG."""
    data = b64encode(svg.encode()).decode()
    alt = html.escape(words)
    return f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
