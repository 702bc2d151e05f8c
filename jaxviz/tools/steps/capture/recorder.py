"""Observes each of the user's lines while JAX traces: the names that it set, the eqns that JAX
recorded, and its printed text.

Python calls our function at each line (`sys.settrace`). The function that a debugger or a coverage
tool has set is inactive meanwhile, and is restored afterwards. No object of the user is retained
from one line to the next, because JAX's recording depends on which traced values are alive.
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

from jaxviz.capture._recording import eqns_recorded, origin_of
from jaxviz.capture.changes import STDOUT, Place, replaced
from jaxviz.capture.shown.source import file_kind, line_number
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
    """A running or finished step."""

    kind: str
    code: CodeType
    line: int
    depth: int
    bound: list[Bound] = field(default_factory=list)
    origins: list[Any] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Call:
    """A call of a user's function that has not returned."""

    now: Step | None
    """The line that runs; None before the first."""
    depth: int
    names: dict[str, tuple[int, Bound]]
    """The values of its names: the identity of each value, and its text."""


class Recorder:
    """Records the steps of the code that runs within `recording`, in this thread."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.notes: list[Sentence] = []
        self.has_ended = False
        """True if there were more steps than are recorded."""
        self._is_recording = False
        """False if a hook left in place by an interrupt must do nothing."""
        self._calls: list[_Call] = []
        self._lists: dict[int, tuple[Sequence[Any], int]] = {}
        """The lists of eqns so far, by `id`, each with the number of its eqns that were read."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        if sys.gettrace() is not None:
            self.notes.append(sentence("debugger replaced"))
        stdout = _Printed(self._print, sys.stdout)
        with replaced(STDOUT, stdout), replaced(TRACE, self._entered):
            try:
                self._is_recording = True
                yield
            finally:
                self._is_recording = False

    def _entered(self, frame: FrameType, event: str, _: Any) -> Any:
        """Observes the beginning of a call, and returns the observer of its lines."""
        code = frame.f_code
        if event != "call" or not _is_stepped(code) or self._has_ended():
            return None
        self._gather()
        call = _Call(None, len(self._calls), {})
        self._calls.append(call)
        enter = Step("enter", code, code.co_firstlineno, call.depth)
        self.steps.append(enter)
        self._over(enter, call, frame)
        return partial(self._on_line, call)

    def _on_line(self, call: _Call, frame: FrameType, event: str, _: Any) -> Any:
        """Observes a call's next line, and its end."""
        if event not in ("line", "return") or self._has_ended():
            return partial(self._on_line, call)
        self._gather()
        if call.now is not None:
            call.now.kind = event
            self.steps.append(call.now)
            self._over(call.now, call, frame)
        if event == "return":
            del self._calls[call.depth :]
        else:
            call.now = Step("line", frame.f_code, line_number(frame), call.depth)
        return partial(self._on_line, call)

    def _has_ended(self) -> bool:
        """True if no further step is recorded. Too many steps are noted once."""
        if not self._is_recording:
            return True
        if len(self.steps) >= MOST_STEPS and not self.has_ended:
            self.has_ended = True
            self.notes.append(sentence("steps ended", most=MOST_STEPS))
        return self.has_ended

    def _over(self, step: Step, call: _Call, frame: FrameType) -> None:
        """Records the names that a step has set."""
        names = {name: (id(value), bound(name, value)) for name, value in frame.f_locals.items()}
        step.bound = [now for name, (at, now) in names.items() if call.names.get(name) != (at, now)]
        call.names = names

    def _gather(self) -> None:
        """Records the eqns that the current line has added."""
        eqns = eqns_recorded()
        _, count = self._lists.get(id(eqns), (eqns, 0))
        step = self._calls[-1].now if self._calls else None
        if step is not None:
            step.origins += filter(None, map(origin_of, eqns[count:]))
        self._lists[id(eqns)] = eqns, len(eqns)

    def _print(self, text: str) -> bool:
        """Records the text that the line prints; False if no step has it."""
        step = self._calls[-1].now if self._calls and not self._has_ended() else None
        if step is not None:
            step.printed.append(text)
        return step is not None


def _is_stepped(code: CodeType) -> bool:
    """True for a function that the user wrote, except a generator, which is resumed repeatedly."""
    is_part = code.co_name in _PARTS_OF_A_LINE or code.co_flags & _GENERATORS
    return not is_part and has_steps(code.co_filename)


def has_steps(file: str) -> bool:
    """True if functions in a file are the user's. The methods of a dataclass or a named tuple are
    made from strings."""
    return file != "<string>" and "generated" not in file and file_kind(file) == "own"


class _Printed(io.TextIOBase):
    """Standard output. The text of one thread is stored if `keeps` accepts it."""

    def __init__(self, keeps: Callable[[str], bool], other: Any) -> None:
        self._keeps = keeps
        self._other = other
        self._thread = threading.get_ident()

    def write(self, text: str, /) -> int:
        is_own = threading.get_ident() == self._thread
        return len(text) if is_own and self._keeps(text) else self._other.write(text)

    def flush(self) -> None:
        self._other.flush()
