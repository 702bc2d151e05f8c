"""Fixes for assignments to elements of arrays, and for lists in the place of arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxviz.capture.failure.code import UNKNOWN, is_array_method, is_traced, own_parts, value_of
from jaxviz.capture.failure.failed_call import FailedCall, sketch
from jaxviz.capture.failure.types import Shape, is_scalar, keeps_split, type_of
from jaxviz.capture.shown.callables import parameter_names
from jaxviz.capture.shown.objects import dtype_of, is_a
from jaxviz.schema import Fix, Sentence
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import in_a_row, sentence

_METHODS = {ast.Add: "add", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


def in_place(call: FailedCall) -> Iterator[Fix]:
    """Elements of an array were assigned, here and on lines that follow."""
    made = [_new_array(call, node) for node in _assignments(call)]
    arrays = [one for one in made if one is not None]
    if made and made[0] is not None and not call.is_local(made[0].name):
        yield sketch("let the function return")
    elif arrays and len(arrays) == len(made):
        differs = in_a_row([one.differs for one in arrays])
        changes = [(one.node, one.text) for one in arrays]
        yield call.fix(arrays[0].title, *changes, differs=differs)


class _NewArray(NamedTuple):
    """A new array in place of an assignment to elements."""

    node: ast.stmt
    name: str
    text: str
    title: Sentence
    differs: Sentence


_InPlace = ast.Assign | ast.AugAssign


def _assignments(call: FailedCall) -> list[_InPlace]:
    """The assignment that failed, and later ones in the same function to elements of JAX arrays,
    until such a name gets another value."""
    node = call.node
    name = _array_of(node)
    if name is None:
        return []
    scope = call.function or call.tree
    later = [part for part in own_parts(scope) if getattr(part, "lineno", 0) > node.lineno]
    found = [part for part in later if isinstance(part, _InPlace) and _array_of(part)]
    stores = [part for part in later if isinstance(part, ast.Name)]
    again = {part.id: part.lineno for part in stores if isinstance(part.ctx, ast.Store)}
    return [
        node,
        *(
            part
            for part in found
            if is_a(call.variables.get(_array_of(part) or ""), jax.Array)
            and part.lineno < again.get(_array_of(part) or "", 1 << 30)
        ),
    ]


def _array_of(node: ast.AST | None) -> str | None:
    """The name of the array whose elements a statement assigns."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
            return name
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))):
            return name
    return None


def _new_array(call: FailedCall, node: _InPlace) -> _NewArray | None:
    """The new array; None if `.at` does not take the index."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)], value=value):
            new, change = call.text(value), f"set({call.text(value)})"
        case ast.AugAssign(
            target=ast.Subscript(value=ast.Name(id=name) as array, slice=at) as target,
            op=op,
            value=value,
        ):
            method = _METHODS.get(type(op))
            new = ast.unparse(ast.BinOp(array, op, value))
            whole = ast.unparse(ast.BinOp(target, op, value))
            change = f"set({whole})" if method is None else f"{method}({call.text(value)})"
        case _:
            return None
    if not _is_mask(call, at):
        change = f"{change[:-1]}{keeps_split(call, name)})"
        text = f"{name} = {name}.at[{_index_text(call, at)}].{change}"
        title = sentence("a new array at")
    elif isinstance(value, ast.Constant):
        text = f"{name} = {call.jnp}.where({call.text(at)}, {new}, {name})"
        title = sentence("choose by element")
    else:
        return None
    return _NewArray(node, name, text, title, _differs(call, node, name, at))


def _differs(call: FailedCall, node: _InPlace, name: str, at: ast.expr) -> Sentence:
    """The difference between a new array under this name and the old one with new elements."""
    if _is_lost(call, name):
        return sentence("array of the caller")
    own = call.variables.maps[0].values() if call.function else ()
    if sum(value is call.variables[name] for value in own) > 1:
        return sentence("other names of the array")
    parts = at.elts if isinstance(at, ast.Tuple) else [at]
    if not all(_is_one_place(call, part) for part in parts) and not _is_mask(call, at):
        if isinstance(node, ast.AugAssign):
            return sentence("index there twice")
        if not isinstance(node.value, ast.Constant):
            return sentence("index there twice, undefined")
    return NOTHING


def _is_lost(call: FailedCall, name: str) -> bool:
    """True if a name is an argument that the function does not return."""
    parts = [*ast.walk(call.function)] if call.function else []
    arguments = [part.arg for part in parts if isinstance(part, ast.arg)]
    returned = [part for part in parts if isinstance(part, ast.Return)]
    return name in arguments and not any(name in call.names(part) for part in returned)


def _is_one_place(call: FailedCall, index: ast.expr) -> bool:
    """True if an index surely has no place twice: a slice, or one number."""
    return isinstance(index, ast.Slice | ast.Constant) or is_scalar(call, index)


def _is_mask(call: FailedCall, index: ast.expr) -> bool:
    """True for an array of truth values, which `.at` takes only outside of jit."""
    match index:
        case ast.Name(id=name):
            return dtype_of(call.variables.get(name)) == "bool"
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr()) | ast.UnaryOp(op=ast.Invert()):
            return True
        case ast.Call(func=ast.Attribute(attr=called)):
            return called.startswith(("is", "logical_"))
    return isinstance(index, ast.Compare)


UNLIKE = (-1,)
"""The shape of a list that makes no array: its parts have different shapes, or are no numbers."""
_OPTIONS = re.compile(r"ax[ei]s|.*shape|reps|.*pad.*|shift|.*sections|permutation|dim.*")
"""Names of parameters that take lists."""


def lists(call: FailedCall) -> Iterator[Fix]:
    """`jnp.array([1, 2])` for `[1, 2]`."""
    found = [
        (node, _sizes_of(call, node)) for node in _array_operands(call) if _is_list(call, node)
    ]
    shapes = [shape for _, shape in found]
    if UNLIKE in shapes:
        yield sketch("compute with each part")
    elif found and None not in shapes:
        title = sentence("an array in place", jnp=call.jnp)
        yield call.fix(title, *((node, _array_text(call, node)) for node, _ in found))


def _index_text(call: FailedCall, node: ast.expr) -> str:
    """An index: a list as an array, anything else as it is."""
    value = value_of(node, call.variables)
    is_list = isinstance(node if value is UNKNOWN else value, ast.List | list)
    return _array_text(call, node) if is_list else call.text(node)


def _array_text(call: FailedCall, node: ast.expr) -> str:
    """A list as an array. A list of truth values stays with NumPy if it is an index of a traced
    array, which needs to know them."""
    indexed = call.node.value if isinstance(call.node, ast.Subscript) else None
    value = value_of(indexed, call.variables) if indexed else None
    module = call.np if is_traced(value) and _is_list_of_truths(call, node) else call.jnp
    dtype = ", int" if _sizes_of(call, node) == (0,) else ""
    return f"{module}.array({call.text(node)}{dtype})"


def _is_list_of_truths(call: FailedCall, node: ast.expr) -> bool:
    value = value_of(node, call.variables)
    parts = [getattr(one, "value", None) for one in getattr(node, "elts", [])]
    return all(is_a(one, bool) for one in (parts if value is UNKNOWN else value))


def _array_operands(call: FailedCall) -> list[ast.expr]:
    """The expressions of the failing line that JAX takes as arrays."""
    match call.node:
        case ast.Call(
            func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"), slice=at))
        ) if "indexing" in call.message:
            return [at]
        case ast.Call(func=func, args=args, keywords=options):
            called = value_of(func, call.variables)
            names = parameter_names(called)[1 if is_array_method(called) else 0 :]
            named = [*zip(names, args, strict=False), *((one.arg, one.value) for one in options)]
            rest = args[len(names) :]
            return [*rest, *(one for name, one in named if not _OPTIONS.fullmatch(name or ""))]
        case ast.Subscript(slice=at):
            return [at]
        case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
            return [one, other]
    return []


def _is_list(call: FailedCall, node: ast.expr) -> bool:
    value = value_of(node, call.variables)
    literal = isinstance(node, ast.List | ast.Tuple | ast.ListComp)
    return literal if value is UNKNOWN else is_a(value, list, tuple)


def _sizes_of(call: FailedCall, node: ast.expr) -> Shape | None:
    """The shape of the array that a list makes; `UNLIKE` if it makes none, None if it is
    unknown."""
    if isinstance(node, ast.List | ast.Tuple):
        return _joined([_sizes_of(call, one) for one in node.elts])
    value = value_of(node, call.variables)
    if value is not UNKNOWN:
        return _sizes(value)
    own_type = type_of(node, call.variables)
    return None if own_type is None else own_type.shape


def _sizes(value: Any) -> Shape | None:
    if is_a(value, list, tuple):
        return _joined([_sizes(one) for one in value])
    numbers = is_a(value, bool, int, float, complex, np.generic, np.ndarray, jax.Array)
    return tuple(np.shape(value)) if numbers else UNLIKE


def _joined(parts: list[Shape | None]) -> Shape | None:
    shapes = {one for one in parts if one is not None}
    if UNLIKE in shapes or len(shapes) > 1:
        return UNLIKE
    if None in parts:
        return None
    return (len(parts), *shapes.pop()) if shapes else (0,)
