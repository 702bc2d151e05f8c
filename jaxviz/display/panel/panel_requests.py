"""Answers what a panel asks the kernel for, over a comm on which the kernel only replies.

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
from typing import Any

from IPython.core.getipython import get_ipython

from jaxviz.display.page_requests import PageRequests, Send
from jaxviz.display.panel.following import Following
from jaxviz.display.panel.kernel_wide import KEY, kernel_wide
from jaxviz.display.updates import changed

MOST_FOLLOWED = 4
"""How many times one page may follow the kernel at once."""


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


def at_rest(work: Callable[[], None]) -> None:
    """Calls `work` in the kernel's main thread, where cells run, once no cell runs."""
    shell: Any = get_ipython()
    shell.kernel.io_loop.add_callback(work)


def watch(on: bool) -> None:
    """Does what `%jaxviz on` or `%jaxviz off` does."""
    shell: Any = get_ipython()
    shell.extension_manager.load_extension("jaxviz")
    shell.run_line_magic("jaxviz", "on" if on else "off")
