"""The place of one display among the outputs of the cell that runs."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import uuid4

from IPython.core.getipython import get_ipython


class Place:
    """One display, which is put anew again and again.

    The user may clear the cell's outputs: then it is gone until the cell ends. What the kernel
    publishes passes our hooks, which tell. Of `clear_output(wait=True)` the next output clears what
    there is, and that must not be us, because the user's own outputs may be the last ones.
    """

    def __init__(self) -> None:
        """In the thread that runs the cell. Raises where its outputs do not go to a page."""
        shell: Any = get_ipython()
        self._publisher = shell.display_pub
        self._cell = self._publisher.parent_header["msg_id"]
        self._display = uuid4().hex
        self._streams: list[Any] = []
        self._new = True
        self._there = False
        self._waiting = False
        """The next output clears those that are there."""
        self._publisher.register_hook(self._published)

    @property
    def open(self) -> bool:
        """Whether what is put now is seen."""
        return self._there or (self._new and not self._waiting)

    def put(self, data: dict[str, Any]) -> None:
        """Shows a MIME bundle in the place of the one before; where this is `open`."""
        self._publisher.publish(
            data, {}, transient={"display_id": self._display}, update=self._there
        )
        self._new, self._there = False, True

    def end(self, went_on: bool) -> None:
        """In the thread that ran the cell: nothing is cleared from now on. `went_on` says that its
        last value, or an error, came after all else."""
        with suppress(Exception):
            self._publisher.unregister_hook(self._published)
        for stream in self._streams:
            with suppress(Exception):
                stream.flush()
                stream.pub_thread.schedule(partial(stream.unregister_hook, self._written))
        if went_on:
            self._came()
        self._new = True

    def _published(self, message: dict[str, Any]) -> dict[str, Any]:
        with suppress(Exception):
            self._note(message["msg_type"], message["content"])
        return message

    def _note(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "clear_output" and not captured(self._cell):
            self._waiting = content["wait"]
            if self._waiting:
                self._listen()
            else:
                self._there = False
        elif kind == "display_data" and content["transient"].get("display_id") != self._display:
            self._came()

    def _came(self) -> None:
        """An output of the user's."""
        if self._waiting and not captured(self._cell):
            self._there = self._waiting = False

    def _listen(self) -> None:
        """Hears from now on what is printed: of that the thread that sends it tells."""
        if self._streams:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):
                stream.pub_thread.schedule(partial(stream.register_hook, self._written))  # pyright: ignore[reportAttributeAccessIssue]
                self._streams.append(stream)

    def _written(self, message: dict[str, Any]) -> dict[str, Any]:
        with suppress(Exception):
            if message["parent_header"]["msg_id"] == self._cell:
                self._came()
        return message


def captured(cell: str) -> bool:
    """Whether a widget takes the outputs of a cell for itself (`with Output():`)."""
    widgets = sys.modules.get("ipywidgets.widgets.widget")
    known = [*getattr(widgets, "_instances", {}).values()]
    return any(getattr(widget, "msg_id", None) == cell for widget in known)
