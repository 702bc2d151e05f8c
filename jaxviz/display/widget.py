"""The view as an anywidget, for hosts without our extension."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import traitlets
from IPython.core.getipython import get_ipython

STATIC = Path(__file__).parent.parent / "static"


class ProgramWidget(anywidget.AnyWidget):
    """Draws the program whose wire form is `payload`. Nothing else of it is sent.

    It lives until the cell that showed it is run again and shows another.
    """

    payload = traitlets.Bytes().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        with suppress(Exception):
            close_earlier(self)

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


class Shown(NamedTuple):
    """What one execution of a cell has shown."""

    execution: str
    widgets: list[ProgramWidget]


_shown: dict[str, Shown] = {}
"""The latest of each cell, by its id."""


def close_earlier(widget: ProgramWidget) -> None:
    """Closes what earlier executions of the running cell have shown.

    ipywidgets would keep those, and their payloads, as long as the kernel lives. Raises where
    there is no kernel, or where it does not know the cell.
    """
    shell: Any = get_ipython()
    request = shell.kernel.get_parent()
    cell, execution = request["metadata"]["cellId"], request["header"]["msg_id"]
    earlier = _shown.get(cell)
    if earlier is not None and earlier.execution == execution:
        earlier.widgets.append(widget)
        return
    _shown[cell] = Shown(execution, [widget])
    for old in earlier.widgets if earlier is not None else ():
        old.layout.close()
        old.close()
