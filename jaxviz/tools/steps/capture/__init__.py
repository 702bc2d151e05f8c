"""The steps of a trace: the user's lines that ran, the names that each set, the eqns that it added
and its printed text. The function's Python runs once for this, as for any trace. `recorder.py`
observes its lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, takewhile
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from jax.extend.core import Jaxpr
from msgspec.structs import replace

from jaxviz.capture._events import source_of
from jaxviz.capture._jax import statics_of
from jaxviz.capture._recording import is_as_written
from jaxviz.capture.calls.call_to_trace import uncached_copy
from jaxviz.capture.calls.called_function import is_jitted, unjitted
from jaxviz.capture.events.functions import function_named
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.avals import typed
from jaxviz.capture.jaxprs.walk import Walk, walk
from jaxviz.capture.shown.shown_values import WIDEST
from jaxviz.capture.shown.source import place
from jaxviz.capture.shown.strings import name, plain
from jaxviz.capture.tracing.trace import Captured, captured_call, traced_call
from jaxviz.schema import Frame, Sentence
from jaxviz.sentences import sentence
from jaxviz.tools.steps.capture.recorder import Recorder, Step, has_steps
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
    notes_of = [[]] * len(added) if has_ended else cached_calls(recorder.steps, added, found)
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
        for step, eqns, notes in zip(recorder.steps, added, notes_of, strict=True)
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
    counts = Counter[int]()
    added: list[list[int]] = [[] for _ in (*steps, None)]
    owner: list[list[int]] = []
    numbers = count()
    for one, use in zip(found.jaxprs, found.first_uses, strict=True):
        around = len(steps) if use is None else owner[use.graph][use.eqn]
        owner.append([])
        for eqn in one.eqns:
            origin = id(eqn.source_info.traceback)
            recorded, before = by_origin.get(origin, []), counts[origin]
            is_copy = bool(recorded) and "transpose(" not in str(eqn.source_info.name_stack)
            last = recorded[-1] if is_copy else around
            at = recorded[before] if before < len(recorded) else last
            counts[origin] += 1
            owner[-1].append(at)
            added[at].append(next(numbers))
    return added


def cached_calls(
    steps: Sequence[Step], added: Sequence[list[int]], found: Walk
) -> list[list[Sentence]]:
    """For each step, a sentence for each function of the user that it called and that JAX had
    traced before. `added` has the numbers of each step's eqns."""
    bodies = _bodies(found)
    called = [[bodies[number] for number in numbers if number in bodies] for numbers in added]
    return [
        [*dict.fromkeys(_sentences(steps[at], of_step, _entered(steps, at)))] if of_step else []
        for at, of_step in enumerate(called)
    ]


def _bodies(found: Walk) -> dict[int, tuple[Any, list[Any]]]:
    """The eqns with bodies, by number through all jaxprs, and their jaxprs."""
    bodies: dict[int, tuple[Any, list[Any]]] = {}
    first = 0
    for jaxpr, inner in zip(found.jaxprs, found.inner, strict=True):
        for index, uses in inner.items():
            bodies[first + index] = jaxpr.eqns[index], [found.jaxprs[one.graph] for one in uses]
        first += len(jaxpr.eqns)
    return bodies


def _entered(steps: Sequence[Step], at: int) -> set[tuple[str, int]]:
    """The functions that ran within a step, by file and first line: those entered in the deeper
    steps before it."""
    before = (steps[index] for index in range(at - 1, -1, -1))
    within = takewhile(lambda one: one.depth > steps[at].depth, before)
    return {
        (one.code.co_filename, one.code.co_firstlineno) for one in within if one.kind == "enter"
    }


def _sentences(
    step: Step, called: list[tuple[Any, list[Any]]], entered: set[tuple[str, int]]
) -> Iterator[Sentence]:
    recorded = set(map(id, step.origins))
    for eqn, bodies in called:
        is_transposed = "transpose(" in str(eqn.source_info.name_stack)
        if is_transposed or id(eqn.source_info.traceback) not in recorded:
            continue
        for body in bodies:
            function = function_named(source_of(body))
            if function is None or not has_steps(function.file):
                continue
            if (function.file, function.line) not in entered:
                takes = _signature(body) if is_as_written(eqn) else ""
                title = function.name
                if takes:
                    yield sentence("known call, types", name=title, types=takes)
                else:
                    yield sentence("known call", name=title)


def _signature(jaxpr: Any) -> str:
    """The types of a jaxpr's inputs and results, as in `f32[3] → f32[3]`; empty if too long."""
    takes, gives = (
        ", ".join(typed(var.aval) for var in ends) for ends in (jaxpr.invars, jaxpr.outvars)
    )
    text = name(f"{takes} → {gives}")
    return text if len(text) <= WIDEST else ""
