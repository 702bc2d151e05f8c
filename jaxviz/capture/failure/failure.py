"""Puts together what an exception tells while it lives."""

from __future__ import annotations

from types import CodeType, TracebackType
from typing import Any, NamedTuple

from jax.errors import JaxRuntimeError

from jaxviz.capture._jax import calls
from jaxviz.capture.failure._recorded import (
    Recorded,
    calls_of,
    recorded,
    running,
    traced_file,
    users_paths,
)
from jaxviz.capture.failure._trees import compared_trees
from jaxviz.capture.failure.asked_value import asked_value, below, operands, read_value, users_trace
from jaxviz.capture.failure.attempt import Trial, trial_of
from jaxviz.capture.failure.expression import failed
from jaxviz.capture.failure.failed_call import FailedCall, variables
from jaxviz.capture.failure.failed_expression import entries, users_entry
from jaxviz.capture.failure.kinds import GENERAL, OTHER, Kind, kind_of
from jaxviz.capture.shown.source import file_kind, is_jax_s

Instruction = tuple[CodeType, int]


class Failure(NamedTuple):
    """An exception, while it lives."""

    kind: Kind
    at: Instruction
    call: FailedCall
    recorded: Recorded | None
    trial: Trial | None
    """What it takes to try mends; None where none can be tried."""


_SHORTENED = "JAX has removed its internal frames"
"""What JAX notes on an exception whose traceback it shortened."""
_UNHASHABLE = "Non-hashable static arguments"
"""What jaxlib says, in C++, which leaves no frame."""


def took_part(error: BaseException) -> bool:
    """Whether JAX had a part in an exception, or in its cause."""
    files = (entry.tb_frame.f_code.co_filename for entry in entries(error.__traceback__))
    return (
        type(error).__module__.partition(".")[0] in ("jax", "jaxlib", "jaxviz")
        or any(map(is_jax_s, files))
        or any(_SHORTENED in note for note in getattr(error, "__notes__", ()))
        or any(isinstance(text, str) and _UNHASHABLE in text for text in error.args)
    )


def failure_of(error: BaseException) -> Failure | None:
    """What failed; None where no line of the user's or of a library's took part."""
    entry = users_entry(error)
    if entry is None:
        return None
    kind = kind_of(error)
    value = asked_value(error, entry)
    followed = read_value(error, entry) if value is None else value
    tracer = users_trace(followed, entry)
    program = None if tracer is None else recorded(tracer, tracer is followed)
    if program is not None and file_kind(traced_file(tracer)) != "own":
        program = users_paths(program, tracer, error)
    at = _instruction(kind, entry)
    known = failed(at, _made(program, at[0]))
    traced = calls_of(error, entry)
    untraced = value is None and tracer is None and not traced.around
    if kind is GENERAL and (untraced or isinstance(error, JaxRuntimeError)):
        kind = OTHER
    if kind.name == "memory":
        program = running(entry)
    passed = traced.passed(entry.tb_frame.f_code)
    own = file_kind(entry.tb_frame.f_code.co_filename) == "own"
    held = variables(entry)
    arrays, trees = operands(entry), compared_trees(entry)
    call = FailedCall(error, known, held, passed, value, own, arrays, trees)
    return Failure(kind, at, call, program, trial_of(traced.outermost, entry))


def _instruction(kind: Kind, entry: TracebackType) -> Instruction:
    """The user's instruction that failed. For a loop that cannot be differentiated it is that of
    the loop, not of the call of `jax.grad`."""
    loops = [held for held in below(entry) if _is_loop(held)] if kind.name == "reverse-mode" else []
    for eqn in loops[:1]:
        for call in calls(eqn)[1]():
            if file_kind(call[0].co_filename) == "own":
                return call
    return entry.tb_frame.f_code, entry.tb_lasti


def _is_loop(value: Any) -> bool:
    return str(getattr(value, "primitive", "")) == "while" and hasattr(value, "source_info")


def _made(program: Recorded | None, code: CodeType) -> Instruction | None:
    """The instruction of a function that made the value which was asked for."""
    asked = program.jaxpr.jaxpr.outvars if program else []
    for eqn in program.jaxpr.jaxpr.eqns if program and asked else []:
        if asked[0] in eqn.outvars:
            return next((call for call in calls(eqn)[1]() if call[0] is code), None)
    return None
