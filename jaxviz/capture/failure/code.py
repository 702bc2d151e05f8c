"""Reads the user's code: the values of its names, and the public functions that a line calls.

Nothing is evaluated. Outside of IPython JAX removes the frames that would name these functions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from types import FunctionType, MethodType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxviz.capture._jax import transforms
from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.shown.objects import (
    Types,
    attribute,
    class_attribute,
    is_a,
    is_class,
    is_library_type,
    module_of,
    qualified_of,
    static_attribute,
    title_of,
)

_MODULES = (
    *("jax", "jax.numpy", "jax.lax", "jax.nn", "jax.random", "jax.tree", "jax.tree_util"),
    *("jax.numpy.linalg", "jax.numpy.fft", "jax.scipy.special", "jax.scipy.linalg"),
    *("jax.scipy.signal", "jax.scipy.stats", "jax.sharding", "jax.stages"),
)
"""Public modules of JAX whose functions are known by their names there."""
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.MatMult: "matmul",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.Invert: "invert",
    ast.USub: "negative",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}
UNKNOWN = object()
"""The value of an expression that has to run to have one."""


def public_callees(node: ast.AST | None, variables: Mapping[str, Any]) -> tuple[str, ...]:
    """The public names of what an expression calls, outermost first: `jax.jit`, `jax.grad` of
    `jax.jit(jax.grad(f))(x)`, `jax.numpy.matmul` of `x @ y`, `jax.Array.reshape` of `x.reshape(2)`.

    Nothing is evaluated. A method of an unknown value counts as a method of an array if arrays have
    it. An operator counts only if one side is an array of JAX. An expression that reads such an
    array adds `jax.Array`."""
    parts = [part for part in ast.walk(node or ast.Pass()) if isinstance(part, ast.expr)]
    reads = ("jax.Array",) if any(_is_array(part, variables) for part in parts) else ()
    return (*_called(node, variables), *reads)


def _called(node: ast.AST | None, variables: Mapping[str, Any]) -> tuple[str, ...]:
    match node:
        case ast.Call(func=func):
            return tuple(_of_function(func, variables))
        case (
            ast.BinOp(left=one, op=op, right=other) | ast.AugAssign(target=one, op=op, value=other)
        ):
            return _operator(op, variables, one, other)
        case ast.UnaryOp(op=op, operand=operand):
            return _operator(op, variables, operand)
        case ast.Compare(left=one, ops=[op], comparators=[other]):
            return _operator(op, variables, one, other)
        case ast.Subscript(value=value) if _is_array(value, variables):
            return ("jax.Array.__getitem__",)
        case ast.Assign(targets=[ast.Subscript(value=value)]) if _is_array(value, variables):
            return ("jax.Array.__setitem__",)
    return ()


def _of_function(func: ast.expr, variables: Mapping[str, Any]) -> Iterator[str]:
    value = value_of(func, variables)
    if value is not UNKNOWN:
        yield from _names(value)
    elif isinstance(func, ast.Call):
        yield from _of_function(func.func, variables)
        for wrapped in func.args[:1]:
            yield from _of_function(wrapped, variables)
    elif isinstance(func, ast.Attribute):
        if _is_update(func.value):
            yield f"jax.Array.at.{func.attr}"
        elif hasattr(jax.Array, func.attr):
            yield f"jax.Array.{func.attr}"


def _is_update(node: ast.expr) -> bool:
    """True if a node is `x.at[i]`."""
    at = node.value if isinstance(node, ast.Subscript) else None
    return isinstance(at, ast.Attribute) and at.attr == "at"


def _operator(op: ast.AST, variables: Mapping[str, Any], *sides: ast.expr) -> tuple[str, ...]:
    name = _OPERATORS.get(type(op))
    return (f"jax.numpy.{name}",) if name and any(_is_array(s, variables) for s in sides) else ()


def _is_array(node: ast.expr, variables: Mapping[str, Any]) -> bool:
    """True if an expression is surely an array of JAX."""
    value = value_of(node, variables)
    if value is not UNKNOWN:
        return is_a(value, jax.Array, Tracer)
    match node:
        case ast.BinOp(left=one, right=other):
            return _is_array(one, variables) or _is_array(other, variables)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
            return _is_array(inner, variables)
        case ast.Call():
            return any(name.startswith("jax.") for name in _called(node, variables))
        case ast.Attribute(value=inner):
            return hasattr(jax.Array, node.attr) and _is_array(inner, variables)
    return False


def value_of(node: ast.AST | None, variables: Mapping[str, Any]) -> Any:
    """The value of a name, or of an attribute or item that can be read without running any code;
    else `UNKNOWN`."""
    match node:
        case ast.Name(id=name):
            return variables.get(name, UNKNOWN)
        case ast.Attribute(value=inner, attr=attr):
            owner = value_of(inner, variables)
            if owner is UNKNOWN:
                return UNKNOWN
            if is_a(owner, jax.Array, Tracer):
                return _Method(f"jax.Array.{attr}") if hasattr(jax.Array, attr) else UNKNOWN
            fields = class_attribute(type(owner), "_fields")
            if is_a(owner, tuple) and type(fields) is tuple and attr in fields:
                return dict(zip(fields, tuple.__iter__(owner), strict=False)).get(attr, UNKNOWN)
            return static_attribute(owner, attr, UNKNOWN)
        case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
            owner = value_of(inner, variables)
            if type(owner) in _CONTAINERS:
                with suppress(LookupError, TypeError):
                    return owner[key]
    return UNKNOWN


_CONTAINERS = Types(dict, list, tuple)
_WRAPPED = Types(MethodType, staticmethod, classmethod)


class _Method(str):
    """The public name of a method of an array."""


def is_array_method(value: Any) -> bool:
    """True if `value_of` gave a method of an array."""
    return type(value) is _Method


def _names(value: Any) -> Iterator[str]:
    """The public names of a function: one of JAX or a library, or the transformations around the
    user's function."""
    if is_array_method(value):
        yield str(value)
        return
    public = _public_names().get(id(value))
    if public:
        yield public
        return
    if is_jitted(value):
        yield "jax.jit"
    yield from (f"jax.{name}" for name in transforms(value)[0])
    kind = type(value)
    if is_library_type(kind) and id(kind) in _public_names():
        yield _public_names()[id(kind)]
    yield from _of_library(value)


def _of_library(value: Any) -> Iterator[str]:
    """The package and the qualified name, `flax.Module.apply`. For an object, those of its class
    and of the method that a call runs: `equinox.Linear`, `equinox.Linear.__call__`."""
    kind = type(value)
    called = value.__func__ if kind in _WRAPPED else value
    if not (is_class(value) or kind is FunctionType or kind is MethodType):
        yield f"{module_of(kind).partition('.')[0]}.{title_of(kind)}"
    if not is_class(called) and type(attribute(called, "__qualname__")) is not str:
        called = class_attribute(kind, "__call__")
    if is_class(called):
        module, name = module_of(called), qualified_of(called)
    else:
        module, name = attribute(called, "__module__"), attribute(called, "__qualname__")
    if type(module) is str and type(name) is str:
        yield f"{module.partition('.')[0]}.{name}"


@cache
def _public_names() -> dict[int, str]:
    """The functions and classes of JAX's public modules, by identity. They are never collected, so
    the identities stay valid."""
    found = dict[int, str]()
    for module in _MODULES:
        for name, value in vars(sys.modules.get(module, object)).items():
            if not name.startswith("_") and callable(value):
                found.setdefault(id(value), f"{module}.{name}")
    return found


def is_traced(value: Any) -> bool:
    return is_a(value, Tracer)


def is_array(value: Any) -> bool:
    return is_a(value, jax.Array, np.ndarray)


def is_key(value: Any) -> bool:
    return is_a(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def is_of(instance: Any, module: str, name: str) -> bool:
    """True for an instance of a library's class, if that library is loaded."""
    cls = getattr(sys.modules.get(module), name, None)
    return is_class(cls) and is_a(instance, cls)


def called(node: ast.AST | None) -> str:
    """The last name of the called function: `dot` of `jnp.dot(x, y)`; empty if it has none."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def option(node: ast.AST | None, name: str) -> ast.expr | None:
    """The argument that a call passes by a keyword."""
    words = node.keywords if isinstance(node, ast.Call) else []
    return next((word.value for word in words if word.arg == name), None)


def arguments(node: ast.AST | None) -> list[ast.expr]:
    """The expressions that a call passes."""
    if not isinstance(node, ast.Call):
        return []
    return [*node.args, *(word.value for word in node.keywords)]


def strings(node: ast.AST | None) -> list[ast.Constant]:
    """The texts that an expression contains."""
    found = ast.walk(node) if node is not None else ()
    return [part for part in found if isinstance(part, ast.Constant) and is_a(part.value, str)]


def own_parts(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module, without those of functions within it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            yield from own_parts(node)


def returned(node: ast.AST | None) -> ast.expr | None:
    """The expression that a function returns, if it has one `return`."""
    if isinstance(node, ast.Lambda):
        return node.body
    if not isinstance(node, ast.FunctionDef):
        return None
    found = [part for part in own_parts(node) if isinstance(part, ast.Return)]
    return found[0].value if len(found) == 1 else None
