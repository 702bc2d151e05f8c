"""The view as an anywidget, for hosts without our extension."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from jaxviz.display.asked import Asked
from jaxviz.display.shown import until_rerun

STATIC = Path(__file__).parent.parent / "static"


class ProgramWidget(anywidget.AnyWidget):
    """Draws the program whose wire form is `payload`, the stage of the kind `stage` first.

    Nothing else of the program is sent, but later stages when its view asks for them: they are
    made from what is known under `key`. It lives until the cell that showed it runs again.
    """

    payload = traitlets.Bytes().tag(sync=True)
    stage = traitlets.Unicode().tag(sync=True)

    def __init__(self, key: str, **traits: Any) -> None:
        super().__init__(**traits)
        asked = Asked(key, self.send)
        self.on_msg(lambda _, content, __: asked.receive(content))
        with suppress(Exception):
            until_rerun(self._end)

    @property
    def _esm(self) -> str:
        return built("widget.js")

    @property
    def _css(self) -> str:
        return built("widget.css")

    def _end(self) -> None:
        """ipywidgets would keep it, and its payload, as long as the kernel lives."""
        self.layout.close()
        self.close()


@cache
def built(name: str) -> str:
    """A file of the bundle. Raises FileNotFoundError where it is not built."""
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"jaxviz/static/{name} is missing: in a checkout of jaxviz, run `npm run build`."
        ) from None
