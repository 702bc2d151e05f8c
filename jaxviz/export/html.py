"""Writes a program or a log as one HTML file, which any browser shows without kernel or network."""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from html import escape

import msgspec

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.bundle import image
from jaxviz.display.text.summary import harmless, summary
from jaxviz.display.widget import built

_EXPORT = re.compile(r"export\s*\{(?:[^{}]*,)?\s*([\w$]+) as default\s*(?:,[^{}]*)?\};?")
"""The exports of a module as esbuild writes them, with the default export."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{css}
:root {{ color-scheme: light dark; }}
body {{ margin: 8px; background: Canvas; color: CanvasText; }}
.jxv .jxv-frame:not(.jxv-short) {{ --jxv-grows: 0; height: calc(100vh - 20px); }}
</style>
</head>
<body>
<main id="view"></main>
<noscript>{fallback}</noscript>
<script type="application/octet-stream" id="data" data-what="{what}"
  data-opening="{opening}" data-report="{report}">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""

_START = """
{{
  const {{ textContent, dataset }} = document.getElementById('data');
  const bytes = Uint8Array.from(atob(textContent), (char) => char.charCodeAt(0));
  const payload = new DataView(bytes.buffer);
  const [opening, report] = [dataset.opening, dataset.report].map((text) => JSON.parse(text));
  const traits = {{ what: dataset.what, payload, opening, report, strip: false }};
  const model = {{ get: (name) => traits[name] }};
  ({widget}).render({{ model, el: document.getElementById('view') }});
}}
"""


def html(
    record: schema.Program,
    opening: schema.Opening,
    report: schema.Report | None = None,
    text: str = "",
    is_text: bool = False,
) -> str:
    """The page of a program with a tool's report. `opening` chooses what is open. `text` and
    `is_text` are those of `ToSave`.

    Raises FileNotFoundError if the widget is not built.
    """
    title = f"{record.name} · jaxviz"
    shown = fallback(record, opening, report, text, is_text)
    return page(title, "program", wire.encode(record), opening, shown, report)


def log_html(record: schema.Log, text: str) -> str:
    """The page of a log. It lacks the programs of traces, which only the kernel has. A browser that
    runs no script shows `text`.

    Raises FileNotFoundError if the widget is not built.
    """
    title = "What JAX traced · jaxviz"
    return page(title, "log", wire.deflated(record), schema.UNCHOSEN, f"<pre>{escape(text)}</pre>")


def page(
    title: str,
    what: str,
    payload: bytes,
    opening: schema.Opening,
    fallback: str,
    report: schema.Report | None = None,
) -> str:
    """The page. Its content security policy allows its own script, by hash, blobs that this
    makes, inline styles and `data:` images. It allows no requests."""
    code = script(built("widget.js"))
    digest = b64encode(sha256(code.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' blob:; "
        "style-src 'unsafe-inline'; img-src data:"
    )
    return _PAGE.format(
        policy=policy,
        title=escape(harmless(title)),
        css=re.sub(r"</(?=style)", r"<\\/", built("widget.css"), flags=re.IGNORECASE),
        fallback=fallback,
        what=what,
        opening=escape(msgspec.json.encode(opening).decode()),
        report=escape(msgspec.json.encode(report).decode()),
        data=b64encode(payload).decode(),
        script=code,
    )


def script(bundle: str) -> str:
    """The widget's module as a script of the page. It contains no text that ends a script element.

    A module in a page cannot export, so code that starts the view replaces its exports.
    """
    found = _EXPORT.search(bundle)
    if found is None:
        raise ValueError("jaxviz/static/widget.js has no default export: run `npm run build`.")
    start = _START.format(widget=found[1])
    code = f"{bundle[: found.start()]}{start}{bundle[found.end() :]}"
    return re.sub(r"<(?=!--|/?script)", r"\\x3c", code, flags=re.IGNORECASE)


def fallback(
    record: schema.Program,
    opening: schema.Opening,
    report: schema.Report | None = None,
    text: str = "",
    is_text: bool = False,
) -> str:
    """The part of the page for a browser without scripts: the picture, and the text of the report,
    else the program's summary."""
    shown = f"<pre>{escape(text or summary(record))}</pre>"
    with suppress(ValueError):
        return shown if is_text else image(record, opening, report) + shown
    return shown
