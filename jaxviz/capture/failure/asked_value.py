"""Finds the traced value that an exception is about: the one that Python asked for its value, or
the first operand of what failed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import jax
from jax.core import Tracer

from jaxviz.capture.failure._recorded import recording, traced_file
from jaxviz.capture.failure.expression import Failed
from jaxviz.capture.failure.failed_expression import entries
from jaxviz.capture.failure.sizes import named, size_nodes
from jaxviz.capture.shown.objects import bases_of, is_a, title_of
from jaxviz.capture.shown.source import file_kind

ASKING = (
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TracerArrayConversionError",
    "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
)
"""Exceptions of JAX for a value that Python or NumPy asked for."""


def is_asking(error: BaseException) -> bool:
    """Whether Python or NumPy asked for the value of a traced value."""
    return any(title_of(kind) in ASKING for kind in bases_of(type(error)))


NEEDING = frozenset(
    ("condition", "condition-of-many", "number", "integer", "mask", "numpy", "shape-by-value")
)
"""Help pages of errors for a value that Python, NumPy or JAX needed."""


class Needed(NamedTuple):
    """The traced value that an exception is about."""

    tracer: Any
    """None if none is known."""
    asked: bool
    """True if it is the value that was needed, and not one that the expression reads."""


def needed_value(at: TracebackType, page: str, line: Failed, held: Mapping[str, Any]) -> Needed:
    """The tracer whose number was needed, as the reader's frame or the frames of JAX below it hold
    it. Outside of IPython JAX removes these frames: then a tracer that the expression reads."""
    values = [value for value in below(at) if is_a(value, Tracer)]
    if page not in NEEDING:
        return Needed(values[0] if values else None, page == "general" and bool(values))
    sizes = size_nodes(line.node, held) if page == "shape-by-value" else []
    exact = named(sizes or [line.node] if isinstance(line.node, ast.expr) else [], held, Tracer)
    if exact and (sizes or not values):
        return Needed(exact[0], True)
    if values:
        return Needed(values[-1], True)
    read = _names_read(sizes or [line.node or ast.Pass()], at)
    return Needed(read[0] if len(read) == 1 else None, False)


def _names_read(nodes: Iterable[ast.AST], at: TracebackType) -> list[Tracer]:
    """The traced values that expressions read by a name."""
    parts = (part for node in nodes for part in ast.walk(node))
    names = dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name))
    held = at.tb_frame.f_locals
    return [held[name] for name in names if is_a(held.get(name), Tracer)]


def below(at: TracebackType) -> Iterator[Any]:
    """The local values of all frames that the line has called, outermost first."""
    for entry in entries(at.tb_next):
        yield from locals_of(entry.tb_frame)


def locals_of(frame: FrameType) -> Iterator[Any]:
    """The local values of a frame, with those in its tuples, lists and dicts of arguments."""
    held = frame.f_locals
    for name in frame.f_code.co_varnames:
        value = held.get(name)
        parts: Any = [*value.values()] if type(value) is dict else value
        is_short = (type(parts) is tuple or type(parts) is list) and len(parts) < 9
        yield from parts if is_short else (parts,)


def operands(at: TracebackType) -> list[jax.Array]:
    """The arrays that the first function of JAX's below the line was called with."""
    held = locals_of(at.tb_next.tb_frame) if at.tb_next else ()
    found = [value for value in held if is_a(value, jax.Array)]
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
