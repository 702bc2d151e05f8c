"""The kernel's side of the panel beside the notebook: what happened in the whole kernel, and what a
panel asks for, over a comm on which the kernel only replies.

- `{ask: n, follow: true}` is answered at once, and again whenever something changed, until
  `{stop: n}`. The answer is `{ask: n, state: true}` with one buffer, a `schema.Panel` as deflated
  JSON. The page confirms each one with `{heard: n}`.
- `{ask: n, watch: true}` does what `%jaxviz on` does, with `false` what `%jaxviz off` does, once no
  cell runs. `{ask: n, clear: true}` forgets what happened so far. Both are answered by
  `{ask: n, done: true}`.
- Questions about a log (`jaxviz/display/page_requests.py`) are about the kernel-wide log.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from IPython.core.getipython import get_ipython
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.known import Traces, captures, forget_captures, hold, logs
from jaxviz.display.page_requests import PageRequests, Send
from jaxviz.display.running_cell import at_rest, before_cells
from jaxviz.display.updates import changed, rest, waking
from jaxviz.session import Log, session

KEY = "kernel"
"""The key under which pages ask about the kernel-wide log."""
MOST_FOLLOWED = 4
"""The most subscriptions of one page at once."""
SECONDS_APART = 0.2
"""The shortest time between two updates."""
SECONDS_UNHEARD = 5.0
"""Seconds to wait for the page's confirmation of an update before the next one is sent."""
MOST_UNHEARD = 100
"""After this many updates in a row that the page did not read, it counts as gone."""


class PanelRequests(PageRequests):
    """Answers one panel, whatever brings the messages. Never raises."""

    def __init__(self, send: Send, here: Callable[[], bool]) -> None:
        """`here` says whether the page is still there."""
        super().__init__(KEY, send)
        self._say = send
        self._here = here
        self._followings: dict[int, Following] = {}

    def receive(self, message: object) -> None:
        with suppress(Exception):
            match message:
                case {"ask": int(number), "follow": True}:
                    self._follow(number)
                case {"ask": int(number), "watch": bool(on)}:
                    at_rest(lambda: self._watch(number, on))
                case {"ask": int(number), "clear": True}:
                    kernel_wide.clear()
                    self._say({"ask": number, "done": True}, [])
                case {"heard": int(number)} if number in self._followings:
                    self._followings[number].heard()
                case {"stop": int(number)} if number in self._followings:
                    self._followings.pop(number).end()
                case _:
                    super().receive(message)

    def close(self) -> None:
        """The page is gone: nothing more is sent to it."""
        for following in self._followings.values():
            following.end()
        super().close()

    def _follow(self, number: int) -> None:
        if number in self._followings or len(self._followings) >= MOST_FOLLOWED:
            return
        changed()  # wakes the others, so that those whose pages are gone end
        content = {"ask": number, "state": True}
        self._followings[number] = Following(lambda data: self._say(content, [data]), self._here)

    def _watch(self, number: int, on: bool) -> None:
        try:
            watch(on)
        except Exception as error:
            failed = f"jaxviz failed to do so ({type(error).__name__})."
            self._say({"ask": number, "error": failed}, [])
        else:
            self._say({"ask": number, "done": True}, [])


def watch(on: bool) -> None:
    """Does what `%jaxviz on` or `%jaxviz off` does."""
    shell: Any = get_ipython()
    shell.extension_manager.load_extension("jaxviz")
    shell.run_line_magic("jaxviz", "on" if on else "off")


class Following:
    """Sends the state of the kernel at once, and then whenever something changed, from its own
    thread."""

    def __init__(self, tell: Callable[[bytes], None], here: Callable[[], bool]) -> None:
        """`tell` is called with each whole `schema.Panel` as deflated JSON, for as long as `here`
        says that the page is there."""
        self._tell = tell
        self._here = here
        self._last_sent: schema.Panel | None = None
        self._woken = Event()
        self._heard = Event()
        self._ended = Event()
        # In the message's context, so that what is sent counts as an answer to it.
        work = copy_context().run
        Thread(target=work, args=(self._work,), daemon=True, name="jaxviz panel").start()

    def heard(self) -> None:
        """Says that the page has read the last update."""
        self._heard.set()

    def end(self) -> None:
        """Stops sending."""
        for flag in (self._ended, self._woken, self._heard):
            flag.set()

    def _work(self) -> None:
        unheard = 0
        with waking(self._woken):
            size = self._update()
            while not self._ended.is_set() and self._here() and unheard < MOST_UNHEARD:
                if size > 0:
                    unheard = 0 if self._heard.wait(SECONDS_UNHEARD) else unheard + 1
                self._woken.wait()
                size = self._update() if self._here() else 0

    def _update(self) -> int:
        """Sends what changed, and rests. Returns the bytes sent: 0 where nothing changed."""
        self._woken.clear()
        self._heard.clear()
        start = monotonic()
        kernel_wide.settle()
        size = self._put()
        self._ended.wait(rest(SECONDS_APART, monotonic() - start, size))
        return size

    def _put(self) -> int:
        with suppress(Exception):
            panel = kernel_wide.record()
            timeless = replace(panel, log=replace(panel.log, seconds=0.0))
            if timeless != self._last_sent and not self._ended.is_set():
                self._last_sent = timeless
                data = wire.deflated(panel)
                self._tell(data)
                return len(data)
        return 0


class KernelWide:
    """A log of all that happens in this kernel, and how much of it came with the last cell.
    Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._again = 0
        self.clear()
        self.traces = Traces(self._program, lambda: self._log.record())

    def clear(self) -> None:
        """Begins anew with an empty log and an empty list of captures."""
        log = Log(keep=True, on_change=changed)
        with self._lock:
            self._log, self._again = log, 0
        session.accompany(log, changed)
        forget_captures()
        changed()

    def _program(self, number: int) -> schema.Program | None:
        """The program of an event, from this log or else from the logs of cells, which keep more
        programs where a cell traced much."""
        found = self._log.program(number)
        others = (log.captured(number) for log in logs() if log is not self.traces)
        return found or next(filter(None, others), None)

    def cell_begins(self, _: object) -> None:
        """Counts from now on what comes with the cell that begins."""
        with suppress(Exception), self._lock:
            before, self._again = self._again, self._log.again
            if before != self._again:
                changed()

    def settle(self) -> None:
        """Keeps programs that JAX may forget, which takes a little while: for our own threads."""
        with suppress(Exception):
            self._log.settle()

    def record(self) -> schema.Panel:
        """All that the panel shows."""
        with self._lock:
            log, before = self._log, self._again
        return schema.Panel(
            version=schema.VERSION,
            watching=is_watching(),
            log=log.record(),
            captures=captures(),
            since=max(0, log.again - before),
        )


kernel_wide = KernelWide()
hold(KEY, kernel_wide.traces)


def begin() -> None:
    """Begins to count what comes with each cell. Calling it twice is harmless."""
    before_cells(kernel_wide.cell_begins)


def is_watching() -> bool:
    """True after `%jaxviz on`, until `%jaxviz off`."""
    shell: Any = get_ipython()
    if shell is None:
        return False
    magics = shell.magics_manager.registry.get("JaxvizMagics")
    return magics is not None and magics.watching.log is not None
