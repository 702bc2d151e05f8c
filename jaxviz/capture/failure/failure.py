"""Makes a `Failure`: all facts of an exception, read while it lives.

These are the help page, the failed expression, the traced value that Python or JAX needed, the
program that JAX had recorded, and the call with its library's fixes."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.core import Tracer

from jaxviz.capture._jax import calls
from jaxviz.capture.failure._frames import (
    RecordedProgram,
    TracedCall,
    TracedCalls,
    calls_of,
    compared_trees,
    failing_rule,
    recorded,
    recording,
    running,
    traced_file,
    users_paths,
    with_loop,
)
from jaxviz.capture.failure.attempt import Trial, trial_of
from jaxviz.capture.failure.code import UNKNOWN, public_callees, value_of
from jaxviz.capture.failure.expression import (
    UNREAD,
    Expression,
    entries,
    failed_at,
    instruction_of,
    loops_at,
    users_entry,
    variables,
)
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.kinds import page_of
from jaxviz.capture.failure.libraries.rules import library_fixes
from jaxviz.capture.shown.callables import parameter_names
from jaxviz.capture.shown.objects import (
    attribute,
    bases_of,
    cause_of,
    is_a,
    module_of,
    notes_of,
    title_of,
    traceback_of,
)
from jaxviz.capture.shown.source import file_kind, is_jax_file
from jaxviz.safety.guard import guarded

Instruction = tuple[CodeType, int]


class Failure(NamedTuple):
    """An exception, while it lives."""

    kind: str
    """The name of its help page; empty if there is none."""
    at: Instruction
    call: FailedCall
    recorded: RecordedProgram | None
    trial: Trial | None
    """The parts to try fixes with; None if none can be tried."""


_SHORTENED = "JAX has removed its internal frames"
"""JAX's note on an exception whose traceback it shortened."""


def involves_jax(error: BaseException) -> bool:
    """True if JAX had a part in an exception, or in its cause."""
    at = users_entry(error)
    files = (entry.tb_frame.f_code.co_filename for entry in entries(traceback_of(error)))
    return (
        module_of(type(error)).partition(".")[0] in ("jax", "jaxlib", "jaxviz")
        or any(map(is_jax_file, files))
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
    if not involves_jax(error):
        return f"this {raised} has no card: it is Python's own, and no call of JAX was running."
    return f"this {raised} has no card: its message says all that is known of it."


def _called(entry: TracebackType) -> tuple[str, ...]:
    """The public functions that the user's line called."""
    return public_callees(failed_at(instruction_of(entry), None).node, variables(entry))


def failure_of(error: BaseException, of_magic: BaseException | None = None) -> Failure | None:
    """The failure; None if no line of the user or of a library was running. A magic's line is in
    the traceback of the exception `of_magic`."""
    entry = guarded(None, _line, error, of_magic)
    if entry is None:
        return None
    code = entry.tb_frame.f_code
    kind = guarded("general", _page, error, entry)
    needed = guarded(NeededValue(None, False), _needed, kind, entry)
    program = guarded(None, _program, error, entry, needed, kind)
    if kind == "memory":
        program = guarded(None, running, entry)
    at = guarded(instruction_of(entry), _instruction, kind, error, entry)
    expression = guarded(UNREAD, failed_at, at, guarded(None, _made, program, at[0]))
    traced = guarded(TracedCalls([], []), calls_of, error, entry)
    call = FailedCall(
        source=expression.source,
        nodes=expression.nodes,
        function_name=code.co_name,
        error=error,
        variables=guarded(ChainMap(), variables, entry),
        passed=guarded(None, _passed, traced, code),
        needed=needed.tracer if needed.is_exact else None,
        is_own=file_kind(code.co_filename) == "own",
        operands=guarded([], operands, entry),
        trees=guarded(None, compared_trees, entry),
    )
    page, fixes = guarded(("", []), library_fixes, call)
    call = replace(call, of_library=tuple(fixes))
    trial = guarded(None, trial_of, traced.outermost, entry)
    return Failure(page or kind, at, call, program, trial)


def _line(error: BaseException, of_magic: BaseException | None) -> TracebackType | None:
    """The entry of the user's line, or of a magic's line with the frames below it that raised."""
    at = users_entry(error)
    magic = users_entry(of_magic) if of_magic and not at else None
    if magic is None:
        return at
    return TracebackType(traceback_of(error), magic.tb_frame, magic.tb_lasti, magic.tb_lineno or 1)


def _page(error: BaseException, entry: TracebackType) -> str:
    page = page_of(error, entry, _called(entry))
    return "leak" if is_asking(error) and not _is_traced(entry) else page


def _is_traced(entry: TracebackType) -> bool:
    """True if a function of JAX called the user's line. Otherwise no trace was running, and a
    traced value that the line reads has leaked out of an earlier trace."""
    frame = entry.tb_frame.f_back
    while frame is not None and not is_jax_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None


def _needed(page: str, entry: TracebackType) -> NeededValue:
    return needed_value(entry, page, failed_at(instruction_of(entry), None), variables(entry))


def _program(
    error: BaseException, entry: TracebackType, needed: NeededValue, page: str
) -> RecordedProgram | None:
    """The recorded program of the function that failed, up to the needed value."""
    tracer = users_trace(needed.tracer, entry)
    is_needed = tracer is needed.tracer and (needed.is_exact or page in NEEDING)
    program = None if tracer is None else recorded(tracer, is_needed)
    if page == "carry":
        program = guarded(program, with_loop, program, tracer, entry)
    if program is not None and file_kind(traced_file(tracer)) != "own":
        return guarded(None, users_paths, program, tracer, error)
    return program


def _passed(traced: TracedCalls, code: CodeType) -> TracedCall | None:
    return traced.passed(code)


def _instruction(kind: str, error: BaseException, entry: TracebackType) -> Instruction:
    """The user's instruction that failed. For a loop that cannot be differentiated it is the loop,
    not the call of `jax.grad`: the cause of JAX's exception has its line. For a custom rule it is
    the `return` of the rule."""
    if kind == "custom-rule" and (rule := failing_rule(error)) is not None:
        return rule
    cause = cause_of(error) if kind == "reverse-mode" else None
    loop = users_entry(cause) if cause else None
    found = loops_at(loop.tb_frame.f_code.co_filename, loop.tb_lineno or 0) if loop else []
    return next(iter(found), instruction_of(entry))


def _made(program: RecordedProgram | None, code: CodeType) -> Instruction | None:
    """The instruction of a function that made the needed value."""
    needed = program.jaxpr.jaxpr.outvars if program else []
    for eqn in program.jaxpr.jaxpr.eqns if program and needed else []:
        if needed[0] in eqn.outvars:
            return next((call for call in calls(eqn)[1]() if call[0] is code), None)
    return None


_PARAMETERS = frozenset(
    (
        *("shape", "newshape", "size", "sizes", "slice_sizes", "new_sizes", "length", "num"),
        *("N", "M", "n", "k", "reps", "repeats", "total_repeat_length", "num_classes", "minlength"),
        *("axis", "axes", "dimension", "indices_or_sections", "pad_width", "num_segments"),
    )
)
"""Parameters of JAX's functions whose value decides the shape of the result."""
_ALL = frozenset(("reshape", "arange", "transpose", "squeeze"))
"""Functions whose parameters, except for the array, are all sizes."""


def size_nodes(node: ast.AST | None, scope: Mapping[str, Any]) -> list[ast.expr]:
    """The expressions of a call or a slice that have to be numbers, in the order written."""
    match node:
        case ast.Subscript(slice=index):
            slices = [part for part in ast.walk(index) if isinstance(part, ast.Slice)]
            ends = (end for one in slices for end in (one.lower, one.upper, one.step))
            return [end for end in ends if end is not None]
        case ast.Call():
            return [part for one in _arguments(node, scope) for part in _parts(one)]
    return []


def _arguments(call: ast.Call, scope: Mapping[str, Any]) -> Iterator[ast.expr]:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    fun = value_of(call.func, scope)
    is_method = not callable(fun) or is_a(fun, str)
    if is_method:
        fun = getattr(jnp, called, None)
    names = parameter_names(fun) if callable(fun) else []
    every = called in _ALL or attribute(fun, "__name__", "") in _ALL
    skipped = 0 if is_method or attribute(fun, "__name__", "") == "arange" else 1
    for place, argument in enumerate(call.args, int(is_method)):
        name = names[place] if place < len(names) else ""
        if name in _PARAMETERS or (every and place >= max(skipped, int(is_method))):
            yield argument
    for word in call.keywords:
        if word.arg in _PARAMETERS or (every and word.arg in ("start", "stop", "step")):
            yield word.value


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of a tuple or list; any other expression itself."""
    if isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from _parts(part)
    else:
        yield node


def named(nodes: list[ast.expr], scope: Mapping[str, Any], kind: Any) -> list[Any]:
    """The values of a kind among expressions that are names, or fields and items of these."""
    values = (value_of(node, scope) for node in nodes)
    return [value for value in values if value is not UNKNOWN and is_a(value, kind)]


ASKING = (
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TracerArrayConversionError",
    "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
)
"""JAX's exceptions for a traced value whose number Python or NumPy needs."""


def is_asking(error: BaseException) -> bool:
    """True if Python or NumPy needed the number of a traced value."""
    return any(title_of(kind) in ASKING for kind in bases_of(type(error)))


NEEDING = frozenset(
    ("condition", "condition-of-many", "number", "integer", "mask", "numpy", "shape-by-value")
)
"""Help pages of errors for a value that Python, NumPy or JAX needed."""


class NeededValue(NamedTuple):
    """The traced value that an exception is about."""

    tracer: Any
    """None if none is known."""
    is_exact: bool
    """True if it is the needed value itself, False for a value that the expression reads."""


def needed_value(
    at: TracebackType, page: str, line: Expression, scope: Mapping[str, Any]
) -> NeededValue:
    """The tracer whose number was needed, from the user's frame or JAX's frames below it. Outside
    of IPython JAX removes these frames: then it is a tracer that the expression reads."""
    values = [value for value in below(at) if is_a(value, Tracer)]
    if page not in NEEDING:
        return NeededValue(values[0] if values else None, page == "general" and bool(values))
    sizes = size_nodes(line.node, scope) if page == "shape-by-value" else []
    exact = named(sizes or [line.node] if isinstance(line.node, ast.expr) else [], scope, Tracer)
    if exact and (sizes or not values):
        return NeededValue(exact[0], True)
    if values:
        return NeededValue(values[-1], True)
    read = _names_read(sizes or [line.node or ast.Pass()], at)
    return NeededValue(read[0] if len(read) == 1 else None, False)


def _names_read(nodes: Iterable[ast.AST], at: TracebackType) -> list[Tracer]:
    """The traced values that expressions read by a name."""
    parts = (part for node in nodes for part in ast.walk(node))
    names = dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name))
    frame_locals = at.tb_frame.f_locals
    return [frame_locals[name] for name in names if is_a(frame_locals.get(name), Tracer)]


def below(at: TracebackType) -> Iterator[Any]:
    """The local values of all frames that the line has called, outermost first."""
    for entry in entries(at.tb_next):
        yield from locals_of(entry.tb_frame)


def locals_of(frame: FrameType) -> Iterator[Any]:
    """The local values of a frame, with those in its tuples, lists and dicts of arguments."""
    frame_locals = frame.f_locals
    for name in frame.f_code.co_varnames:
        value = frame_locals.get(name)
        parts: Any = [*value.values()] if type(value) is dict else value
        is_short = (type(parts) is tuple or type(parts) is list) and len(parts) < 9
        yield from parts if is_short else (parts,)


def operands(at: TracebackType) -> list[jax.Array]:
    """The arrays that the first function of JAX's below the line was called with."""
    values = locals_of(at.tb_next.tb_frame) if at.tb_next else ()
    found = [value for value in values if is_a(value, jax.Array)]
    return [value for n, value in enumerate(found) if not any(value is one for one in found[:n])]


def users_trace(value: Any, at: TracebackType) -> Any:
    """The recording tracer of the user's innermost function: the value itself, or one on the user's
    line if the value belongs to a function of JAX."""
    own = at.tb_frame.f_locals.values()
    for candidate in (value, *own):
        found = recording(candidate)
        if found is not None and file_kind(traced_file(found)) in ("own", "installed"):
            return found
    return None
