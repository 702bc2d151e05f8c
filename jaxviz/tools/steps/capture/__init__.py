"""The steps of a trace: the user's lines that ran, the names that each set, the eqns that it added
and its printed text. The function's Python runs once for this, as for any trace. `recorder.py`
observes its lines."""

from __future__ import annotations

from collections import Counter
from itertools import count
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from jax.extend.core import Jaxpr
from msgspec.structs import replace

from jaxviz.capture._jax import statics_of
from jaxviz.capture.calls.call_to_trace import uncached_copy
from jaxviz.capture.calls.called_function import is_jitted, unjitted
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.walk import Walk, walk
from jaxviz.capture.shown.source import place
from jaxviz.capture.shown.strings import plain
from jaxviz.capture.tracing.trace import Captured, captured_call, traced_call
from jaxviz.schema import Frame
from jaxviz.sentences import sentence
from jaxviz.tools.steps.capture.known_calls import cached_calls
from jaxviz.tools.steps.capture.recorder import Recorder, Step
from jaxviz.tools.steps.record import Steps, TraceStep

_FAILED: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()
"""Maps the user's function to its copy that failed: the fixes of a card can be tried while this
copy exists."""


def stepped(
    fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any], receiver: str
) -> tuple[Captured, Steps]:
    """The program of a call and the steps of its trace. `statics` has `static_argnums` and
    `static_argnames`; `receiver` is as in `capture`."""
    if is_jitted(fun) and not any(statics.values()):
        statics = statics_of(fun)
    recorder = Recorder()
    inner = unjitted(fun)
    again = uncached_copy(inner)
    try:
        with recorder.recording():
            call = traced_call(again, args, kwargs, **statics)
    except CaptureError:
        if again is not inner:
            _FAILED[inner] = again
        raise
    if not recorder.steps:
        raise CaptureError(sentence("no steps"))
    return captured_call(call, receiver=receiver), steps_of(recorder, call.traced.jaxpr.jaxpr)


def steps_of(recorder: Recorder, jaxpr: Jaxpr) -> Steps:
    """The steps that were recorded, whose eqns are those of the jaxpr that JAX made."""
    frames: dict[Frame, int] = {}
    found = walk(jaxpr)
    *added, rest = _eqns_of(recorder.steps, found)
    has_ended = recorder.has_ended
    known = [[]] * len(added) if has_ended else cached_calls(recorder.steps, added, found)
    steps = [
        TraceStep(
            kind=step.kind,
            frame=frames.setdefault(_place(step), len(frames)),
            depth=step.depth,
            bound=step.bound,
            eqns=eqns,
            printed=plain("".join(step.printed)),
            notes=notes,
        )
        for step, eqns, notes in zip(recorder.steps, added, known, strict=True)
    ]
    if rest and not has_ended:
        steps.append(replace(steps[0], kind="rest", bound=[], eqns=rest))
    return Steps(frames=[*frames], steps=steps, notes=recorder.notes)


def _place(step: Step) -> Frame:
    return place(step.code.co_filename, step.code.co_qualname, step.line)


def _eqns_of(steps: list[Step], found: Walk) -> list[list[int]]:
    """The numbers of the eqns that each step added. The last list has the eqns that no step added.

    An eqn and those that JAX makes of it have one traceback. The jaxpr has them in the order of
    recording, so each eqn belongs to the next step that recorded one. Bodies get more eqns:
    derivatives and traces by library functions belong to the step of the eqn around them, and
    copies belong to the same step.
    """
    by_origin: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        for origin in step.origins:
            by_origin.setdefault(id(origin), []).append(at)
    met_before = Counter[int]()
    added: list[list[int]] = [[] for _ in (*steps, None)]
    owner: list[list[int]] = []
    numbers = count()
    for one, met in zip(found.jaxprs, found.first_uses, strict=True):
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
