"""The still picture of an output, for whoever cannot draw its data: a page without our extension, a
notebook that is opened again, nbconvert, a site."""

from __future__ import annotations

from jaxviz.display.known import PROCESS

LIVE = (
    "once <code>pip install --no-deps jupyterlab-jaxviz</code> has been run where Jupyter's server "
    "runs and the page is loaded again."
)
PROGRAM = f"A still picture. In JupyterLab and Notebook it is live, and its boxes open, {LIVE}"
LOG = f"As text. In JupyterLab and Notebook it is a timeline, {LIVE}"


def still(shown: str, key: str, *kinds: str, hint: str) -> str:
    """The HTML of an output, around what is `shown` of it, and below it how it comes alive.

    Its classes tell a page that runs our script (`js/src/hosts/in-place.ts`) what it is, and whom
    to ask for it: hosts leave classes as they are, also where a notebook is not trusted."""
    known = (f"in-{PROCESS}", f"key-{key}") if key else ()
    names = " ".join(f"jaxviz-{name}" for name in ("output", *kinds, *known))
    below = f'<div class="jaxviz-hint" style="opacity:0.7;font-size:85%">{hint}</div>' if hint else ""
    return f'<div class="{names}">{shown}{below}</div>'
