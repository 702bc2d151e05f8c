"""Mends for Python's own loops: a `while` on a traced value and a `for` over a traced range become
loops of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
from jax import ShapeDtypeStruct

from jaxviz.capture.failure.edits import SAME, edited
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend
from jaxviz.sentences import in_a_row, sentence

LONGEST_LINE = 100
NOTE = sentence("It cannot be differentiated")
ARRAYS = in_a_row([sentence("Each name has to keep"), NOTE])


class Loop(NamedTuple):
    """A loop whose body sets names and does nothing else."""

    body: list[ast.Assign | ast.AugAssign]
    carried: list[str]
    """Names that the body sets, and that were there before."""
    reads: str
    """The condition of a `while`, or the bounds of a `for`."""
    counter: str
    """The name that a `for` sets; empty for a `while`."""


def as_program_loop(call: FailedCall, owner: ast.While | ast.For) -> Mend | None:
    """The loop as `while_loop` or `fori_loop`; None where that is not sure to be the same."""
    loop = _loop(call, owner)
    if loop is None:
        return None
    kind = "while_loop" if isinstance(owner, ast.While) else "fori_loop"
    title = sentence("loop within the program", by=f"{call.lax}.{kind}")
    same = _keeps_types(call, loop)
    change = (owner, _written(call, owner, loop, f"{call.lax}.{kind}"))
    if same:
        return edited(call, title, change, differs=NOTE, promise=SAME)
    return edited(call, title, change, differs=ARRAYS)


def _loop(call: FailedCall, owner: ast.While | ast.For) -> Loop | None:
    function, reads = call.failed.function(), _reads(call, owner)
    body = [part for part in owner.body if isinstance(part, ast.Assign | ast.AugAssign)]
    if reads is None or owner.orelse or len(body) < len(owner.body) or function is None:
        return None
    targets = [part.target if isinstance(part, ast.AugAssign) else part.targets for part in body]
    if any(isinstance(part, ast.Attribute | ast.Subscript | ast.Starred) for part in _in(targets)):
        return None
    stored = dict.fromkeys(_names(owner.body, ast.Store))
    index = getattr(owner, "target", ast.Name("")).id
    known = {parameter.arg for parameter in function.args.args} | {
        part.id for part in _names_in(function, ast.Store) if part.lineno < owner.lineno
    }
    carried = [name for name in stored if name in known]
    own = {*stored, index} - {*carried}
    later = {
        part.id
        for part in _names_in(function, ast.Load)
        if part.lineno > (owner.end_lineno or owner.lineno)
    }
    whole = carried and not own & later and index not in stored
    return Loop(body, carried, reads, index) if whole else None


def _reads(call: FailedCall, owner: ast.While | ast.For) -> str | None:
    """The condition, or the bounds, as text; None where it is not a plain one."""
    match owner:
        case ast.While(test=test):
            odd = (ast.BoolOp, ast.NamedExpr, ast.Not)
            chained = [part for part in ast.walk(test) if isinstance(part, ast.Compare)]
            if any(isinstance(part, odd) for part in ast.walk(test)) or any(
                len(part.ops) > 1 for part in chained
            ):
                return None
            return call.text(test)
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=bounds), target=ast.Name()):
            texts = [call.text(bound) for bound in bounds]
            return ", ".join(["0", *texts][-2:]) if len(bounds) < 3 else None
    return None


def _written(call: FailedCall, owner: ast.While | ast.For, loop: Loop, function: str) -> str:
    """The loop as a call of a function of `lax`, on one line where it fits."""
    bare = len(loop.carried) == 1
    state = loop.carried[0] if bare else f"({', '.join(loop.carried)})"
    given = f"{loop.counter}, " if loop.counter else ""
    match loop.body:
        case [ast.Assign(targets=[ast.Name()], value=value)] if bare:
            first = f"{loop.reads}, " if given else f"lambda {state}: {loop.reads}, "
            line = (
                f"{state} = {function}({first}lambda {given}{state}: {call.text(value)}, {state})"
            )
            if len(line) + owner.col_offset <= LONGEST_LINE and "\n" not in line:
                return line
    cond, body = _free(call, "cond"), _free(call, "body")
    parts = [] if given else [*_function(cond, "", loop.carried, [f"return {loop.reads}"])]
    lines = [call.text(part) for part in loop.body]
    parts += _function(body, given, loop.carried, [*lines, f"return {', '.join(loop.carried)}"])
    first = f"{loop.reads}, " if given else f"{cond}, "
    parts.append(f"{', '.join(loop.carried)} = {function}({first}{body}, {state})")
    return f"\n{' ' * owner.col_offset}".join(parts)


def _function(name: str, given: str, carried: list[str], lines: list[str]) -> Iterator[str]:
    """A function of the state, line by line."""
    if len(carried) == 1:
        yield f"def {name}({given}{carried[0]}):"
    else:
        yield f"def {name}({given}state):"
        yield f"    {', '.join(carried)} = state"
    yield from (f"    {line}" for line in lines)


def _keeps_types(call: FailedCall, loop: Loop) -> bool:
    """Whether each name surely has after a step the type that it had before."""
    before = {name: type_of(ast.Name(name, ast.Load()), call.held) for name in loop.carried}
    held: dict[str, Any] = {**call.held, **before}
    if loop.counter:
        held[loop.counter] = ShapeDtypeStruct((), jax.numpy.result_type(int))
    for part in loop.body:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                held[name] = type_of(value, held)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                held[name] = type_of(whole, held)
            case _:
                return False
    return all(_alike(one, held[name]) for name, one in before.items())


def _alike(one: ShapeDtypeStruct | None, other: ShapeDtypeStruct | None) -> bool:
    if one is None or other is None:
        return False
    return (one.shape, one.dtype) == (other.shape, other.dtype)


def _free(call: FailedCall, name: str) -> str:
    """A name that the function has no other use for."""
    function = call.failed.function()
    return name if function and name not in call.names(function) else f"{name}_"


def _in(nodes: Sequence[Any]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from _in(node) if is_a(node, list) else ast.walk(node)


def _names(nodes: Sequence[ast.AST], context: type[ast.expr_context]) -> list[str]:
    return [part.id for node in nodes for part in _names_in(node, context)]


def _names_in(node: ast.AST, context: type[ast.expr_context]) -> list[ast.Name]:
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return [part for part in found if isinstance(part.ctx, context)]
