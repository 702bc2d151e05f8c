"""The widgets for pages without our extension: the view itself, for VS Code and Colab, and a
loader, which fetches the script of the live view for other pages."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from jaxviz.display.outputs import PROCESS
from jaxviz.display.page_requests import PageRequests
from jaxviz.display.running_cell import WIDGET, until_rerun

STATIC = Path(__file__).parent.parent / "static"


class Loader(anywidget.AnyWidget):
    """Has no view. A page that runs it fetches our script when it finds an output of jaxviz."""

    process = traitlets.Unicode(PROCESS).tag(sync=True)

    @property
    def _esm(self) -> str:
        return built("loader.js")


class View(anywidget.AnyWidget):
    """Draws `payload`, a program or a log as `what` says.

    Its view may ask about the output that is registered under `key`. The widget lives until the
    cell that showed it runs again.
    """

    what = traitlets.Unicode().tag(sync=True)
    payload = traitlets.Bytes().tag(sync=True)

    def __init__(self, key: str, **traits: Any) -> None:
        super().__init__(**traits)
        requests = PageRequests(key, self.send)
        self.on_msg(lambda _, content, __: requests.receive(content))
        with suppress(Exception):
            until_rerun(self._end)

    @property
    def view(self) -> dict[str, Any]:
        """The widget's part of an output, of the MIME type WIDGET."""
        bundle: Any = self._repr_mimebundle_()
        return (bundle[0] if isinstance(bundle, tuple) else bundle)[WIDGET]

    @property
    def _esm(self) -> str:
        return built("widget.js")

    @property
    def _css(self) -> str:
        return built("widget.css")

    def _end(self) -> None:
        """Frees the widget and its payload. ipywidgets would keep them until the kernel ends."""
        self.layout.close()
        self.close()


class ProgramWidget(View):
    """Draws the program whose wire form is `payload`, and the `report` of a tool. The program opens
    as `opening` says. If it `can_step`, its view may ask for the steps of its trace."""

    what = traitlets.Unicode("program").tag(sync=True)
    opening = traitlets.Dict().tag(sync=True)
    report = traitlets.Dict(None, allow_none=True).tag(sync=True)
    can_step = traitlets.Bool().tag(sync=True)


class LogWidget(View):
    """Draws the log whose deflated JSON is `payload`, at first as one line if it is a `strip`."""

    what = traitlets.Unicode("log").tag(sync=True)
    strip = traitlets.Bool().tag(sync=True)


@cache
def built(name: str) -> str:
    """The text of a built file in `jaxviz/static`. Raises FileNotFoundError if it is not built."""
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"jaxviz/static/{name} is missing: in a checkout of jaxviz, run `npm run build`."
        ) from None
