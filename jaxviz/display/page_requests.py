"""Answers a page's questions: about a program, a log or a card that it shows.

A page chooses a number `n` for each question:

- About a program: `{ask: n, stage: 'hlo'}`, or `{ask: n, since: true}` for the comparison with
  the program that its cell showed before.
- About a log: `{ask: n, trace: 17}` for the program of event 17, or `{ask: n, compare: [12, 17]}`.
- About a program, a log or a question of a lesson: `{ask: n, whole: true}`, if the page has only a
  part of it, or a picture.
- About a card: `{ask: n, fix: 0}` to try this fix.
- Tools add their own questions to `QUESTIONS`.
- `{stop: n}` withdraws a question. Other messages are ignored.

The kernel sends `{ask: n, doing: 'compiling', seconds: 3.2}` twice a second, and at the end
`{ask: n, done: true}` with one buffer, or `{ask: n, error: sentence}`, a `schema.Sentence`.
The buffer is the wire form of a program that has only the requested stage, or of a comparison. For
any other record, such as a log or a `schema.Display`, it is the deflated JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from jaxviz.display import wire
from jaxviz.display.earlier import comparison
from jaxviz.display.outputs import FixAnswers, LogAnswers, QuizAnswers, Shown, shown_under
from jaxviz.safety.background import SECONDS_BETWEEN_REPORTS, Job, in_background
from jaxviz.schema import Program, Record, Stage
from jaxviz.sentences import sentence, sentence_of
from jaxviz.stages import STAGE_KINDS, Stages

MOST_REQUESTS = 8
"""The most requests of one page at the same time; each sends two messages a second."""
WHOLE, SINCE = "whole", "since"


class Question(NamedTuple):
    """A question that a tool answers."""

    takes: type
    """The type of the value that a page sends with it."""
    job: Callable[[Any, Any], Job[Any]]
    """Starts the job that makes the answer from the output and this value. The answer is a record,
    or an object with a `record`. Raises ValueError, with a sentence, if there is no answer."""
    about: type[Shown] = Stages
    """The class of outputs that can be asked."""


QUESTIONS: dict[str, Question] = {}
"""The questions that tools answer, by name. `tools/registry.py` adds them."""


class ToolQuestion(Struct, frozen=True):
    """A page's question for a tool."""

    name: str
    value: Any


Asked = str | int | tuple[int, ...] | ToolQuestion
"""The kind of a stage, `WHOLE` or `SINCE`; the number of a fix; the numbers of one or two
events."""

Send = Callable[[dict[str, Any], list[bytes]], None]


class PageRequest:
    """One question of a page, until it is answered or withdrawn."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.woken = Event()
        """Set when the answer is there, or the page has withdrawn the question."""
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True
        self.woken.set()


class PageRequests:
    """Answers one page about one output, over a comm or a widget. Never raises.

    Each question is answered from its own thread, so that cells and other messages go on.
    """

    def __init__(self, key: str, send: Send) -> None:
        self._key = key
        self._send = send
        self._open = True
        self._requests: dict[int, PageRequest] = {}

    def receive(self, message: object) -> None:
        with suppress(Exception):
            match message:
                case {"stop": int(number)} if number in self._requests:
                    self._requests[number].stop()
                case {"ask": int(number), **asked} if number not in self._requests:
                    question = read(asked)
                    if question is not None:
                        self._begin(number, question)
                case _:
                    return

    def close(self) -> None:
        """The page is gone: nothing more is sent to it."""
        self._open = False
        for request in [*self._requests.values()]:
            request.stop()

    def _begin(self, number: int, question: Asked) -> None:
        request = PageRequest(number)
        if len(self._requests) >= MOST_REQUESTS:
            self._reply(request, error=sentence("too much asked"))
        else:
            self._requests[number] = request
            in_background(lambda: self._answer(request, question))

    def _answer(self, request: PageRequest, question: Asked) -> None:
        try:
            self._make(request, question)
        except ValueError as error:
            self._reply(request, error=sentence_of(error))
        except Exception as error:
            self._reply(request, error=sentence("sending failed", error=type(error).__name__))
        finally:
            del self._requests[request.number]

    def _make(self, request: PageRequest, question: Asked) -> None:
        shown = shown_under(self._key)
        if shown is None:
            self._reply(request, error=sentence("nothing to ask"))
            return
        if question == WHOLE and not isinstance(shown, FixAnswers):
            self._reply(request, whole(shown), done=True)
            return
        job = job_for(self._key, shown, question)
        job.future.add_done_callback(lambda _: request.woken.set())
        with job.awaited():
            while not request.woken.wait(SECONDS_BETWEEN_REPORTS):
                self._reply(request, doing=job.doing, seconds=round(job.seconds, 1))
        if request.stopped:
            self._reply(request, error=sentence("stopped"))
            return
        self._reply(request, payload(shown, job.future.result()), done=True)

    def _reply(self, request: PageRequest, *buffers: bytes, **content: Any) -> None:
        if self._open:
            with suppress(Exception):
                self._send(to_builtins({"ask": request.number, **content}), [*buffers])


def read(asked: dict[object, object]) -> Asked | None:
    """The question in a message; None if it is not one of ours."""
    match asked:
        case {"whole": True}:
            return WHOLE
        case {"since": True}:
            return SINCE
        case {"stage": str(kind)}:
            return kind
        case {"trace": int(number)}:
            return (number,)
        case {"fix": int(number)}:
            return number
        case {"compare": [int(before), int(after)]}:
            return (before, after)
    for name, question in QUESTIONS.items():
        if isinstance(value := asked.get(name), question.takes):
            return ToolQuestion(name, value)
    return None


def job_for(key: str, shown: Shown, question: Asked) -> Job[Any]:
    """The job that makes the answer. Raises ValueError, with a sentence, if there is none."""
    if isinstance(question, ToolQuestion) and isinstance(shown, QUESTIONS[question.name].about):
        return QUESTIONS[question.name].job(shown, question.value)
    if isinstance(shown, Stages) and question == SINCE:
        try:
            return comparison(key, shown.record)
        except KeyError:
            raise ValueError(sentence("nothing to ask")) from None
    if isinstance(shown, Stages) and isinstance(question, str):
        if question not in STAGE_KINDS:
            raise ValueError(sentence("unknown stage"))
        return shown.job(question)
    if isinstance(shown, LogAnswers) and isinstance(question, tuple):
        return shown.job(*question)
    if isinstance(shown, FixAnswers) and isinstance(question, int):
        return shown.job(question)
    raise ValueError(sentence("unknown question"))


def whole(shown: Stages | LogAnswers | QuizAnswers) -> bytes:
    """The wire form of a program with the stages made so far, of a log as it is now, or of a
    question."""
    return wire.encode(shown.shown) if isinstance(shown, Stages) else wire.deflated(shown.record())


def payload(shown: Shown, answer: Any) -> bytes:
    """The wire form of an answer: a record, or an object with a `record`. A stage is sent as the
    program with only this stage."""
    record = answer if isinstance(answer, Record) else answer.record
    if isinstance(record, Stage):
        assert isinstance(shown, Stages)
        record = replace(shown.shown, stages=[record])
    return wire.encode(record) if isinstance(record, Program) else wire.deflated(record)
