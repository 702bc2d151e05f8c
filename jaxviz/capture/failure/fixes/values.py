"""Fixes for a traced value that Python or NumPy needs as a number, an integer, an array of numbers,
a mask or a size."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxviz.capture.failure.code import called, is_traced
from jaxviz.capture.failure.failed_call import SAME, FailedCall, sketch
from jaxviz.capture.failure.fixes.loops import as_program_loop
from jaxviz.capture.failure.fixes.statics import static_fix
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.shown.objects import attribute, is_a
from jaxviz.schema import Fix
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence

_NUMBERS = ("int", "float", "complex", "bool")


def number(call: FailedCall) -> Iterator[Fix]:
    """Python needed a number, as for `float(x)`, `x.item()` or `math.sin(x)`."""
    node = call.node
    match node:
        case ast.Call(func=ast.Name(id="int")) if static := static_fix(call, node):
            yield static
        case ast.Call(func=ast.Name(id="int") | ast.Attribute(attr="item")) if _is_size(call):
            yield sketch("take sizes from shapes")
        case ast.Call(func=ast.Name(id=called), args=[value]) if called in _NUMBERS:
            title = sentence("an array of that dtype", called=called)
            made = [_array_of(call, part) for part in _alike(call, node)]
            yield call.fix(title, _array_of(call, node), *made)
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[]):
            yield call.fix("without item it is used", (node, call.text(value)))
        case ast.Call(func=ast.Attribute(attr="tolist")):
            yield sketch("return the array and make")
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=module), attr=called), args=args, keywords=[]
        ) if call.variables.get(module) is math and _MATH.get(called) == len(args):
            new, old = f"{call.jnp}.{called}", f"{module}.{called}"
            text = f"{new}({', '.join(map(call.text, args))})"
            whole = f"{text}.astype(int)" if called in ("floor", "ceil", "trunc") else text
            yield call.fix(
                sentence("value in place of called", value=new, called=old), (node, whole)
            )


def _is_size(call: FailedCall) -> bool:
    """True if the call is a size or a bound: `jnp.zeros((int(n), 2))`, `x[: int(n)]`."""
    for inner, outer in pairwise(call.nodes):
        match outer:
            case ast.Tuple() | ast.List() | ast.BinOp() | ast.UnaryOp():
                continue
            case ast.Slice() | ast.keyword(arg="shape" | "size" | "num"):
                return True
            case ast.Call(args=args) if called(outer) in _SIZES:
                place = _SIZES[called(outer)]
                return place is None or inner in args[place : place + 1]
        return False
    return False


_SIZES = {
    **dict.fromkeys(("arange", "empty", "eye", "identity", "ones", "range", "reshape", "zeros")),
    "full": 0,
    "array_split": 1,
    "broadcast_to": 1,
    "split": 1,
    "tile": 1,
    "linspace": 2,
}
"""The functions that take sizes: at this place, or at all places."""


def _array_of(call: FailedCall, node: ast.Call) -> tuple[ast.expr, str]:
    """The edit of `float(x)` to an array."""
    return node, f"{call.operand(node.args[0])}.astype({call.text(node.func)})"


def _alike(call: FailedCall, node: ast.Call) -> list[ast.Call]:
    """Other calls of the same function in the statement that need a traced value, too."""
    calls = [part for part in ast.walk(call.statement or node) if isinstance(part, ast.Call)]
    return [
        part
        for part in calls
        if part is not node
        and len(part.args) == 1
        and call.text(part.func) == call.text(node.func)
        and any(is_traced(call.variables.get(name)) for name in call.names(part))
        and type_of(part.args[0], call.variables) is not None
    ]


_ONE = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh degrees exp exp2 expm1 fabs floor isfinite"
    " isinf isnan log log10 log1p log2 radians sin sinh sqrt tan tanh trunc"
)
_TWO = "atan2 copysign fmod gcd hypot lcm nextafter pow"
_MATH = {
    called: count
    for names, count in ((_ONE, 1), (_TWO, 2))
    for called in names.split()
    if hasattr(jnp, called)
}
"""Functions of `math` that `jax.numpy` has too, with their number of arguments."""


def integer(call: FailedCall) -> Iterator[Fix]:
    """Python needed an integer, as for `range` or an index of a list."""
    static = static_fix(call, call.node)
    if static is not None:
        yield static
        return
    match call.node:
        case ast.Call(func=ast.Name(id="range")):
            outer = call.nodes[1:2]
            loops = [part for part in outer if isinstance(part, ast.For)]
            made = as_program_loop(call, loops[0]) if loops else None
            yield made or sketch("loop within the program jax.lax.fori_loop")
        case ast.Subscript(value=value) if _can_be_array(call, value):
            array = f"{call.jnp}.asarray({call.text(value)})"
            yield call.fix("index an array in place", (value, array))
        case ast.Subscript():
            yield sketch("index an array or choose")


def _can_be_array(call: FailedCall, node: ast.expr) -> bool:
    """True if a list surely has numbers, or arrays of one shape."""
    match node:
        case ast.Call(func=ast.Name(id="range")):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            types = [type_of(part, call.variables) for part in parts]
            return len({one and one.shape for one in types}) == 1 and None not in types
        case ast.Name(id=name):
            value = call.variables.get(name)
            if is_a(value, list, tuple):
                shapes = {attribute(one, "shape", _shape(one)) for one in value}
                return len(shapes) == 1 and None not in shapes
            return is_a(value, range)
    return False


def _shape(value: Any) -> tuple[int, ...] | None:
    return () if is_a(value, bool, int, float) else None


def numpy(call: FailedCall) -> Iterator[Fix]:
    """NumPy needed the values of a traced array. NumPy's functions around it would need them,
    too."""
    if _needs_values(call, call.node):
        yield sketch("do this outside of the function")
        return
    outer = (node for node in call.nodes if isinstance(node, ast.expr))
    calls = [node for node in outer if _numpys(call, node)]
    whole = calls[-1] if calls else call.node
    found = [name for part in ast.walk(whole) for name in _numpys(call, part)] if whole else []
    if found:
        title = sentence("value in place of called", value=call.jnp, called=call.np)
        yield call.fix(title, *((name, call.jnp) for name in found))


_BY_VALUE = re.compile(
    "array2string|array_repr|array_str|load|save|savetxt|savez|savez_compressed"
    "|argwhere|bincount|extract|flatnonzero|nonzero|trim_zeros"
    r"|unique\w*|intersect1d|setdiff1d|setxor1d|union1d"
)
"""NumPy's functions that write values, or whose result has a size that depends on values."""


def _needs_values(call: FailedCall, node: ast.AST | None) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=called)):
            return call.variables.get(module) is np and bool(_BY_VALUE.fullmatch(called))
    return False


def _numpys(call: FailedCall, node: ast.AST) -> list[ast.Name]:
    """The name of NumPy in a call of a function that `jax.numpy` has, too."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module) as name, attr=called)):
            return [name] if call.variables.get(module) is np and hasattr(jnp, called) else []
    return []


def mask(call: FailedCall) -> Iterator[Fix]:
    """An array was indexed with a mask."""
    match call.node:
        case ast.Subscript(value=array, slice=at) if _fits(call, array, at):
            x, mask = call.text(array), call.text(at)
            for reduced, called in _reduced(call):
                start = _EMPTY.get(called, "").format(call.jnp)
                change = (reduced, f"{x}.{called}(where={mask}{start})")
                differs = sentence("Where the mask keeps") if start else NOTHING
                yield call.fix("reduce what the mask", change, differs=differs, promise=SAME)
                return
            chosen = f"{call.jnp}.where({mask}, {x}, 0)"
            differs = sentence("The shape stays as it is with 0")
            yield call.fix("the same shape filled", (call.node, chosen), differs=differs)
            sized = f"{x}[{call.jnp}.nonzero({mask}, size={_size(call, at)})]"
            title = sentence("say how many there are at most size=")
            yield call.fix(title, (call.node, sized), differs="The elements come first")


def _reduced(call: FailedCall) -> list[tuple[ast.Call, str]]:
    """The reduction that the masked array goes into, `x[m].sum()`, and its name."""
    match call.nodes[1:3]:
        case [ast.Attribute(attr=called), ast.Call(args=[], keywords=[]) as whole]:
            return [(whole, called)] if called in _REDUCTIONS or _of_floats(call, called) else []
    return []


def _of_floats(call: FailedCall, called: str) -> bool:
    """True for the `max` or `min` of floats, whose value for no elements is infinity."""
    array = type_of(call.node.value, call.variables)
    return called in _EMPTY and array is not None and jnp.issubdtype(array.dtype, jnp.floating)


def _fits(call: FailedCall, array: ast.expr, at: ast.expr) -> bool:
    """True unless a mask surely has another number of axes than the array."""
    one, mask = type_of(array, call.variables), call.needed
    unlike = one is not None and mask is not None and len(one.shape) != mask.ndim
    return not isinstance(at, ast.Tuple) and not unlike


_REDUCTIONS = ("sum", "mean", "prod", "any", "all", "std", "var")
_COUNTED = ("nonzero", "where", "flatnonzero")
_SIZED = (*_COUNTED, "unique", "argwhere", "unique_values")
_EMPTY = {"max": ", initial=-{}.inf", "min": ", initial={}.inf"}


def shape_by_value(call: FailedCall) -> Iterator[Fix]:
    """A size depends on a value."""
    match call.node:
        case ast.Subscript(slice=cut):
            static = static_fix(call, *_scalars(call, cut))
            yield static or sketch("take a slice of fixed")
            return
        case (
            ast.Call(args=[one, *_])
            | ast.Call(func=ast.Attribute(value=one, attr="nonzero"), args=[], keywords=[])
        ) if called(call.node) in _SIZED:
            yield _fixed_size(call, one)
            return
    found = _computed_by_jnp(call) or static_fix(call, *_scalars(call, call.node))
    if found is not None:
        yield found


def _scalars(call: FailedCall, node: ast.AST | None) -> list[ast.AST]:
    """The names of traced integers within a node: sizes are made from these."""
    found = ast.walk(node) if node is not None else ()
    names = (part for part in found if isinstance(part, ast.Name))
    return [part for part in names if _is_integer(call.variables.get(part.id))]


def _is_integer(value: Any) -> bool:
    return is_traced(value) and value.ndim == 0 and jnp.issubdtype(value.dtype, jnp.integer)


def _fixed_size(call: FailedCall, array: ast.expr) -> Fix:
    """Counts the elements that are not zero, if only their number is used; else gives the result a
    fixed size."""
    counted = _counted(call)
    if counted is not None:
        by = f"{call.jnp}.count_nonzero"
        change = (counted, f"{by}({call.text(array)})")
        return call.fix(sentence("count within the program", by=by), change)
    option = f"size={_size(call, array)}"
    title = sentence("say how many there are at most option", option=option)
    differs = sentence("The result always has that size")
    return call.fix(title, call.with_argument(call.node, option), differs=differs)


def _counted(call: FailedCall) -> ast.expr | None:
    """The expression that counts the results of `nonzero(…)`: `len(…[0])`."""
    for part in call.nodes:
        match part:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Subscript(value=found)]):
                pass
            case ast.Subscript(
                value=ast.Attribute(attr="shape", value=ast.Subscript(value=found)),
                slice=ast.Constant(value=0),
            ):
                pass
            case ast.Attribute(attr="size", value=ast.Subscript(value=found)):
                pass
            case _:
                continue
        if found is call.node and called(found) in _COUNTED:
            return part
    return None


def _size(call: FailedCall, array: ast.expr) -> str:
    text = call.text(array)
    simple = isinstance(array, ast.Name | ast.Attribute | ast.Call)
    return f"{text}.size" if simple else f"({text}).size"


def _computed_by_jnp(call: FailedCall) -> Fix | None:
    """`jnp.array(x.shape).prod()`, which is known while tracing if NumPy computes it."""
    for part in ast.walk(call.node) if call.node is not None else ():
        match part:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(args=[ast.Attribute(attr="shape") as shape]),
                    attr="prod" | "sum" | "max" | "min" as called,
                ),
                args=[],
            ):
                text = f"int({call.np}.{called}({call.text(shape)}))"
                return call.fix("NumPy for what is known", (part, text))
    return None
