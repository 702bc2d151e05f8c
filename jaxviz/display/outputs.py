"""The outputs that pages can ask about, each under a key: a program for its stages, a log for the
programs of its traces, a card to try its fixes, a question for its answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import StringIO
from threading import Lock
from uuid import uuid4

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.analysis.listed_lines import definitions
from jaxviz.capture.changes import STDOUT, replaced
from jaxviz.display.running_cell import at_rest, running_cell, until_rerun
from jaxviz.display.text.outline import all_eqns
from jaxviz.display.updates import changed
from jaxviz.safety.background import Job, fulfil, in_background
from jaxviz.schema import Capture, Program, first_made
from jaxviz.sentences import sentence
from jaxviz.session import Log
from jaxviz.stages import Stages, finished

MOST_OUTSIDE_CELLS = 20
"""The newest outputs that no cell has shown stay registered, up to this number."""


class LogAnswers:
    """Answers questions of pages about a log. Thread-safe."""

    def __init__(
        self,
        program: Callable[[int], schema.Program | None],
        record: Callable[[], schema.Log],
        log: Log | None = None,
    ) -> None:
        """`program` and `record` are these methods of a `Log`. Tools answer questions about
        `log`."""
        self.captured = program
        self.record = record
        self.log = log
        self._lock = Lock()
        self._jobs: dict[tuple[int, ...], Job[schema.Program]] = {}

    def job(self, *numbers: int) -> Job[schema.Program]:
        """The job that completes the program of the event with this number, or compares the
        programs of two events.

        Equal questions at the same time share a job. It fails with a ValueError, whose message is a
        sentence, if a program is gone."""
        with self._lock:
            if numbers not in self._jobs:
                self._jobs[numbers] = job = Job()
                in_background(lambda: fulfil(job.future, lambda: self._work(numbers, job)))
            return self._jobs[numbers]

    def _work(self, numbers: tuple[int, ...], job: Job[schema.Program]) -> schema.Program:
        try:
            job.doing = "reading the program" if len(numbers) == 1 else "comparing"
            *earlier, last = [self._program(number) for number in numbers]
            shown = complete(last)
            for before in earlier:
                shown = compare_programs(before, shown)
            return shown
        finally:
            with self._lock:
                del self._jobs[numbers]

    def _program(self, number: int) -> schema.Program:
        program = self.captured(number)
        if program is None:
            raise ValueError(sentence("trace gone"))
        return program


def complete(captured: schema.Program) -> schema.Program:
    """The program with the groups and costs of its jaxpr."""
    return replace(captured, stages=[finished(captured.stages[0], None, captured.listings)])


class FixAnswers:
    """Answers questions of pages about a card: tries its fixes."""

    def __init__(self, tried: Callable[[int], schema.Display]) -> None:
        """`tried` returns the display of the fix with that number."""
        self._tried = tried

    def job(self, number: int) -> Job[schema.Display]:
        return job_at_rest(partial(self._tried, number))


class QuizAnswers:
    """Gives pages that have only the still form of a question all of it."""

    def __init__(self, quiz: schema.Quiz) -> None:
        self._quiz = quiz

    def record(self) -> schema.Quiz:
        return self._quiz


def job_at_rest(make: Callable[[], schema.Display]) -> Job[schema.Display]:
    """The job that makes a display by running the user's code. It waits until no cell runs, and
    works in the thread that runs cells. What the code prints is not shown."""
    job: Job[schema.Display] = Job()

    def work() -> None:
        job.doing = "tracing"
        try:
            with replaced(STDOUT, StringIO()):
                answer = partial(job.future.set_result, make())
        except ValueError as error:
            answer = partial(job.future.set_exception, error)
        except BaseException as error:
            failed = ValueError(sentence("not traced", error=type(error).__name__))
            answer = partial(job.future.set_exception, failed)
        answer()

    at_rest(work)
    return job


Shown = Stages | LogAnswers | FixAnswers | QuizAnswers
PROCESS = uuid4().hex
"""Identifies this kernel until it is restarted. Its outputs carry it."""

_shown: dict[str, Shown] = {}
_outside: deque[str] = deque()
_captures: dict[str, Capture] = {}


def register(shown: Shown) -> str:
    """Returns a new key, under which pages can ask about `shown` from now on.

    The key is valid until the cell that shows it runs again. If no cell shows it, the key is valid
    until there are `MOST_OUTSIDE_CELLS` newer ones.
    """
    key = uuid4().hex
    _shown[key] = shown
    with suppress(Exception):
        if isinstance(shown, Stages) and shown.record.compared is None:
            _captures[key] = captured(key, shown.record)
    try:
        until_rerun(lambda: _forget(key))
    except Exception:
        _outside.append(key)
        if len(_outside) > MOST_OUTSIDE_CELLS:
            _forget(_outside.popleft())
    changed()
    return key


def register_under(key: str, shown: Shown) -> None:
    """Lets pages ask about `shown` under this key for as long as the kernel lives."""
    _shown[key] = shown


def shown_under(key: str) -> Shown | None:
    """The object that is registered under the key; None if there is none, or no longer."""
    return _shown.get(key)


def logs() -> list[LogAnswers]:
    """All registered logs."""
    return [shown for shown in [*_shown.values()] if isinstance(shown, LogAnswers)]


def captures() -> list[Capture]:
    """The registered programs, in the order in which they were shown."""
    return [*_captures.values()]


def forget_captures() -> None:
    """Empties the list of `captures`. Pages that show one of them may still ask about it."""
    _captures.clear()


def _forget(key: str) -> None:
    _shown.pop(key, None)
    if _captures.pop(key, None) is not None:
        changed()


def captured(key: str, record: Program) -> Capture:
    """A program as an entry of the panel's list. Must be called in the thread of the cell that
    shows it."""
    cell, count = running_cell()
    return Capture(
        key=key,
        name=record.name,
        eqns=all_eqns(first_made(record)),
        cell=cell,
        count=count,
        definition=next(definitions(record.listings, inner_name(record.name)), None),
    )


def inner_name(name: str) -> str:
    """The function's own name: `loss` in `grad(vmap(loss))`, `__call__` in `Model.__call__`."""
    return name.rpartition("(")[2].rstrip(")").rpartition(".")[2]
