"""What to write instead of an expression of the user's that JAX refuses to trace.

There is a function for each kind of refusal, which returns an advice. `mends` chooses the function
by the exception.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

import jax.numpy as jnp

from jaxviz.capture.failed_expression import LONGEST_EXPRESSION, FailedExpression, written


class RefusedTrace(NamedTuple):
    """An exception that a trace raised."""

    error: Exception
    text: str
    """Its message."""
    expression: FailedExpression
    """The user's expression that raised."""
    static: str
    """How to make the argument static whose value the expression needs; empty if it
    needs none."""


def either(static: str, other: str) -> str:
    return f"{static}, or {other}" if static else other


def truth(refused: RefusedTrace) -> str:
    """Python needed to know whether a traced value is true."""
    innermost = refused.expression.nodes[0] if refused.expression.nodes else None
    match innermost:
        case ast.Compare(left=left, ops=[_, _, *_], comparators=others):
            parts = [left, *others]
            pairs = zip(parts, innermost.ops, parts[1:], strict=False)
            sides = [f"({written(ast.Compare(a, [op], [b]))})" for a, op, b in pairs]
            return f"write {' & '.join(sides)}"
        case ast.Compare(ops=[ast.In() | ast.NotIn()], left=left, comparators=[right]):
            inside = f"jnp.isin({written(left)}, jnp.asarray({written(right)}))"
            return f"write {inside} in place of in"
        case ast.Call(func=ast.Name(id=called), args=[_, *_] as args) if called in _BUILTINS:
            one, more = _BUILTINS[called]
            return f"write {one if len(args) == 1 else more}({', '.join(map(written, args))})"
    return _tested(refused)


_BUILTINS = {
    "max": ("jnp.max", "jnp.maximum"),
    "min": ("jnp.min", "jnp.minimum"),
    "any": ("jnp.any", "jnp.any"),
    "all": ("jnp.all", "jnp.all"),
    "sorted": ("jnp.sort", "jnp.sort"),
}
"""For Python's own functions that compare: what to write for one argument, and for several."""


def _tested(refused: RefusedTrace) -> str:
    """A traced value is used as a condition of Python's."""
    kinds = (ast.BoolOp, ast.If, ast.While, ast.IfExp, ast.Assert)
    node = refused.expression.first(*kinds)
    negated = refused.expression.first(ast.UnaryOp)
    if isinstance(negated, ast.UnaryOp) and isinstance(negated.op, ast.Not):
        return f"write jnp.logical_not({written(negated.operand)}) in place of not"
    match node:
        case ast.BoolOp(op=op, values=values):
            word = "and" if isinstance(op, ast.And) else "or"
            sign = " & " if isinstance(op, ast.And) else " | "
            sides = sign.join(f"({written(value)})" for value in values)
            return f"write {sides} in place of {word}"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            choice = f"jnp.where({written(test)}, {written(body)}, {written(orelse)})"
            return either(refused.static, f"choose with {choice}")
        case ast.While():
            return either(refused.static, "write the loop as jax.lax.while_loop")
        case ast.Assert(test=test):
            return (
                f"check values with jax.experimental.checkify.check({written(test)}, …), or "
                "leave the assert out"
            )
        case ast.If(test=test):
            branch = f"jax.lax.cond({written(test)}, …)"
            choice = f"choose with jnp.where({written(test)}, …, …), or branch with {branch}"
            return either(refused.static, choice)
    return either(refused.static, "use jnp.where or jax.lax.cond there")


def many(refused: RefusedTrace, _: re.Match[str]) -> str:
    """An array of several truth values where Python wants one."""
    node = refused.expression.first(ast.If, ast.IfExp, ast.While, ast.Assert)
    condition = written(getattr(node, "test", None), "condition")
    return (
        f"choose for each element with jnp.where({condition}, …, …), or make it one truth value "
        f"with jnp.any or jnp.all, and branch on that with jax.lax.cond"
    )


def index(refused: RefusedTrace) -> str:
    """Python needed an integer, as for `range` or an index of a list."""
    match refused.expression.nodes:
        case [ast.Call(func=ast.Name(id="range"), args=args), *_]:
            bounds = ["0", *map(written, args)][-2:]
            loop = f"loop with jax.lax.fori_loop({', '.join(bounds)}, …)"
            return either(refused.static, loop)
        case [ast.Subscript(value=value, slice=index), *_]:
            item = f"jnp.asarray({written(value)}){_brackets(index)}"
            return either(refused.static, f"index an array: {item}")
    return either(refused.static, "keep it an array, and use jax.numpy in place of Python there")


def numpy(refused: RefusedTrace) -> str:
    """NumPy needed the values of a traced array."""
    match refused.expression.nodes:
        case [ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=called)), *_] if hasattr(
            jnp, called
        ):
            return f"write jnp.{called} in place of {module}.{called}"
    return "use jax.numpy there in place of numpy"


def mask(refused: RefusedTrace) -> str:
    """An array was indexed with a mask, so that the length of the result depends on values."""
    match refused.expression.nodes:
        case [ast.Subscript(value=value, slice=index), *_]:
            array, mask = written(value, "x"), written(index, "mask")
            return (
                f"keep the shape with jnp.where({mask}, {array}, 0), or say how many there are at "
                f"most: {array}[jnp.nonzero({mask}, size=n)]"
            )
    return "use jnp.where with three arguments, or say how many there are at most with size="


def number(refused: RefusedTrace) -> str:
    """Python needed a number, as for `float(x)` or `x.item()`."""
    match refused.expression.nodes:
        case [ast.Call(func=ast.Name(id=called), args=[value]), *_] if called in _NUMBERS:
            keep = f"write jnp.asarray({written(value)}).astype({called}), which stays an array"
            return either(refused.static, keep)
        case [ast.Call(func=ast.Attribute(value=value, attr="item")), *_]:
            return f"leave out .item(): {written(value, 'the array')} can be used as a number"
        case [ast.Call(func=ast.Attribute(attr="tolist")), *_]:
            return "leave out .tolist() there: return the array, and make the list outside"
    return either(refused.static, "pass a Python number there, such as one from x.shape")


_NUMBERS = ("int", "float", "bool", "complex")


def sized(refused: RefusedTrace, found: re.Match[str]) -> str:
    """A function's result has a length that depends on values, as that of `jnp.nonzero`."""
    called = refused.expression.nodes[0] if refused.expression.nodes else None
    known = isinstance(called, ast.Call)
    function = written(called.func) if known else "jnp.nonzero"
    option = next(filter(None, found.groups()))
    return f"say how many there are at most: {function}(…, {option}=n)"


def shape(refused: RefusedTrace, _: re.Match[str]) -> str:
    return refused.static or (
        "a shape cannot depend on the values of an array: compute it with Python, as in "
        "math.prod(x.shape)"
    )


def arange(refused: RefusedTrace, _: re.Match[str]) -> str:
    limits = "take the limits from shapes, such as x.shape[0], or mask an array of fixed length"
    return either(refused.static, limits)


def assigned(refused: RefusedTrace, _: re.Match[str]) -> str:
    """The user assigned to an element of an array."""
    methods = {ast.Add: "add", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
    node = refused.expression.first(ast.Assign, ast.AugAssign, within=3)
    match node:
        case ast.Assign(targets=[ast.Subscript(value=array, slice=index)], value=value):
            change = f"set({written(value)})"
        case ast.AugAssign(target=ast.Subscript(value=array, slice=index), value=value):
            method = methods.get(type(node.op))
            whole = f"set({written(ast.BinOp(node.target, node.op, value))})"
            change = whole if method is None else f"{method}({written(value)})"
        case _:
            return "write x = x.at[i].set(value) in place of x[i] = value"
    return f"write {written(array)} = {written(array)}.at{_brackets(index)}.{change}"


def _brackets(index: ast.expr) -> str:
    """An index in brackets: `[:, 0]`."""
    text = ast.unparse(ast.Subscript(ast.Name("_"), index))[1:]
    return text if len(text) <= LONGEST_EXPRESSION else "[…]"


def broadcast(refused: RefusedTrace, _: re.Match[str]) -> str:
    return (
        "shapes are matched from the last dimension: put in one of size 1 where one is missing, "
        "as in b[:, None]"
    )


def concatenated(refused: RefusedTrace, found: re.Match[str]) -> str:
    shapes = [tuple(map(int, re.findall(r"\d+", shape))) for shape in found[1].split("), (")]
    lengths = {len(shape) for shape in shapes}
    if len(lengths) == 1:
        differing = [
            axis for axis, sizes in enumerate(zip(*shapes, strict=True)) if len({*sizes}) > 1
        ]
        if len(differing) == 1:
            return f"they fit along the axis that differs: axis={differing[0]}"
    return "make all other dimensions equal first"


def promoted(refused: RefusedTrace, found: re.Match[str]) -> str:
    """Arguments of a function of `lax` differ in shape or dtype; `jax.numpy` would adapt them."""
    other = OF_NUMPY.get(found[1], found[1])
    if not hasattr(jnp, other):
        return "cast or reshape one of them, with .astype or .reshape"
    return f"write jnp.{other}, which makes them fit, or cast or reshape one of them"


OF_NUMPY = {"mul": "multiply", "sub": "subtract", "div": "divide", "rem": "remainder"}
"""The names in `jax.numpy` of functions of `lax`, where they differ."""


def axis(_: RefusedTrace, found: re.Match[str]) -> str:
    last = int(found[1]) - 1
    if last < 0:
        return "leave the axis out: a scalar has none"
    return f"name an axis from 0 to {last}" if last else "there is axis 0 alone: name that one"
