"""Answers the panel beside the notebook, which shows what JAX traced and compiled in the kernel.

A panel sends these questions over a comm, and the kernel only replies:

- `{ask: n, follow: true}` subscribes. The kernel answers at once, and again after each change,
  until `{stop: n}`. The answer is `{ask: n, state: true}` with one buffer, a `schema.Panel` as
  deflated JSON. The page confirms each answer with `{heard: n}`.
- `{ask: n, watch: true}` is the same as `%jaxviz on`, and `false` the same as `%jaxviz off`. It
  takes effect once no cell runs. `{ask: n, clear: true}` clears the log and the captures. Both are
  answered by `{ask: n, done: true}`.
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
from jaxviz.display.outputs import LogAnswers, captures, forget_captures, logs, register_under
from jaxviz.display.page_requests import PageRequests, Send
from jaxviz.display.running_cell import at_rest, before_cells
from jaxviz.display.updates import changed, rest, waking
from jaxviz.session import Log, session
from jaxviz.session.counts import Repeats

KEY = "kernel"
"""The key under which pages ask about the kernel-wide log."""
MOST_FOLLOWED = 4
"""The most subscriptions of one page at once."""
SECONDS_APART = 0.2
"""The shortest time between two updates."""
SECONDS_TO_CONFIRM = 5.0
"""Seconds to wait for the page to confirm an update before the next one is sent."""
MOST_MISSED = 100
"""After this many updates in a row without a confirmation the page counts as gone."""


class PanelRequests(PageRequests):
    """Answers one panel. Never raises."""

    def __init__(self, send: Send, is_open: Callable[[], bool]) -> None:
        """`is_open` says whether the page is still there."""
        super().__init__(KEY, send)
        self._is_open = is_open
        self._subscriptions: dict[int, Subscription] = {}

    def receive(self, message: object) -> None:
        with suppress(Exception):
            match message:
                case {"ask": int(number), "follow": True}:
                    self._follow(number)
                case {"ask": int(number), "watch": bool(on)}:
                    at_rest(lambda: self._watch(number, on))
                case {"ask": int(number), "clear": True}:
                    kernel_wide.clear()
                    self._send({"ask": number, "done": True}, [])
                case {"heard": int(number)} if number in self._subscriptions:
                    self._subscriptions[number].confirm()
                case {"stop": int(number)} if number in self._subscriptions:
                    self._subscriptions.pop(number).end()
                case _:
                    super().receive(message)

    def close(self) -> None:
        """The page is gone: nothing more is sent to it."""
        for subscription in self._subscriptions.values():
            subscription.end()
        super().close()

    def _follow(self, number: int) -> None:
        if number in self._subscriptions or len(self._subscriptions) >= MOST_FOLLOWED:
            return
        changed()  # wakes the others, so that those whose pages are gone end
        content = {"ask": number, "state": True}
        self._subscriptions[number] = Subscription(
            lambda data: self._send(content, [data]), self._is_open
        )

    def _watch(self, number: int, on: bool) -> None:
        try:
            watch(on)
        except Exception as error:
            failed = f"jaxviz failed to do so ({type(error).__name__})."
            self._send({"ask": number, "error": failed}, [])
        else:
            self._send({"ask": number, "done": True}, [])


def watch(on: bool) -> None:
    """Runs `%jaxviz on` or `%jaxviz off`."""
    shell: Any = get_ipython()
    shell.extension_manager.load_extension("jaxviz")
    shell.run_line_magic("jaxviz", "on" if on else "off")


class Subscription:
    """Sends the state of the kernel at once and after each change, from its own thread."""

    def __init__(self, send: Callable[[bytes], None], is_open: Callable[[], bool]) -> None:
        """`send` gets each `schema.Panel` as deflated JSON, until `is_open` returns False."""
        self._send_state = send
        self._is_open = is_open
        self._last_sent: schema.Panel | None = None
        self._woken = Event()
        self._confirmed = Event()
        self._ended = Event()
        # In the message's context, so that what is sent counts as an answer to it.
        work = copy_context().run
        Thread(target=work, args=(self._work,), daemon=True, name="jaxviz panel").start()

    def confirm(self) -> None:
        """Notes that the page has read the last update."""
        self._confirmed.set()

    def end(self) -> None:
        for flag in (self._ended, self._woken, self._confirmed):
            flag.set()

    def _work(self) -> None:
        missed = 0
        with waking(self._woken):
            size = self._update()
            while not self._ended.is_set() and self._is_open() and missed < MOST_MISSED:
                if size > 0:
                    missed = 0 if self._confirmed.wait(SECONDS_TO_CONFIRM) else missed + 1
                self._woken.wait()
                size = self._update() if self._is_open() else 0

    def _update(self) -> int:
        """Sends the state if it changed, and rests. Returns the number of bytes sent: 0 if nothing
        changed."""
        self._woken.clear()
        self._confirmed.clear()
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
                self._send_state(data)
                return len(data)
        return 0


class KernelWide:
    """A log of the whole kernel, and how many retraces came with the last cell. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._before = Repeats()
        self.clear()
        self.traces = LogAnswers(self._program, lambda: self._log.record())

    def clear(self) -> None:
        """Starts an empty log, and empties the list of captures."""
        log = Log(keep=True, on_change=changed)
        with self._lock:
            self._log, self._before = log, Repeats()
        session.accompany(log, changed)
        forget_captures()
        changed()

    def _program(self, number: int) -> schema.Program | None:
        """The program of an event, from this log or from the log of a cell. A cell's log keeps more
        programs if the cell traced much."""
        found = self._log.program(number)
        others = (log.captured(number) for log in logs() if log is not self.traces)
        return found or next(filter(None, others), None)

    def cell_begins(self, _: object) -> None:
        """Starts to count the retraces of the cell that begins."""
        with suppress(Exception), self._lock:
            before, self._before = self._before, self._log.repeats
            if before != self._before:
                changed()

    def settle(self) -> None:
        """Copies programs that JAX may drop. It takes a while, so only our own threads call it."""
        with suppress(Exception):
            self._log.settle()

    def record(self) -> schema.Panel:
        with self._lock:
            log, before = self._log, self._before
        pairs = zip(log.repeats, before, strict=True)
        since = Repeats(*(max(0, now - earlier) for now, earlier in pairs))
        return schema.Panel(
            version=schema.VERSION,
            watching=is_watching(),
            log=log.record(),
            captures=captures(),
            since=sum(since),
            recompiled=since.recompiled,
            relowered=since.relowered,
        )


kernel_wide = KernelWide()
register_under(KEY, kernel_wide.traces)


def begin() -> None:
    """Starts to count the retraces of each cell. Calling it twice is harmless."""
    before_cells(kernel_wide.cell_begins)


def is_watching() -> bool:
    """True after `%jaxviz on`, until `%jaxviz off`."""
    shell: Any = get_ipython()
    if shell is None:
        return False
    magics = shell.magics_manager.registry.get("JaxvizMagics")
    return magics is not None and magics.watching.log is not None
