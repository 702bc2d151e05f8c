"""Fixes for Python's numbers where JAX needs others: added to keys, too large for an integer,
bounds of a loop. And for checks that nobody collects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.failure import callee
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.reading import is_key, spelled, with_line
from jaxviz.capture.failure.placing import cast_number, jax_name
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.failure.written import called, tree, value_of
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import sentence


def folded(call: FailedCall) -> Iterator[Mend]:
    """`jax.random.fold_in(key, 1)` for `key + 1`."""
    match call.node:
        case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
            keys = [node for node in (one, other) if _is_key(call, node)]
            numbers = [node for node in (one, other) if _is_scalar(call, node, jnp.integer)]
            if len(keys) == len(numbers) == 1:
                made = f"{jax_name(call)}.random.fold_in"
                text = f"{made}({call.text(keys[0])}, {call.text(numbers[0])})"
                before = f"{call.text(one)} = " if isinstance(call.node, ast.AugAssign) else ""
                yield edited(
                    call, sentence("a new key made", made=made), (call.node, before + text)
                )
                return
    yield sketch(sentence("draw numbers with the key"))


def _is_key(call: FailedCall, node: ast.expr) -> bool:
    held = value_of(call, node)
    if isinstance(node, ast.Call):
        return value_of(call, node.func) in (jax.random.key, jax.random.fold_in)
    return is_key(held) and held.shape == ()


def _is_scalar(call: FailedCall, node: ast.expr, kind: type) -> bool:
    found = type_of(node, call.held)
    return found is not None and found.shape == () and jnp.issubdtype(found.dtype, kind)


_TOO_LARGE = re.compile(r"Python int\w* -?\d+ (?:too large to convert to|out of bounds for) (\w+)")
_WIDE = "jax_enable_x64"


def overflow(call: FailedCall) -> Iterator[Mend]:
    """A number of Python's for which an integer of JAX has no room."""
    found, node = _TOO_LARGE.search(message_of(call.error)), call.node
    match node:
        case ast.BinOp(left=one, right=other):
            for array, number in ((one, other), (other, one)):
                known = type_of(array, call.held)
                if known is not None and jnp.issubdtype(known.dtype, jnp.floating):
                    change = (number, f"float({call.text(number)})")
                    yield edited(call, sentence("a float as the array"), change)
                    return
        case ast.Call(args=[seed]) if "C long" in message_of(call.error):
            text = f"{_in_brackets(call, seed)} % 2**32"
            differs = sentence("The seed is another")
            yield edited(call, sentence("a seed of 32"), (seed, text), differs=differs)
            return
    dtype = found[1] if found else ""
    if dtype in call.text(node) and hasattr(np, dtype):
        limits = np.iinfo(dtype)
        yield sketch(
            sentence("dtype has the numbers", dtype=dtype, min=str(limits.min), max=str(limits.max))
        )
    elif abs(_number(call)) < 2**63 and not _is_narrow(call):
        yield _with_64_bits(call)
    else:
        yield sketch(sentence("pass a float or turn on 64", wide=_WIDE))


def _in_brackets(call: FailedCall, node: ast.expr) -> str:
    """A number as the left operand of a product."""
    return call.text(node) if isinstance(node, ast.Constant) else call.operand(node)


def _number(call: FailedCall) -> int:
    """The number that is too large; a larger one if it is not known."""
    found = re.search(r"Python int\w* (-?\d+)|with value (-?\d+)", message_of(call.error))
    if found:
        return int(found[1] or found[2])
    written = [part.value for part in ast.walk(call.node) if isinstance(part, ast.Constant)]
    return max((one for one in written if is_a(one, int)), default=2**64)


def _is_narrow(call: FailedCall) -> bool:
    """Whether 64 bits change nothing: an array has its dtype from an earlier cell, or by name."""
    arrays = [n for n in call.names(call.node) if is_a(call.held.get(n), jax.Array)]
    stores = {
        part.id
        for part in ast.walk(tree(call))
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return "int32" in call.failed.source or any(name not in stores for name in arrays)


def _with_64_bits(call: FailedCall) -> Mend:
    """The option, above the first line of the cell that is no import."""
    body = tree(call).body
    first = next(part for part in body if not isinstance(part, ast.Import | ast.ImportFrom))
    at = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))])
    text = f'{jax_name(call)}.config.update("{_WIDE}", True)'
    differs = sentence("All numbers may have")
    return with_line(call, sentence("integers of 64 bits", wide=_WIDE), at, text, differs)


_BOUNDS = re.compile(r"must have equal types, got (\w+) and (\w+)")
CUT = sentence("A number that is not")


def bounds(call: FailedCall) -> Iterator[Mend]:
    """The bounds of `fori_loop` as integers of one dtype."""
    found = _BOUNDS.search(message_of(call.error))
    match call.node:
        case ast.Call(args=[lower, upper, *_]) if found is not None:
            kinds = [*zip((lower, upper), map(jnp.dtype, found.groups()), strict=True)]
            floats = [node for node, kind in kinds if not jnp.issubdtype(kind, jnp.integer)]
            if floats:
                made = [_whole(call, node) for node in floats]
                differs = next((one for _, _, one in made if one), NOTHING)
                changes = [(node, text) for node, text, _ in made]
                yield edited(call, sentence("whole numbers as bounds"), *changes, differs=differs)
                return
            both = jnp.promote_types(*(kind for _, kind in kinds))
            whole = both if both in found.groups() else jnp.dtype("int32")
            changes = [
                (node, cast_number(call, node, whole.name)) for node, kind in kinds if kind != whole
            ]
            yield edited(call, sentence("bounds of one dtype", name=whole.name), *changes)


def _whole(call: FailedCall, node: ast.expr) -> tuple[ast.expr, str, Sentence]:
    """A bound that is a float, as an integer; and how that may differ."""
    match node:
        case ast.Constant(value=float() as value) if value.is_integer():
            return node, str(int(value)), NOTHING
        case ast.BinOp(left=one, op=ast.Div(), right=other) if all(
            _is_scalar(call, part, jnp.integer) for part in (one, other)
        ):
            return node, f"{call.text(one)} // {call.text(other)}", NOTHING
    if is_a(value_of(call, node), jax.Array):
        return node, f"{call.operand(node)}.astype(int)", CUT
    return node, f"{call.jnp}.asarray({call.text(node)}, int)", CUT


def checked(call: FailedCall) -> Iterator[Mend]:
    """The call within `checkify.checkify`, and what it found is raised."""
    statement = call.statement
    name = spelled(call, "jax.experimental.checkify", "checkify")
    name = name or f"{jax_name(call)}.experimental.checkify.checkify"
    match statement:
        case ast.Expr(value=value) if value is call.node:
            target, last = "result", ["result"]
        case ast.Return(value=value) if value is call.node:
            target, last = "result", ["return result"]
        case ast.Assign(targets=[to], value=value) if value is call.node:
            target = f"({call.text(to)})" if isinstance(to, ast.Tuple) else call.text(to)
            last = []
        case _:
            yield sketch(sentence("collect what the checks find"))
            return
    made = _collected(call, name)
    lines = [f"error, {target} = {made}", "error.throw()", *last]
    text = f"\n{' ' * statement.col_offset}".join(lines)
    yield edited(call, sentence("collect what the checks"), (statement, text))


def _collected(call: FailedCall, name: str) -> str:
    """The failing call within `checkify`: that of a jitted function directly."""
    node, static = call.node, "static_arg" in call.failed.source
    jitted = is_jitted(callee.value_of(node.func, call.held)) or (
        isinstance(node.func, ast.Call) and called(node.func) == "jit"
    )
    if jitted and not static:
        function = call.text(node.func)
        return f"{name}({function}){call.text(node)[len(function) :]}"
    return f"{name}(lambda: {call.text(node)})()"
