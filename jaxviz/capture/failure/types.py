"""What type an expression of the user's would have, as far as its text and the frame's variables
tell: nothing is evaluated."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxviz.capture.shown.objects import attribute, is_a

REDUCTIONS = ("sum", "mean", "max", "min", "prod", "std", "var")
ELEMENTWISE = (
    *(
        "abs",
        "absolute",
        "cos",
        "exp",
        "expm1",
        "log",
        "log1p",
        "negative",
        "sin",
        "sqrt",
        "square",
    ),
    *("tan", "tanh", "sinh", "cosh", "sign", "reciprocal"),
)


def type_of(node: ast.AST | None, held: Mapping[str, Any]) -> jax.ShapeDtypeStruct | None:
    """Shape and dtype of an expression; None where they cannot be told for sure."""
    try:
        return _type(node, held)
    except (TypeError, ValueError):
        return None


def _type(node: ast.AST | None, held: Mapping[str, Any]) -> jax.ShapeDtypeStruct | None:
    match node:
        case ast.Constant(value=bool() | int() | float() | complex() as value):
            return _weak(value)
        case ast.Name(id=name) if is_a(held.get(name), jax.ShapeDtypeStruct):
            return held[name]
        case ast.Name(id=name) if is_a(held.get(name), jax.Array, np.ndarray):
            array = held[name]
            return jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=_is_weak(array))
        case ast.Name(id=name) if is_a(held.get(name), bool, int, float):
            return _weak(held[name])
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _type(operand, held)
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() | ast.Mult()):
            return _together(_type(left, held), _type(right, held))
        case ast.BinOp(left=left, right=right, op=ast.Div()):
            found = _together(_type(left, held), _type(right, held))
            return found if found is not None and jnp.issubdtype(found.dtype, jnp.inexact) else None
        case ast.Call(func=ast.Attribute(value=array, attr=called), args=[], keywords=[]) if (
            called in REDUCTIONS
        ):
            return _scalar(_type(array, held))
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr=called), args=[one], keywords=[]
        ) if called in ELEMENTWISE:
            found = _type(one, held)
            return found if found is not None and jnp.issubdtype(found.dtype, jnp.inexact) else None
    return None


def _weak(value: complex) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((), jnp.result_type(type(value)), weak_type=not is_a(value, bool))


def _is_weak(array: Any) -> bool:
    return bool(attribute(attribute(array, "aval"), "weak_type", False))


def _scalar(array: jax.ShapeDtypeStruct | None) -> jax.ShapeDtypeStruct | None:
    if array is None or not jnp.issubdtype(array.dtype, jnp.inexact):
        return None
    return jax.ShapeDtypeStruct((), array.dtype, weak_type=array.weak_type)


def _together(
    one: jax.ShapeDtypeStruct | None, other: jax.ShapeDtypeStruct | None
) -> jax.ShapeDtypeStruct | None:
    """The type of two operands that are broadcast and promoted."""
    if one is None or other is None:
        return None
    shape = np.broadcast_shapes(one.shape, other.shape)
    return jax.ShapeDtypeStruct(
        shape, jnp.result_type(one, other), weak_type=one.weak_type and other.weak_type
    )


def alike(one: jax.ShapeDtypeStruct | None, other: jax.ShapeDtypeStruct | None) -> bool:
    """Whether a choice between both surely has the type of either: a number of Python's fits a
    scalar whose dtype it does not change."""
    if one is None or other is None or one.shape != other.shape:
        return False
    if one.dtype == other.dtype:
        return True
    return (one.weak_type or other.weak_type) and jnp.result_type(one, other) in (
        (one.dtype, other.dtype)[one.weak_type],
    )
