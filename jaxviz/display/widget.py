"""The view as an anywidget, for hosts without our extension."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import anywidget
import traitlets

STATIC = Path(__file__).parent.parent / "static"


class ProgramWidget(anywidget.AnyWidget):
    """Draws the program whose wire form is `payload`. Nothing else of it is sent."""

    payload = traitlets.Bytes().tag(sync=True)

    @property
    def _esm(self) -> str:
        return built("widget.js")

    @property
    def _css(self) -> str:
        return built("widget.css")


@cache
def built(name: str) -> str:
    """A file of the bundle. Raises FileNotFoundError where it is not built."""
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"jaxviz/static/{name} is missing: in a checkout of jaxviz, run `npm run build`."
        ) from None
