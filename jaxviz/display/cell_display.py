"""A display among the outputs of the running cell, whose content is replaced again and again."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import uuid4

from IPython.core.getipython import get_ipython


class CellDisplay:
    """One display of the cell that runs.

    When the user clears the cell's outputs, the display is gone until the cell ends. Our hooks see
    what the kernel publishes and so notice this. After `clear_output(wait=True)` the next output
    clears the others. That output must not be ours, which could clear the user's for good.
    """

    def __init__(self) -> None:
        """Must be called in the thread that runs the cell. Raises where no kernel publishes the
        cell's outputs."""
        shell: Any = get_ipython()
        self._publisher = shell.display_pub
        self._cell = self._publisher.parent_header["msg_id"]
        self._display = uuid4().hex
        self._streams: list[Any] = []
        self._new = True
        self._there = False
        self._waiting = False
        """Whether the user's next output will clear those that are there."""
        self._publisher.register_hook(self._published)

    @property
    def open(self) -> bool:
        """Whether what is put now will be seen."""
        return self._there or (self._new and not self._waiting)

    def put(self, data: dict[str, Any]) -> None:
        """Shows a MIME bundle in place of the one before. To be called only while `open`."""
        self._publisher.publish(
            data, {}, transient={"display_id": self._display}, update=self._there
        )
        self._new, self._there = False, True

    def end(self, went_on: bool) -> None:
        """Says that the cell has ended, so that nothing is cleared any more. Must be called in the
        thread that ran it.

        `went_on` says whether the cell ended with an output of its own: its last value or an
        error."""
        with suppress(Exception):
            self._publisher.unregister_hook(self._published)
        for stream in self._streams:
            with suppress(Exception):
                stream.flush()
                stream.pub_thread.schedule(partial(stream.unregister_hook, self._written))
        if went_on:
            self._user_output()
        self._new = True

    def _published(self, message: dict[str, Any]) -> dict[str, Any]:
        with suppress(Exception):
            self._note(message["msg_type"], message["content"])
        return message

    def _note(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "clear_output" and not takes_outputs(self._cell):
            self._waiting = content["wait"]
            if self._waiting:
                self._listen()
            else:
                self._there = False
        elif kind == "display_data" and content["transient"].get("display_id") != self._display:
            self._user_output()

    def _user_output(self) -> None:
        """Takes note of an output of the user's."""
        if self._waiting and not takes_outputs(self._cell):
            self._there = self._waiting = False

    def _listen(self) -> None:
        """Begins to watch what is printed. The thread that sends it calls our hook."""
        if self._streams:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):
                stream.pub_thread.schedule(partial(stream.register_hook, self._written))  # pyright: ignore[reportAttributeAccessIssue]
                self._streams.append(stream)

    def _written(self, message: dict[str, Any]) -> dict[str, Any]:
        with suppress(Exception):
            if message["parent_header"]["msg_id"] == self._cell:
                self._user_output()
        return message


def takes_outputs(cell: str) -> bool:
    """Whether a widget takes the outputs of a cell for itself (`with Output():`)."""
    widgets = sys.modules.get("ipywidgets.widgets.widget")
    known = [*getattr(widgets, "_instances", {}).values()]
    return any(getattr(widget, "msg_id", None) == cell for widget in known)
