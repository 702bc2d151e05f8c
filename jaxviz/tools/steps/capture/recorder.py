"""Hears of each of the user's lines while JAX traces: the names that it set, what JAX recorded
meanwhile, and what it printed.

Python calls us at each line (`sys.settrace`), so the function that a debugger or a coverage tool
has set there hears nothing meanwhile; it is set again afterwards. Nothing of the user's is kept
from one line to the next: what JAX records depends on which traced values are alive.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CodeType, FrameType
from typing import Any

from jaxviz.capture.changes import STDOUT, Place, replaced
from jaxviz.capture.shown.source import file_kind, line_number
from jaxviz.capture.tracing._recording import eqns_recorded, origin_of
from jaxviz.schema import Sentence
from jaxviz.sentences import sentence
from jaxviz.tools.steps.capture.bound_names import bound
from jaxviz.tools.steps.record import Bound

MOST_STEPS = 10_000
TRACE = Place(sys.gettrace, sys.settrace)
_PARTS_OF_A_LINE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<module>")
_GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


@dataclass(slots=True)
class Step:
    """A step that goes on, or is over."""

    kind: str
    code: CodeType
    line: int
    depth: int
    bound: list[Bound] = field(default_factory=list)
    origins: list[Any] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Call:
    """A call of a function of the user's that has not returned."""

    now: Step | None
    """The line that runs; None before the first."""
    depth: int
    names: dict[str, tuple[int, Bound]]
    """What its names stood for: the identity of the value, and its text."""


class Recorder:
    """Records the steps of what runs within `recording`, in this thread."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.notes: list[Sentence] = []
        self.has_ended = False
        """True if there were more steps than are recorded."""
        self._is_recording = False
        """False if what was left in its place by an interrupt is to do nothing."""
        self._calls: list[_Call] = []
        self._lists: dict[int, tuple[Sequence[Any], int]] = {}
        """The lists of eqns that were met, with how many of each are known."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        if sys.gettrace() is not None:
            self.notes.append(sentence("debugger replaced"))
        hears, stdout = self._entered, _Printed(self._print, sys.stdout)
        with replaced(STDOUT, stdout), replaced(TRACE, hears):
            try:
                self._is_recording = True
                yield
            finally:
                self._is_recording = False

    def _entered(self, frame: FrameType, event: str, _: Any) -> Any:
        """Hears that a call begins, and says who hears of its lines."""
        code = frame.f_code
        if event != "call" or not _is_stepped(code) or self._has_ended():
            return None
        self._gather()
        call = _Call(None, len(self._calls), {})
        self._calls.append(call)
        enter = Step("enter", code, code.co_firstlineno, call.depth)
        self.steps.append(enter)
        self._over(enter, call, frame)
        return partial(self._heard, call)

    def _heard(self, call: _Call, frame: FrameType, event: str, _: Any) -> Any:
        """Hears of a call's next line, and of its end."""
        if event not in ("line", "return") or self._has_ended():
            return partial(self._heard, call)
        self._gather()
        if call.now is not None:
            call.now.kind = event
            self.steps.append(call.now)
            self._over(call.now, call, frame)
        if event == "return":
            del self._calls[call.depth :]
        else:
            call.now = Step("line", frame.f_code, line_number(frame), call.depth)
        return partial(self._heard, call)

    def _has_ended(self) -> bool:
        """Whether no further step is recorded. That there were too many is noted once."""
        if not self._is_recording:
            return True
        if len(self.steps) >= MOST_STEPS and not self.has_ended:
            self.has_ended = True
            self.notes.append(sentence("steps ended", most=MOST_STEPS))
        return self.has_ended

    def _over(self, step: Step, call: _Call, frame: FrameType) -> None:
        """Notes the names that a step has set."""
        names = {name: (id(value), bound(name, value)) for name, value in frame.f_locals.items()}
        step.bound = [now for name, (at, now) in names.items() if call.names.get(name) != (at, now)]
        call.names = names

    def _gather(self) -> None:
        """Notes the eqns that the line which runs has added since."""
        eqns = eqns_recorded()
        _, known = self._lists.get(id(eqns), (eqns, 0))
        step = self._calls[-1].now if self._calls else None
        if step is not None:
            step.origins += filter(None, map(origin_of, eqns[known:]))
        self._lists[id(eqns)] = eqns, len(eqns)

    def _print(self, text: str) -> bool:
        """Notes what the line prints; False where no step would have it."""
        step = self._calls[-1].now if self._calls and not self._has_ended() else None
        if step is not None:
            step.printed.append(text)
        return step is not None


def _is_stepped(code: CodeType) -> bool:
    """Whether it is a function that the user wrote, and no generator, which goes on again and
    again."""
    is_part = code.co_name in _PARTS_OF_A_LINE or code.co_flags & _GENERATORS
    return not is_part and has_steps(code.co_filename)


def has_steps(file: str) -> bool:
    """Whether functions in a file are the user's. The methods of a dataclass or a named tuple are
    made from strings."""
    return file != "<string>" and "generated" not in file and file_kind(file) == "own"


class _Printed(io.TextIOBase):
    """Standard output, of which one thread's text is kept where `keeps` takes it."""

    def __init__(self, keeps: Callable[[str], bool], other: Any) -> None:
        self._keeps = keeps
        self._other = other
        self._thread = threading.get_ident()

    def write(self, text: str, /) -> int:
        is_own = threading.get_ident() == self._thread
        return len(text) if is_own and self._keeps(text) else self._other.write(text)

    def flush(self) -> None:
        self._other.flush()
