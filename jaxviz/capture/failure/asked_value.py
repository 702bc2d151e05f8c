"""Finds the traced value that an exception is about: the one that Python asked for its value, or
the first operand of what failed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

import jax
from jax.core import Tracer

from jaxviz.capture.failure._recorded import recording, traced_file
from jaxviz.capture.failure.expression import failed
from jaxviz.capture.failure.failed_expression import entries, instruction_of
from jaxviz.capture.shown.source import file_kind

ASKING = (
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TracerArrayConversionError",
    "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
)
"""Exceptions of JAX for a value that Python or NumPy asked for."""


def asked_value(error: BaseException, at: TracebackType) -> Any:
    """The tracer that the failing line asked for its value, as the frames of JAX below it hold it;
    None without these: outside of IPython JAX takes them out of the traceback."""
    held = list(below(at))
    asking = any(kind.__name__ in ASKING for kind in type(error).__mro__)
    found = [value for value in held if isinstance(value, Tracer)]
    if found:
        return found[-1] if asking else found[0]
    return None


def read_value(error: BaseException, at: TracebackType) -> Any:
    """The traced value that the failing expression reads by a name, where it reads one alone. It is
    what is left to follow outside of IPython; the value that was asked for may be made of it."""
    if not any(kind.__name__ in ASKING for kind in type(error).__mro__):
        return None
    node = failed(instruction_of(at), None).node
    names = (part.id for part in ast.walk(node or ast.Pass()) if isinstance(part, ast.Name))
    held = at.tb_frame.f_locals
    found = [held[name] for name in dict.fromkeys(names) if isinstance(held.get(name), Tracer)]
    return found[0] if len(found) == 1 else None


def below(at: TracebackType) -> Iterator[Any]:
    """The local values of all frames that the line has called, outermost first."""
    for entry in entries(at.tb_next):
        yield from locals_of(entry.tb_frame)


def locals_of(frame: FrameType) -> Iterator[Any]:
    """The local values of a frame, with what its tuples and lists of arguments hold."""
    held = frame.f_locals
    for name in frame.f_code.co_varnames:
        value = held.get(name)
        yield from value if isinstance(value, tuple | list) and len(value) < 9 else (value,)


def operands(at: TracebackType) -> list[jax.Array]:
    """The arrays that the first function of JAX's below the line was called with."""
    held = locals_of(at.tb_next.tb_frame) if at.tb_next else ()
    found = [value for value in held if isinstance(value, jax.Array)]
    return [value for n, value in enumerate(found) if not any(value is one for one in found[:n])]


def users_trace(value: Any, at: TracebackType) -> Any:
    """The tracer that records in the innermost function of the user's own: the value itself, or,
    where that belongs to a function of JAX's, one of the user's line."""
    own = at.tb_frame.f_locals.values()
    for candidate in (value, *own):
        found = recording(candidate)
        if found is not None and file_kind(traced_file(found)) in ("own", "installed"):
            return found
    return None
