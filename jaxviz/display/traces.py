"""The programs of a log's traces, which are finished or compared when a page asks for them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from threading import Lock, Thread

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import compared
from jaxviz.stages import Making, finished

LOST = (
    "JAX's caches hold the program of this trace no more: run the cell again, and open it before "
    "they are cleared."
)


class Traces:
    """What pages may ask about a log. Safe between threads."""

    def __init__(
        self, program: Callable[[int], schema.Program | None], record: Callable[[], schema.Log]
    ) -> None:
        """`program` and `record` are those of a `Log`."""
        self.captured = program
        self.record = record
        self._lock = Lock()
        self._making: dict[tuple[int, ...], Making[schema.Program]] = {}

    def making(self, *numbers: int) -> Making[schema.Program]:
        """The program of the event with a number, or the comparison of those of two; whoever asks
        for the same shares it. It fails with ValueError, a sentence, where a program is gone."""
        with self._lock:
            if numbers not in self._making:
                self._making[numbers] = making = Making()
                # In the context of who asks, so that what is printed meanwhile is its own.
                work = copy_context().run
                args = (self._make, numbers, making)
                Thread(target=work, args=args, daemon=True, name="jaxviz").start()
            return self._making[numbers]

    def _make(self, numbers: tuple[int, ...], making: Making[schema.Program]) -> None:
        try:
            making.doing = "reading the program" if len(numbers) == 1 else "comparing"
            *earlier, last = [self._program(number) for number in numbers]
            shown = complete(last)
            for before in earlier:
                shown = compared(before, shown)
            answer = partial(making.future.set_result, shown)
        except BaseException as error:  # whatever it is, nobody waits for ever
            answer = partial(making.future.set_exception, error)
        with self._lock:
            del self._making[numbers]
        answer()

    def _program(self, number: int) -> schema.Program:
        program = self.captured(number)
        if program is None:
            raise ValueError(LOST)
        return program


def deflated(record: schema.Log) -> bytes:
    """The log as JSON, deflated (zlib, RFC 1950)."""
    return zlib.compress(msgspec.json.encode(record))


def complete(captured: schema.Program) -> schema.Program:
    """The program with the groups and costs of its jaxpr."""
    return replace(captured, stages=[finished(captured.stages[0], None)])
