"""The steps of a trace: which of the user's lines ran, the names that each set, the eqns that it
added and what it printed. The function's Python runs once for this, as it does for any trace;
`step_recorder.py` hears of its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from jax.extend.core import Jaxpr

from jaxviz.capture._recording import function_of, statics_of
from jaxviz.capture.called_function import is_jitted
from jaxviz.capture.errors import CaptureError
from jaxviz.capture.kept_call import KeptCall, kept_call, weakly
from jaxviz.capture.source import file_kind, place
from jaxviz.capture.step_recorder import ENDED, Recorder, Step
from jaxviz.capture.strings import name, plain
from jaxviz.capture.trace import Captured, captured_call, traced_call
from jaxviz.capture.walk import Walk, walk
from jaxviz.schema import Frame, Steps, TraceStep

KNOWN = (
    "JAX had traced {} before and took what it knew: its Python did not run, so its lines have no "
    "steps."
)
GONE = "The function is gone: run the cell again."
_FAILED: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()
"""By the user's function, the copy of it that failed: a card's mends can be tried while that is
there."""


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


def steps_again(
    fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any], receiver: str
) -> Callable[[], tuple[Captured, Steps]] | None:
    """What traces a call once more as `stepped` does; None where that is not known. It keeps the
    types of the arguments, and the function as long as somebody else does: without it, it raises
    ValueError, with a sentence."""
    inner = _unjitted(fun)
    function = weakly(inner)
    if inner is not fun and not any(statics.values()):
        statics = statics_of(fun)
    call = kept_call(args, kwargs, statics)
    if function is None or call is None:
        return None
    return partial(_stepped_again, function, call, receiver)


def _stepped_again(
    function: Callable[[], Any], call: KeptCall, receiver: str
) -> tuple[Captured, Steps]:
    fun = function()
    if fun is None:
        raise ValueError(GONE)
    return stepped(*call.of(fun), receiver)


def _anew(fun: Any) -> Any:
    """The same function as another object, of which JAX has no trace yet. Of a jitted one, what is
    jitted."""
    inner = _unjitted(fun)
    if not isinstance(inner, FunctionType):
        return inner
    parts = (inner.__globals__, inner.__name__, inner.__defaults__, inner.__closure__)
    again = FunctionType(inner.__code__, *parts)
    for kept in ("__kwdefaults__", "__qualname__", "__module__", "__annotations__"):
        setattr(again, kept, getattr(inner, kept))
    again.__dict__.update(inner.__dict__)
    return again


def _unjitted(fun: Any) -> Any:
    return fun.__wrapped__ if is_jitted(fun) and hasattr(fun, "__wrapped__") else fun


def steps_of(recorder: Recorder, jaxpr: Jaxpr) -> Steps:
    """The steps that were recorded, whose eqns are those of the jaxpr that JAX made."""
    frames: dict[Frame, int] = {}
    found = walk(jaxpr)
    *added, rest = _eqns_of(recorder.steps, found)
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
    return Steps(frames=[*frames], steps=steps, notes=[*recorder.notes, *_known(recorder, found)])


def _known(recorder: Recorder, found: Walk) -> Iterator[str]:
    """A note for each function of the user's that JAX had traced before, and did not run again."""
    if ENDED in recorder.notes:
        return
    entered = {(step.code.co_filename, str(step.code.co_firstlineno)) for step in recorder.steps}
    for written in dict.fromkeys(map(function_of, found.jaxprs[1:])):
        if written and written[1:] not in entered and file_kind(written[1]) == "own":
            yield KNOWN.format(name(written[0]))


def _place(step: Step) -> Frame:
    return place(step.code.co_filename, step.code.co_qualname, step.line)


def _eqns_of(steps: list[Step], found: Walk) -> list[list[int]]:
    """The numbers of the eqns that each step added, and last of those that none did.

    An eqn and those that JAX makes of it have one traceback. They are in the jaxpr in the order in
    which they were recorded, so each takes the next step that recorded one. Of bodies JAX makes
    more: derivatives, which belong to the step of the eqn that holds them, as what a library's
    function traced does, and other copies, which belong to the same step."""
    by_origin: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        for origin in step.origins:
            by_origin.setdefault(id(origin), []).append(at)
    met_before = Counter[int]()
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
