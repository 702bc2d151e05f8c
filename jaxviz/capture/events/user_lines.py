"""Adds to an event the user's line on the stack, and the function of JAX that this line called.

An op outside jit is named after that function (`jnp.ones`). A line in a loop may cause many
retraces, so `Trace.looped` reports it.
"""

from __future__ import annotations

import dis
import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType, FunctionType
from typing import Any

import jax
import jax.numpy
import jax.random
from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture.events.describe import placements_of
from jaxviz.capture.events.functions import site_of
from jaxviz.capture.shown import shown_values
from jaxviz.capture.shown.source import cell_of, file_kind, file_label, line_number
from jaxviz.capture.shown.strings import name
from jaxviz.capture.weak import Weak
from jaxviz.safety.guard import guarded
from jaxviz.schema.signature import Op, OpProgram, Place, Trace

_JAX = os.path.dirname(jax.__file__) + os.sep
_MODULES: tuple[tuple[str, Any], ...] = (
    ("jnp", jax.numpy),
    ("jax.nn", jax.nn),
    ("jax.random", jax.random),
    ("jnp.linalg", jax.numpy.linalg),
    ("jnp.fft", jax.numpy.fft),
    ("lax", jax.lax),
    ("jax", jax),
)
"""The public modules of JAX's functions, by the names that users write. If a function is in several
of them, the first one counts."""


def with_user_lines(trace: Trace, event: Trace) -> Trace:
    """The trace with the user's line, or with the op if the function is JAX's own. `event` is JAX's
    event. The trace is unchanged if reading fails, and for JAX's own functions within another
    event: these are no ops that the user ran."""
    frame, label = event.objects.frame, event.objects.label
    try:
        if trace.op is None:
            users = _users(frame)
            if users is None:
                return replace(trace, looped=is_looped(frame))
            called = _place(users.f_code, line_number(users))._replace(span=_span(users))
            looped, functions = is_looped(frame), _functions(users)
            return replace(trace, looped=looped, called=called, functions=functions)
        is_compiled = event.kind == "compile"
        if not is_compiled and event.depth > 0:
            return trace
        program = guarded(None, op_program_of, frame, label) if is_compiled else None
        return replace(trace, op=Op(op_of(frame, label), program), site=site_of(frame))
    except Exception:
        return trace


def _users(frame: FrameType | None) -> FrameType | None:
    """The user's innermost frame on the stack."""
    while frame is not None and file_kind(frame.f_code.co_filename) != "own":
        frame = frame.f_back
    return frame


def _place(code: CodeType, line: int) -> Place:
    cell = cell_of(code.co_filename)
    return Place(code.co_filename, line, name(file_label(code.co_filename, cell)), cell.offset)


def _functions(frame: FrameType) -> dict[str, Place]:
    """The places of the user's functions that a frame's code names, and that those name in turn."""
    found: dict[str, Place] = {}
    waiting = [frame.f_code]
    for code in waiting:
        for named in code.co_names:
            fun = frame.f_globals.get(named)
            if type(fun) is not FunctionType or named in found or len(found) >= _MOST_FUNCTIONS:
                continue
            if file_kind(fun.__code__.co_filename) == "own":
                found[named] = _place(fun.__code__, fun.__code__.co_firstlineno)
                waiting.append(fun.__code__)
    return found


_MOST_FUNCTIONS = 40


def _span(frame: FrameType) -> tuple[int, int, int, int] | None:
    """The position of the expression that the frame evaluates: first and last line and column."""
    positions = frame.f_code.co_positions()
    first, last, start, end = next(islice(positions, frame.f_lasti // 2, None), (None,) * 4)
    if first is None or last is None or start is None or end is None:
        return None
    return first, last, start, end


def op_of(frame: FrameType | None, label: str) -> str:
    """The public function of JAX that the user's line called, such as `jnp.ones`; else the function
    in JAX's `label`, such as `sin` in `jit(sin)`."""
    called = ""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_JAX):
            called = _called(code) or called
        if file_kind(code.co_filename) in ("own", "installed"):
            break
        frame = frame.f_back
    return name(called or _public(label.removeprefix("jit(").removesuffix(")").lstrip("_")))


@lru_cache(maxsize=4096)
def _called(code: CodeType) -> str:
    """The public name of JAX's function with this code, such as `jnp.ones`; empty if it has none,
    and for methods and local functions."""
    if "." in code.co_qualname or code.co_qualname.startswith("_"):
        return ""
    found = _public(code.co_name)
    return found if found != code.co_name and _is(found, code) else ""


def _is(public: str, code: CodeType) -> bool:
    """True if the function with the public name, or one that it wraps, has this code."""
    module, _, attribute = public.rpartition(".")
    fun = getattr(dict(_MODULES)[module], attribute)
    for _ in range(8):
        if getattr(fun, "__code__", None) is code:
            return True
        fun = getattr(fun, "__wrapped__", None)
    return False


@lru_cache(maxsize=4096)
def _public(function: str) -> str:
    if function.isidentifier() and not function.startswith("_"):
        for title, module in _MODULES:
            if callable(getattr(module, function, None)):
                return f"{title}.{function}"
    return function


def is_looped(frame: FrameType | None) -> bool:
    """True if a function of the user on the stack is in a loop of its code now."""
    while frame is not None:
        for start, stop in users_loops(frame.f_code):
            if start <= frame.f_lasti <= stop:
                return True
        frame = frame.f_back
    return False


def users_loops(code: CodeType) -> list[tuple[int, int]]:
    """The first instruction of each loop of the user's code and its jump back, as offsets in bytes.
    Empty for code of others."""
    return _loops(code) if file_kind(code.co_filename) == "own" else []


_BACKWARD = {number for op, number in dis.opmap.items() if "JUMP_BACKWARD" in op}
"""Code without these opcodes has no loop. Then its instructions are not read, which takes long."""
_LOOPS: Weak[list[tuple[int, int]]] = Weak()
"""The loops of each code object. Finds code by identity: a hash of code reads all its constants."""


def _loops(code: CodeType) -> list[tuple[int, int]]:
    """The first instruction of each loop in the code and its jump back, as offsets in bytes."""
    found = _LOOPS.get(code)
    if found is None:
        found = [] if _BACKWARD.isdisjoint(code.co_code[::2]) else [*_jumps(code)]
        _LOOPS.set(code, found)
    return found


def _jumps(code: CodeType) -> Iterator[tuple[int, int]]:
    for one in dis.get_instructions(code):
        if one.opcode in _BACKWARD and isinstance(one.argval, int):
            yield one.argval, one.offset


MOST_EQNS = 200
"""Params of at most this many eqns of an op are compared, since this delays the user's call."""


def op_program_of(frame: FrameType | None, label: str) -> OpProgram | None:
    """The parts of an op's program that JAX compares, which explain a recompilation. None if the
    program is not on the stack."""
    lowering = seen.lowering_of(frame)
    if lowering is None:
        return None
    jaxpr = lowering.jaxpr
    avals = [var.aval for var in jaxpr.invars]
    placed = placements_of([str(i) for i in range(len(avals))], lowering.args)
    if not any(getattr(aval, "shape", ()) for aval in avals):  # `jnp.ones(3)`: its sizes are static
        avals += [var.aval for var in jaxpr.outvars]
    return OpProgram(
        label,
        tuple(str(getattr(aval, "shape", "")) for aval in avals),
        tuple(str(getattr(aval, "dtype", aval)) for aval in avals),
        tuple(bool(getattr(aval, "weak_type", False)) for aval in avals),
        hash(tuple(_params(jaxpr))),
        hash(tuple(placed.values())),
    )


def _params(jaxpr: Any) -> Iterator[str]:
    """The primitives and params, as text, of the eqns of the jaxpr and its bodies."""
    waiting, room = [jaxpr], MOST_EQNS
    while waiting:
        for eqn in waiting.pop().eqns:
            room -= 1
            if room < 0:
                return
            yield eqn.primitive.name
            for param, value in eqn.params.items():
                inner = getattr(value, "jaxpr", value)
                if hasattr(inner, "eqns"):
                    waiting.append(inner)
                else:
                    yield f"{param}={shown_values.shown(value)}"
