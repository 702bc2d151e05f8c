"""What a page asks the kernel for: a later stage of a program that it shows.

The page sends `{ask: n, stage: 'hlo'}`, and perhaps `{stop: n}`. It is told
`{ask: n, doing: 'compiling', seconds: 3.2}` twice a second, and in the end `{ask: n, done: true}`
with one buffer, the wire form of a program that holds that stage alone, or
`{ask: n, error: 'a sentence'}`. Anything else that it sends is ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from typing import Any

from msgspec.structs import replace

from jaxviz.display import wire
from jaxviz.display.known import known
from jaxviz.stages import KINDS, OFTEN

MOST = 8
"""Requests of one page that are answered at once: at two messages a second each."""

GONE = (
    "The kernel no longer holds what this stage is made from: run the cell again, "
    "and then open the stage."
)

Send = Callable[[dict[str, Any], list[bytes]], None]


class Request:
    """One question, until it is answered or stopped."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.woken = Event()
        """The stage is there, or the page does not want it any more."""
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True
        self.woken.set()


class Asked:
    """Answers one page about one program, over whatever brings its messages. Never raises.

    Each question is answered from a thread of its own, so that cells and other messages go on.
    """

    def __init__(self, key: str, send: Send) -> None:
        self._key = key
        self._send = send
        self._open = True
        self._requests: dict[int, Request] = {}

    def receive(self, message: object) -> None:
        with suppress(Exception):
            match message:
                case {"stop": int(number)} if number in self._requests:
                    self._requests[number].stop()
                case {"ask": int(number), "stage": str(kind)} if number not in self._requests:
                    self._begin(number, kind)
                case _:
                    return

    def close(self) -> None:
        """The page is gone: nothing more is sent to it."""
        self._open = False
        for request in [*self._requests.values()]:
            request.stop()

    def _begin(self, number: int, kind: str) -> None:
        request = Request(number)
        if kind not in KINDS:
            self._reply(request, error="jaxviz knows no such stage.")
        elif len(self._requests) >= MOST:
            self._reply(request, error="Too many stages are asked for at once: wait for the first.")
        else:
            self._requests[number] = request
            # In the context of the message, so that replies and prints are taken for its own.
            work = copy_context().run
            Thread(target=work, args=(self._answer, request, kind), daemon=True).start()

    def _answer(self, request: Request, kind: str) -> None:
        try:
            self._make(request, kind)
        except ValueError as error:
            self._reply(request, error=str(error))
        except Exception as error:
            self._reply(request, error=f"jaxviz failed to send it ({type(error).__name__}).")
        finally:
            del self._requests[request.number]

    def _make(self, request: Request, kind: str) -> None:
        stages = known(self._key)
        if stages is None:
            self._reply(request, error=GONE)
            return
        making = stages.making(kind)
        making.future.add_done_callback(lambda _: request.woken.set())
        while not request.woken.wait(OFTEN):
            self._reply(request, doing=making.doing, seconds=round(making.seconds, 1))
        if request.stopped:
            self._reply(request, error="Stopped.")
            return
        alone = replace(stages.record, stages=[making.future.result()])
        self._reply(request, wire.encode(alone), done=True)

    def _reply(self, request: Request, *buffers: bytes, **content: Any) -> None:
        if self._open:
            with suppress(Exception):
                self._send({"ask": request.number, **content}, [*buffers])
