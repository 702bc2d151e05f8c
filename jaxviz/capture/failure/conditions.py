"""What Python decides by, written so that the program decides: `and`, `or`, `not`, a chained
comparison, `in`, and the functions of Python's that compare."""

from __future__ import annotations

import ast
from functools import reduce

from jaxviz.capture.failure.failed_call import FailedCall, is_traced
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.shown.objects import dtype_of, is_a

_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_BUILTINS = {
    "max": ("max", "maximum"),
    "min": ("min", "minimum"),
    "any": ("any", ""),
    "all": ("all", ""),
    "sorted": ("sort", ""),
}
"""For Python's functions that compare: that of `jax.numpy` for one argument, and for two."""
_TESTS = ("any", "all", "isnan", "isfinite", "isinf", "isclose", "isin", "allclose", "array_equal")


def condition(call: FailedCall, node: ast.expr) -> str:
    """A test as an expression of the program, on one line. What it has no other way for stays as it
    is written."""
    match node:
        case ast.BoolOp(op=op, values=values):
            sides = [condition(call, value) for value in values]
            if all(is_truth(call, value) for value in values):
                sign = " & " if isinstance(op, ast.And) else " | "
                pairs = zip(values, sides, strict=True)
                return sign.join(_bracketed(value, side) for value, side in pairs)
            both = "logical_and" if isinstance(op, ast.And) else "logical_or"
            return reduce(lambda one, other: f"{call.jnp}.{both}({one}, {other})", sides)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"{call.jnp}.logical_not({condition(call, operand)})"
        case ast.Compare(ops=[_, _, *_]) if all(type(op) in _SIGNS for op in node.ops):
            return _chained(call, node)
        case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
            found = _contained(call, node.left, right)
            positive = isinstance(op, ast.In) or not found
            return (found if positive else f"{call.jnp}.logical_not({found})") or call.line(node)
        case ast.Call(func=ast.Name(id="bool"), args=[value], keywords=[]):
            return condition(call, value)
        case ast.Call():
            return compared(call, node) or call.line(node)
    return call.line(node)


def is_truth(call: FailedCall, node: ast.expr) -> bool:
    """Whether a value is surely true or false, and no number: `&` counts in bits."""
    match node:
        case ast.Compare() | ast.Constant(value=bool()) | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=parts):
            return all(is_truth(call, part) for part in parts)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return is_truth(call, left) and is_truth(call, right)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return is_truth(call, operand)
        case ast.Call(func=ast.Attribute(attr=called)):
            return called in _TESTS or called.startswith("logical_")
        case ast.Call(func=ast.Name(id="any" | "all" | "bool")):
            return True
        case ast.Name(id=name):
            value = call.held.get(name)
            return is_a(value, bool) or dtype_of(value) == "bool"
    return False


def _bracketed(node: ast.expr, text: str) -> str:
    """A side of `&`, which binds closer than a comparison does."""
    simple = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.UnaryOp)
    return text if simple else f"({text})"


def _chained(call: FailedCall, node: ast.Compare) -> str:
    """Each comparison of a chain by itself."""
    parts = [node.left, *node.comparators]
    sides = zip(parts, node.ops, parts[1:], strict=False)
    return " & ".join(f"({call.line(a)} {_SIGNS[type(op)]} {call.line(b)})" for a, op, b in sides)


def _contained(call: FailedCall, left: ast.expr, right: ast.expr) -> str:
    """`x in xs`, where it is known that `xs` can be an array; else empty."""
    held = call.held.get(right.id) if isinstance(right, ast.Name) else None
    listed = isinstance(right, ast.List | ast.Tuple) or is_a(held, list, tuple)
    if not listed and not _is_array(call, right):
        return ""
    return f"{call.jnp}.isin({call.line(left)}, {as_array(call, right)})"


def compared(call: FailedCall, node: ast.Call) -> str:
    """A call of `max`, `any` and their like, as one of `jax.numpy`; empty where it is none."""
    match node:
        case ast.Call(func=ast.Name(id=called), args=args, keywords=[]) if (
            called in _BUILTINS
            and called not in call.held
            and not any(isinstance(part, ast.Starred) for part in args)
        ):
            one, two = _BUILTINS[called]
            match args:
                case [value]:
                    return f"{call.jnp}.{one}({as_array(call, value)})"
                case [first, second] if two:
                    return f"{call.jnp}.{two}({call.line(first)}, {call.line(second)})"
                case [_, _, *_] if two:
                    listed = ", ".join(map(call.line, args))
                    return f"{call.jnp}.{one}({call.jnp}.asarray([{listed}]))"
    return ""


def as_array(call: FailedCall, node: ast.expr) -> str:
    """An expression that may be a list or a generator, as an array."""
    text = call.line(node)
    if isinstance(node, ast.GeneratorExp):
        text = f"[{ast.unparse(node)[1:-1]}]"
    return text if _is_array(call, node) else f"{call.jnp}.asarray({text})"


def _is_array(call: FailedCall, node: ast.expr) -> bool:
    """Whether an expression is surely an array."""
    match node:
        case ast.Compare(ops=[op], left=left, comparators=[right]) if type(op) in _SIGNS:
            return _is_array(call, left) or _is_array(call, right)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=called)) if (
            called != "tolist" and is_traced(call.held.get(name))
        ):
            return True
    found = type_of(node, call.held)
    return found is not None and not isinstance(node, ast.Constant)
