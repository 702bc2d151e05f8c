"""Records the steps of a trace: which of the user's lines ran, the names that each set, the eqns
that it added and what it printed.

The function's Python runs once for this, as it does for any trace. Python calls us at each line
(`sys.settrace`), so the function that a debugger or a coverage tool has set there hears nothing
meanwhile; it is set again afterwards. Nothing of the user's is kept from one line to the next: what
JAX records depends on which traced values are alive.
"""

from __future__ import annotations

import io
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from itertools import count
from types import CodeType, FrameType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from jax.extend.core import Jaxpr

from jaxviz.capture._recording import eqns_recorded, origin_of, statics_of
from jaxviz.capture.bound_names import bound
from jaxviz.capture.called_function import is_jitted
from jaxviz.capture.errors import CaptureError
from jaxviz.capture.source import file_kind, place
from jaxviz.capture.strings import plain
from jaxviz.capture.trace import Captured, captured_call, traced_call
from jaxviz.capture.walk import walk
from jaxviz.schema import Bound, Frame, Steps, TraceStep

MOST_STEPS = 10_000
ENDED = f"The function has more than {MOST_STEPS:,} steps: these are the first."
REPLACED = (
    "A debugger or a coverage tool was listening to Python's lines. It heard none of these, and "
    "listens again."
)
_PARTS_OF_A_LINE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<module>")
_FAILED: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()
"""By the user's function, the copy of it that failed: a card's mends can be tried while that is
there."""
_GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


@dataclass(slots=True)
class _Step:
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

    now: _Step | None
    """The line that runs; None before the first."""
    depth: int
    names: dict[str, tuple[int, Bound]]
    """What its names stood for: the identity of the value, and its text."""


class Recorder:
    """Records the steps of what runs within `recording`, in this thread."""

    def __init__(self) -> None:
        self.steps: list[_Step] = []
        self.notes: list[str] = []
        self._calls: list[_Call] = []
        self._lists: dict[int, tuple[Sequence[Any], int]] = {}
        """The lists of eqns that were met, with how many of each are known."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        before, out = sys.gettrace(), sys.stdout
        sys.stdout = _Printed(self._print, out)
        sys.settrace(self._entered)
        try:
            yield
        finally:
            sys.settrace(before)
            sys.stdout = out
            if before is not None:
                self.notes.append(REPLACED)

    def _entered(self, frame: FrameType, event: str, _: Any) -> Any:
        """Hears that a call begins, and says who hears of its lines."""
        code = frame.f_code
        if event != "call" or not _is_stepped(code) or self._has_ended():
            return None
        self._gather()
        call = _Call(None, len(self._calls), {})
        self._calls.append(call)
        enter = _Step("enter", code, code.co_firstlineno, call.depth)
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
            call.now = _Step("line", frame.f_code, frame.f_lineno, call.depth)
        return partial(self._heard, call)

    def _has_ended(self) -> bool:
        """Whether no further step is recorded; it is noted once."""
        if len(self.steps) >= MOST_STEPS and ENDED not in self.notes:
            self.notes.append(ENDED)
        return len(self.steps) >= MOST_STEPS

    def _over(self, step: _Step, call: _Call, frame: FrameType) -> None:
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
    again. The methods of a dataclass or a named tuple are made from strings."""
    file = code.co_filename
    if code.co_name in _PARTS_OF_A_LINE or code.co_flags & _GENERATORS:
        return False
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


def stepped(
    fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any], receiver: str
) -> tuple[Captured, Steps]:
    """The program of a call and the steps of its trace. `statics` has `static_argnums` and
    `static_argnames`; `receiver` is as in `capture`."""
    if is_jitted(fun) and not any(statics.values()):
        statics = statics_of(fun)
    recorder = Recorder()
    again = _anew(fun)
    try:
        with recorder.recording():
            call = traced_call(again, args, kwargs, **statics)
    except CaptureError:
        if again is not (inner := _unjitted(fun)):
            _FAILED[inner] = again
        raise
    return captured_call(call, receiver=receiver), steps_of(recorder, call.traced.jaxpr.jaxpr)


def _anew(fun: Any) -> Any:
    """The same function as another object, of which JAX has no trace yet. Of a jitted one, what is
    jitted."""
    inner = _unjitted(fun)
    if not isinstance(inner, FunctionType):
        return inner
    parts = (inner.__globals__, inner.__name__, inner.__defaults__, inner.__closure__)
    again = FunctionType(inner.__code__, *parts)
    for name in ("__kwdefaults__", "__qualname__", "__module__", "__annotations__"):
        setattr(again, name, getattr(inner, name))
    again.__dict__.update(inner.__dict__)
    return again


def _unjitted(fun: Any) -> Any:
    return fun.__wrapped__ if is_jitted(fun) and hasattr(fun, "__wrapped__") else fun


def steps_of(recorder: Recorder, jaxpr: Jaxpr) -> Steps:
    """The steps that were recorded, whose eqns are those of the jaxpr that JAX made."""
    frames: dict[Frame, int] = {}
    *added, rest = _eqns_of(recorder.steps, jaxpr)
    steps = [
        TraceStep(
            kind=step.kind,
            frame=frames.setdefault(_place(step), len(frames)),
            depth=step.depth,
            bound=step.bound,
            eqns=eqns,
            printed=plain("".join(step.printed)),
        )
        for step, eqns in zip(recorder.steps, added, strict=True)
    ]
    if rest and steps and ENDED not in recorder.notes:
        steps.append(
            TraceStep(kind="rest", frame=steps[0].frame, depth=0, bound=[], eqns=rest, printed="")
        )
    return Steps(frames=[*frames], steps=steps, notes=recorder.notes)


def _place(step: _Step) -> Frame:
    return place(step.code.co_filename, step.code.co_qualname, step.line)


def _eqns_of(steps: list[_Step], jaxpr: Jaxpr) -> list[list[int]]:
    """The numbers of the eqns that each step added, and last of those that none did.

    An eqn and those that JAX makes of it have one traceback. They are in the jaxpr in the order in
    which they were recorded, so each takes the next step that recorded one. Of bodies JAX makes
    more: derivatives, which belong to the step of the eqn that holds them, as what a library's
    function traced does, and other copies, which belong to the same step."""
    by_origin: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        for origin in step.origins:
            by_origin.setdefault(id(origin), []).append(at)
    found, met_before = walk(jaxpr), Counter[int]()
    added: list[list[int]] = [[] for _ in (*steps, None)]
    owner: list[list[int]] = []
    numbers = count()
    for one, met in zip(found.jaxprs, found.met, strict=True):
        around = len(steps) if met is None else owner[met.graph][met.eqn]
        owner.append([])
        for eqn in one.eqns:
            origin = id(eqn.source_info.traceback)
            recorded, turn = by_origin.get(origin, []), met_before[origin]
            is_copy = bool(recorded) and "transpose(" not in str(eqn.source_info.name_stack)
            last = recorded[-1] if is_copy else around
            at = recorded[turn] if turn < len(recorded) else last
            met_before[origin] += 1
            owner[-1].append(at)
            added[at].append(next(numbers))
    return added
