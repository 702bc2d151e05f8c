"""Puts together what an exception tells while it lives."""

from __future__ import annotations

from collections import ChainMap
from types import CodeType, TracebackType
from typing import NamedTuple

from jaxviz.capture._jax import calls
from jaxviz.capture.failure._custom_rules import failing_rule
from jaxviz.capture.failure._recorded import (
    Called,
    Calls,
    Recorded,
    calls_of,
    recorded,
    running,
    traced_file,
    users_paths,
)
from jaxviz.capture.failure._trees import compared_trees
from jaxviz.capture.failure.asked_value import (
    NEEDING,
    Needed,
    is_asking,
    needed_value,
    operands,
    users_trace,
)
from jaxviz.capture.failure.attempt import Trial, trial_of
from jaxviz.capture.failure.callee import public_callees
from jaxviz.capture.failure.expression import UNREAD, failed
from jaxviz.capture.failure.failed_call import FailedCall, variables
from jaxviz.capture.failure.failed_expression import (
    entries,
    instruction_of,
    loops_at,
    users_entry,
)
from jaxviz.capture.failure.kinds import page_of
from jaxviz.capture.failure.libraries.rules import library_fixes
from jaxviz.capture.shown.objects import cause_of, is_a, module_of, notes_of, title_of, traceback_of
from jaxviz.capture.shown.source import file_kind, is_jax_s
from jaxviz.guard import guarded

Instruction = tuple[CodeType, int]


class Failure(NamedTuple):
    """An exception, while it lives."""

    kind: str
    """The name of its help page; empty if there is none."""
    at: Instruction
    call: FailedCall
    recorded: Recorded | None
    trial: Trial | None
    """What it takes to try mends; None where none can be tried."""


_SHORTENED = "JAX has removed its internal frames"
"""What JAX notes on an exception whose traceback it shortened."""


def took_part(error: BaseException) -> bool:
    """Whether JAX had a part in an exception, or in its cause."""
    at = users_entry(error)
    files = (entry.tb_frame.f_code.co_filename for entry in entries(traceback_of(error)))
    return (
        module_of(type(error)).partition(".")[0] in ("jax", "jaxlib", "jaxviz")
        or any(map(is_jax_s, files))
        or any(_SHORTENED in note for note in notes_of(error))
        or any(name.startswith("jax.") for name in (_called(at) if at else ()))
    )


def no_card(error: BaseException) -> str:
    """Why an exception has no card, in one sentence."""
    raised = title_of(type(error))
    if guarded(None, users_entry, error) is None:
        return (
            f"no line of your code took part in this {raised}: pass an exception that a call of "
            "your own raised."
        )
    if not is_a(error, Exception):
        return f"this {raised} has no card: it stops the program, and is no error in it."
    if not took_part(error):
        return f"this {raised} has no card: it is Python's own, and no call of JAX was running."
    return f"this {raised} has no card: its message says all that is known of it."


def _called(entry: TracebackType) -> tuple[str, ...]:
    """The public functions that the reader's line called."""
    return public_callees(failed(instruction_of(entry), None).node, variables(entry))


def failure_of(error: BaseException, around: BaseException | None = None) -> Failure | None:
    """What failed; None if no line of the user's or of a library's was running. If the line is
    that of a magic, the exception `around` has it."""
    entry = guarded(None, _line, error, around)
    if entry is None:
        return None
    code = entry.tb_frame.f_code
    kind = guarded("general", _page, error, entry)
    needed = guarded(Needed(None, False), _needed, kind, entry)
    program = guarded(None, _program, error, entry, needed, kind)
    if kind == "memory":
        program = guarded(None, running, entry)
    at = guarded(instruction_of(entry), _instruction, kind, error, entry)
    known = guarded(UNREAD, failed, at, guarded(None, _made, program, at[0]))
    traced = guarded(Calls([], []), calls_of, error, entry)
    call = FailedCall(
        error,
        known,
        held=guarded(ChainMap(), variables, entry),
        passed=guarded(None, _passed, traced, code),
        asked=needed.tracer if needed.asked else None,
        own=file_kind(code.co_filename) == "own",
        operands=guarded([], operands, entry),
        trees=guarded(None, compared_trees, entry),
    )
    page, fixes = guarded(("", []), library_fixes, call)
    call = call._replace(of_library=tuple(fixes))
    trial = guarded(None, trial_of, traced.outermost, entry)
    return Failure(page or kind, at, call, program, trial)


def _line(error: BaseException, around: BaseException | None) -> TracebackType | None:
    """The reader's line, or that of a magic with the frames below it that raised."""
    at = users_entry(error)
    magic = users_entry(around) if around and not at else None
    if magic is None:
        return at
    return TracebackType(traceback_of(error), magic.tb_frame, magic.tb_lasti, magic.tb_lineno or 1)


def _page(error: BaseException, entry: TracebackType) -> str:
    page = page_of(error, entry, _called(entry))
    return "leak" if is_asking(error) and not _is_traced(entry) else page


def _is_traced(entry: TracebackType) -> bool:
    """Whether a function of JAX called the reader's line: without one, no trace was running, and a
    traced value that the line reads has leaked out of an earlier one."""
    frame = entry.tb_frame.f_back
    while frame is not None and not is_jax_s(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None


def _needed(page: str, entry: TracebackType) -> Needed:
    return needed_value(entry, page, failed(instruction_of(entry), None), variables(entry))


def _program(
    error: BaseException, entry: TracebackType, needed: Needed, page: str
) -> Recorded | None:
    """What was recorded of the program of the function that failed, up to the needed value."""
    tracer = users_trace(needed.tracer, entry)
    asked = tracer is needed.tracer and (needed.asked or page in NEEDING)
    program = None if tracer is None else recorded(tracer, asked)
    if program is not None and file_kind(traced_file(tracer)) != "own":
        return guarded(None, users_paths, program, tracer, error)
    return program


def _passed(traced: Calls, code: CodeType) -> Called | None:
    return traced.passed(code)


def _instruction(kind: str, error: BaseException, entry: TracebackType) -> Instruction:
    """The user's instruction that failed. For a loop that cannot be differentiated it is that of
    the loop, not of the call of `jax.grad`: JAX's cause of the exception has its line. For a custom
    rule it is the `return` of the rule."""
    if kind == "custom-rule" and (rule := failing_rule(error)) is not None:
        return rule
    cause = cause_of(error) if kind == "reverse-mode" else None
    loop = users_entry(cause) if cause else None
    found = loops_at(loop.tb_frame.f_code.co_filename, loop.tb_lineno or 0) if loop else []
    return next(iter(found), instruction_of(entry))


def _made(program: Recorded | None, code: CodeType) -> Instruction | None:
    """The instruction of a function that made the value which was asked for."""
    asked = program.jaxpr.jaxpr.outvars if program else []
    for eqn in program.jaxpr.jaxpr.eqns if program and asked else []:
        if asked[0] in eqn.outvars:
            return next((call for call in calls(eqn)[1]() if call[0] is code), None)
    return None
