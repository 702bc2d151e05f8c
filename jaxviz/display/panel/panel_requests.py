"""Answers what a panel asks the kernel for, over a comm on which the kernel only replies.

`{ask: n, follow: true}` is answered at once and whenever something changed, until `{stop: n}`, by
`{ask: n, state: true}` with one buffer, a `schema.Panel` as deflated JSON; the page says
`{heard: n}` of each. `{ask: n, watch: true}` and `false` are `%jaxviz on` and `off`, which wait for
the cell that runs; `{ask: n, clear: true}` forgets what happened so far: both are answered by
`{ask: n, done: true}`. Questions about a log (`jaxviz/display/page_requests.py`) are questions
about the kernel-wide one.
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
"""Subscriptions of one page."""


class PanelRequests(PageRequests):
    """Answers one panel, over whatever brings its messages. Never raises."""

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
        changed()  # so that those end whose pages are gone
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
    """Calls `work` in the kernel's main thread, where cells run, once none does."""
    shell: Any = get_ipython()
    shell.kernel.io_loop.add_callback(work)


def watch(on: bool) -> None:
    """Does what `%jaxviz on`, or `off`, does."""
    shell: Any = get_ipython()
    shell.extension_manager.load_extension("jaxviz")
    shell.run_line_magic("jaxviz", "on" if on else "off")
