"""Fixes for lists where JAX takes arrays: as arguments, as operands and as indices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxviz.capture.failure.callee import UNKNOWN, is_array_method, value_of
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall, is_traced
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.failure.written import parameters
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

Shape = tuple[int, ...]
UNLIKE = (-1,)
"""The shape of a list that makes no array: its parts have several shapes, or are no numbers."""
_OPTIONS = re.compile(r"ax[ei]s|.*shape|reps|.*pad.*|shift|.*sections|permutation|dim.*")
"""Names of parameters that take lists as they are."""


def lists(call: FailedCall) -> Iterator[Mend]:
    """`jnp.array([1, 2])` for `[1, 2]`."""
    found = [(node, sizes_of(call, node)) for node in _given(call) if _is_list(call, node)]
    shapes = [shape for _, shape in found]
    if UNLIKE in shapes:
        yield sketch(sentence("compute with each part"))
    elif found and None not in shapes:
        title = sentence("an array in place", jnp=call.jnp)
        yield edited(call, title, *((node, _array_text(call, node)) for node, _ in found))


def index_text(call: FailedCall, node: ast.expr) -> str:
    """An index: a list as an array, anything else as it is."""
    known = value_of(node, call.held)
    is_list = isinstance(node if known is UNKNOWN else known, ast.List | list)
    return _array_text(call, node) if is_list else call.text(node)


def _array_text(call: FailedCall, node: ast.expr) -> str:
    """A list as an array. A list of truth values stays with NumPy if it is an index of a traced
    array, which needs to know them."""
    indexed = call.node.value if isinstance(call.node, ast.Subscript) else None
    known = value_of(indexed, call.held) if indexed else None
    module = call.module(np, "np") if is_traced(known) and _is_mask(call, node) else call.jnp
    dtype = ", int" if sizes_of(call, node) == (0,) else ""
    return f"{module}.array({call.text(node)}{dtype})"


def _is_mask(call: FailedCall, node: ast.expr) -> bool:
    held = value_of(node, call.held)
    parts = [getattr(one, "value", None) for one in getattr(node, "elts", [])]
    return all(is_a(one, bool) for one in (parts if held is UNKNOWN else held))


def _given(call: FailedCall) -> list[ast.expr]:
    """The expressions of the failing line that JAX takes as arrays."""
    match call.node:
        case ast.Call(
            func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"), slice=at))
        ) if "indexing" in message_of(call.error):
            return [at]
        case ast.Call(func=func, args=args, keywords=options):
            called = value_of(func, call.held)
            names = parameters(called)[1 if is_array_method(called) else 0 :]
            named = [*zip(names, args, strict=False), *((one.arg, one.value) for one in options)]
            rest = args[len(names) :]
            return [*rest, *(one for name, one in named if not _OPTIONS.fullmatch(name or ""))]
        case ast.Subscript(slice=at):
            return [at]
        case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
            return [one, other]
    return []


def _is_list(call: FailedCall, node: ast.expr) -> bool:
    held = value_of(node, call.held)
    literal = isinstance(node, ast.List | ast.Tuple | ast.ListComp)
    return literal if held is UNKNOWN else is_a(held, list, tuple)


def sizes_of(call: FailedCall, node: ast.expr) -> Shape | None:
    """The shape of the array that a list makes; `UNLIKE` if it makes none, None if that is not
    known."""
    if isinstance(node, ast.List | ast.Tuple):
        return _joined([sizes_of(call, one) for one in node.elts])
    held = value_of(node, call.held)
    if held is not UNKNOWN:
        return _sizes(held)
    known = type_of(node, call.held)
    return None if known is None else known.shape


def _sizes(held: Any) -> Shape | None:
    if is_a(held, list, tuple):
        return _joined([_sizes(one) for one in held])
    numbers = is_a(held, bool, int, float, complex, np.generic, np.ndarray, jax.Array)
    return tuple(np.shape(held)) if numbers else UNLIKE


def _joined(parts: list[Shape | None]) -> Shape | None:
    known = {one for one in parts if one is not None}
    if UNLIKE in known or len(known) > 1:
        return UNLIKE
    if None in parts:
        return None
    return (len(parts), *known.pop()) if known else (0,)
