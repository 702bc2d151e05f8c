"""The still picture of an output, for whoever cannot draw its data: a page without our extension, a
notebook that is opened again, nbconvert, a site."""

from __future__ import annotations

import html
from base64 import b64encode, urlsafe_b64encode

from msgspec.json import encode

from jaxviz.display.known import PROCESS
from jaxviz.schema import Opening

HINT = (
    "A still picture. For the live view in JupyterLab or Notebook, run "
    "<code>pip install --no-deps jupyterlab-jaxviz</code> where Jupyter's server runs, then reload "
    "the page."
)


def still(shown: str, key: str, *kinds: str, hint: bool = True) -> str:
    """The HTML of an output, around what is `shown` of it, and below it how it comes alive.

    Its classes tell a page that runs our script (`js/src/hosts/in-place.ts`) what it is, and whom
    to ask for it: hosts leave classes as they are, also where a notebook is not trusted."""
    known = (f"in-{PROCESS}", f"key-{key}") if key else ()
    names = " ".join(f"jaxviz-{name}" for name in ("output", *kinds, *known))
    below = small(HINT) if hint else ""
    return f'<div class="{names}">{shown}{below}</div>'


def classed(opening: Opening) -> str:
    """How a program opens, in letters that a class may have: its JSON in base64 (RFC 4648, 5)."""
    return urlsafe_b64encode(encode(opening)).decode().rstrip("=")


def undrawn(why: str) -> str:
    """What stands where a picture would."""
    return small(f"No picture: {html.escape(why)}")


def small(shown: str) -> str:
    return f'<div class="jaxviz-hint" style="opacity:0.7;font-size:85%">{shown}</div>'


def tag(svg: str, told: str) -> str:
    """A picture as an image, which no host takes out; `told` is what it shows, in words."""
    data = b64encode(svg.encode()).decode()
    alt = html.escape(told)
    return f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
