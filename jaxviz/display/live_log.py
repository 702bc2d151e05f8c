"""The display of a log under its cell: one output, which is replaced whenever the log grows."""

from __future__ import annotations

import sys
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from IPython.core.getipython import get_ipython
from msgspec.json import encode

from jaxviz.display.bundle import key_for, log_bundle
from jaxviz.display.outputs import LogAnswers
from jaxviz.display.running_cell import takes_updates
from jaxviz.display.updates import rest
from jaxviz.session import Log

SECONDS_APART = 0.1
"""The shortest time between two updates."""
SECONDS_BETWEEN_CHECKS = 0.02
"""The shortest time between two checks for changes of the log."""
SECONDS_TO_WAIT = 2.0
"""Seconds that the end of a cell waits for an update in progress."""


class LiveLog:
    """Shows a log while it grows. A `strip` is shown only after a function was traced, lowered or
    compiled again, or if the log has findings of its own. If the host cannot replace a display, it
    shows the log once, at the end.

    A thread sleeps until `changed` is set, and then sends the whole log. If this fails, only the
    display is lost.
    """

    def __init__(self, log: Log, changed: Event, strip: bool) -> None:
        """Must be called in the thread that runs the cell. Raises if no kernel publishes the cell's
        outputs."""
        self._log = log
        self._changed = changed
        self._strip = strip
        self._key = ""
        self._ending = Event()
        self._grows = takes_updates()
        # In the cell's context, so that what is sent counts as an output of the cell.
        work = copy_context().run
        self._thread = Thread(target=work, args=(self._work,), daemon=True, name="jaxviz live")
        self._display = CellDisplay()
        with suppress(Exception):
            if self._grows and not strip:
                self._put()
        self._thread.start()

    def end(self, has_output: bool) -> None:
        """Shows the final log. Must be called in the thread that ran the cell.

        `has_output` is True if the cell ended with its own output: its last value or an error."""
        self._ending.set()
        self._changed.set()
        self._thread.join(SECONDS_TO_WAIT)
        self._settle()
        self._display.end(has_output)
        if self.due:
            self._put(last=True)

    @property
    def due(self) -> bool:
        """True if there is something to show, and a display for it."""
        return self._display.open and (not self._strip or is_worth_a_strip(self._log))

    def _work(self) -> None:
        """The thread: soon after each change it copies programs before JAX drops them. It sends
        updates less often."""
        due, unsent = 0.0, False
        while not self._ending.is_set():
            unsent |= self._changed.wait(max(0.0, due - monotonic()) if unsent else None)
            if self._changed.is_set():
                self._changed.clear()
                self._settle()
            if monotonic() >= due and not self._ending.is_set():
                due, unsent = monotonic() + self._update(), False
            self._ending.wait(SECONDS_BETWEEN_CHECKS)

    def _settle(self) -> None:
        with suppress(Exception):
            self._log.settle()

    def _update(self) -> float:
        """Sends an update if one is due. Returns how many seconds to rest after it."""
        start = monotonic()
        size = 0
        with suppress(Exception):
            if self._grows and self.due:
                size = self._put()
        return rest(SECONDS_APART, monotonic() - start, size)

    def _put(self, last: bool = False) -> int:
        """Shows the log as it is now. Returns the number of bytes sent."""
        if not self._key:
            self._key = key_for(LogAnswers(self._log.program, self._log.record, self._log))
        record = self._log.record()
        text = self._log.summary(record)
        data = log_bundle(record, text, self._strip, self._key, last)
        if last or not self._ending.is_set():
            self._display.put(data)
        return len(encode(data))


def is_worth_a_strip(log: Log) -> bool:
    """True if a function was traced, lowered or compiled again, or still uses an earlier value."""
    return log.again > 0 or log.has_findings


class CellDisplay:
    """One display of the cell that runs.

    When the user clears the cell's outputs, the display is gone until the cell ends. Our hooks
    notice this, since they see everything that the kernel publishes. After
    `clear_output(wait=True)` the next output clears the earlier ones. That must be an output of the
    user: an output of jaxviz would clear the user's outputs for good.
    """

    def __init__(self) -> None:
        """Must be called in the thread that runs the cell. Raises if no kernel publishes the cell's
        outputs."""
        shell: Any = get_ipython()
        self._publisher = shell.display_pub
        self._cell = self._publisher.parent_header["msg_id"]
        self._display = uuid4().hex
        self._streams: list[Any] = []
        self._new = True
        self._there = False
        self._waiting = False
        """True if the user's next output will clear the present ones."""
        self._publisher.register_hook(self._published)

    @property
    def open(self) -> bool:
        """True if an output sent now will be visible."""
        return self._there or (self._new and not self._waiting)

    def put(self, data: dict[str, Any]) -> None:
        """Shows a MIME bundle in place of the earlier one. May be called only while `open`."""
        self._publisher.publish(
            data, {}, transient={"display_id": self._display}, update=self._there
        )
        self._new, self._there = False, True

    def end(self, has_output: bool) -> None:
        """Notes that the cell has ended, so that nothing is cleared any more. Must be called in the
        thread that ran the cell. `has_output` is as in `LiveLog.end`."""
        with suppress(Exception):
            self._publisher.unregister_hook(self._published)
        for stream in self._streams:
            with suppress(Exception):
                stream.flush()
                stream.pub_thread.schedule(partial(stream.unregister_hook, self._written))
        if has_output:
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
        """Notes an output of the user."""
        if self._waiting and not takes_outputs(self._cell):
            self._there = self._waiting = False

    def _listen(self) -> None:
        """Starts to watch what is printed. The thread that sends it calls our hook."""
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
    """True if a widget captures the outputs of a cell (`with Output():`)."""
    widgets = sys.modules.get("ipywidgets.widgets.widget")
    instances = [*getattr(widgets, "_instances", {}).values()]
    return any(getattr(widget, "msg_id", None) == cell for widget in instances)
