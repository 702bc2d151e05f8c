"""The programs of a log's traces. They are completed or compared when a page asks for them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from threading import Lock

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import compared
from jaxviz.jobs import Job, in_background
from jaxviz.stages import finished

LOST = (
    "JAX's caches hold the program of this trace no more: run the cell again, and open it before "
    "they are cleared."
)


class Traces:
    """What pages may ask about a log. Thread-safe."""

    def __init__(
        self, program: Callable[[int], schema.Program | None], record: Callable[[], schema.Log]
    ) -> None:
        """`program` and `record` are those methods of a `Log`."""
        self.captured = program
        self.record = record
        self._lock = Lock()
        self._jobs: dict[tuple[int, ...], Job[schema.Program]] = {}

    def job(self, *numbers: int) -> Job[schema.Program]:
        """The job that completes the program of the event with this number, or compares the
        programs of two events.

        Whoever asks for the same shares the job. It fails with a ValueError, whose message is a
        sentence, where a program is gone."""
        with self._lock:
            if numbers not in self._jobs:
                self._jobs[numbers] = job = Job()
                in_background(lambda: self._work(numbers, job))
            return self._jobs[numbers]

    def _work(self, numbers: tuple[int, ...], job: Job[schema.Program]) -> None:
        try:
            job.doing = "reading the program" if len(numbers) == 1 else "comparing"
            *earlier, last = [self._program(number) for number in numbers]
            shown = complete(last)
            for before in earlier:
                shown = compared(before, shown)
            answer = partial(job.future.set_result, shown)
        except BaseException as error:  # whatever it is, nobody waits for ever
            answer = partial(job.future.set_exception, error)
        with self._lock:
            del self._jobs[numbers]
        answer()

    def _program(self, number: int) -> schema.Program:
        program = self.captured(number)
        if program is None:
            raise ValueError(LOST)
        return program


def deflated(record: schema.Log | schema.Panel) -> bytes:
    """The record as JSON, deflated (zlib, RFC 1950)."""
    return zlib.compress(msgspec.json.encode(record))


def complete(captured: schema.Program) -> schema.Program:
    """The program with the groups and costs of its jaxpr."""
    return replace(captured, stages=[finished(captured.stages[0], None)])
