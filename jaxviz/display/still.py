"""The HTML of outputs, for pages that cannot draw the data itself."""

from __future__ import annotations

import html
from base64 import b64encode, urlsafe_b64encode

import msgspec

from jaxviz import schema
from jaxviz.display.known import PROCESS

HINT = (
    "A still picture. For the live view in JupyterLab or Notebook, run "
    "<code>pip install --no-deps jupyterlab-jaxviz</code> where Jupyter's server runs, then reload "
    "the page."
)


def still(shown: str, key: str, *kinds: str, hint: bool = True) -> str:
    """The HTML of an output: what is `shown`, and below it a hint on how to get the live view.

    Its classes tell a page that runs our script (`js/src/hosts/in-place.ts`) what it is, and which
    kernel to ask under which key. Classes are used since hosts leave them as they are, even in
    notebooks that are not trusted."""
    known = (f"in-{PROCESS}", f"key-{key}") if key else ()
    names = " ".join(f"jaxviz-{name}" for name in ("output", *kinds, *known))
    below = small(HINT) if hint else ""
    return f'<div class="{names}">{shown}{below}</div>'


def classed(opening: schema.Opening) -> str:
    """The opening as part of a class name: its JSON in base64 for URLs (RFC 4648, section 5)."""
    return urlsafe_b64encode(msgspec.json.encode(opening)).decode().rstrip("=")


def preformatted(text: str) -> str:
    return f'<pre style="white-space: pre-wrap">{html.escape(text)}</pre>'


def undrawn(why: str) -> str:
    """A line in place of a picture that could not be drawn."""
    return small(f"No picture: {html.escape(why)}")


def small(shown: str) -> str:
    return f'<div class="jaxviz-hint" style="opacity:0.7;font-size:85%">{shown}</div>'


def tag(svg: str, words: str) -> str:
    """A picture as an image element, which hosts leave in, as they would not an inline SVG. `words`
    say what it shows."""
    data = b64encode(svg.encode()).decode()
    alt = html.escape(words)
    return f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
