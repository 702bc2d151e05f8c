"""Mends that choose between two sides within the program: those of an `if`, or of a choice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from jaxviz.capture.failure.conditions import condition
from jaxviz.capture.failure.edits import OTHER, SAME, edited, joined, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.types import alike, type_of
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import in_a_row, sentence

BOTH = sentence("Both sides are computed")
UNLIKE = sentence("The sides may have")
EACH = sentence("Each element is chosen by its own")
EQUAL = sentence("Both sides have to return")
Sides = tuple[str, ast.expr, ast.expr]
"""What stands before the choice (`return `, `y = `), and both sides."""
_TREES = (ast.Tuple, ast.List, ast.Dict)


def branches(call: FailedCall, owner: ast.If, of_many: bool) -> Iterator[Mend]:
    """An `if` with one statement on each side, which both return or both assign to one name."""
    after = _next_statement(call, owner)
    match owner.body, owner.orelse, after:
        case [ast.Return(value=ast.expr() as one)], [ast.Return(value=ast.expr() as other)], _:
            yield chosen(call, owner, owner, ("return ", one, other), of_many)
        case [ast.Return(value=ast.expr() as one)], [], ast.Return(value=ast.expr() as other):
            yield chosen(call, owner, joined(owner, after), ("return ", one, other), of_many)
        case [ast.Assign(targets=[ast.Name(id=name) as target], value=one)], [], _:
            if call.is_local(name):
                yield chosen(call, owner, owner, (f"{name} = ", one, target), of_many)
        case [ast.AugAssign(target=ast.Name(id=name) as target) as step], [], _:
            if call.is_local(name):
                whole = ast.BinOp(target, step.op, step.value)
                yield chosen(call, owner, owner, (f"{name} = ", whole, target), of_many)
        case (
            [ast.Assign(targets=[ast.Name(id=name)], value=one)],
            [ast.Assign(targets=[ast.Name(id=same)], value=other)],
            _,
        ) if same == name:
            yield chosen(call, owner, owner, (f"{name} = ", one, other), of_many)


def _next_statement(call: FailedCall, owner: ast.If) -> ast.stmt | None:
    """The statement after an `if`."""
    for around in call.failed.known.nodes:
        body = getattr(around, "body", None)
        if is_a(body, list) and owner in body:
            return next(iter(body[body.index(owner) + 1 :]), None)
    return None


def chosen(
    call: FailedCall,
    owner: ast.If | ast.IfExp,
    replaced: ast.expr | ast.stmt,
    sides: Sides,
    of_many: bool,
) -> Mend:
    """The choice within the program, with what it promises."""
    before, one, other = sides
    if any(_is_function(call, side) for side in (one, other)):
        return sketch(sentence("choose between what functions"))
    if any(_is_no_value(call, side) for side in (one, other)):
        return sketch(sentence("let both sides be arrays"))
    test = condition(call, owner.test)
    if isinstance(one, _TREES) or isinstance(other, _TREES):
        pairs = _pairs(one, other)
        if of_many or pairs is None:
            return sketch(sentence("let both sides be arrays"))
        same = all(alike(type_of(a, call.held), type_of(b, call.held)) for a, b in pairs)
        name = f"{call.lax}.cond"
        text = f"{name}({test}, lambda: {_written(call, one)}, lambda: {_written(call, other)})"
        title, differs = (
            sentence("branch within the program", name=name),
            NOTHING if same else EQUAL,
        )
    else:
        same = alike(type_of(one, call.held), type_of(other, call.held))
        text = f"{call.jnp}.where({test}, {_written(call, one)}, {_written(call, other)})"
        title = sentence("choose within the program jnp.where", jnp=call.jnp)
        differs = EACH if of_many else BOTH if same else in_a_row([UNLIKE, BOTH])
    promise = SAME if same and not of_many else OTHER
    return edited(call, title, (replaced, before + text), differs=differs, promise=promise)


def _pairs(one: ast.expr, other: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """The parts of two tuples, lists or dicts beside one another; None where they are unlike."""
    match one, other:
        case (ast.Tuple(elts=a), ast.Tuple(elts=b)) | (ast.List(elts=a), ast.List(elts=b)):
            pass
        case ast.Dict(keys=keys, values=a), ast.Dict(keys=others, values=b):
            if list(map(_constant, keys)) != list(map(_constant, others)):
                return None
        case _:
            return None
    nested = (*_TREES, ast.Starred)
    if len(a) != len(b) or any(isinstance(part, nested) for part in (*a, *b)):
        return None
    return list(zip(a, b, strict=True))


def _constant(key: ast.expr | None) -> Any:
    return key.value if isinstance(key, ast.Constant) else key


def _is_function(call: FailedCall, node: ast.expr) -> bool:
    """Whether a side is surely a function."""
    match node:
        case ast.Lambda():
            return True
        case ast.Name(id=name):
            return callable(call.held.get(name))
        case ast.Attribute(value=ast.Name(id=name), attr=called):
            module = call.held.get(name)
            return is_a(module, ModuleType) and callable(vars(module).get(called))
    return False


def _is_no_value(call: FailedCall, node: ast.expr) -> bool:
    """Whether a side is surely neither an array nor a number: `None`, or a text."""
    match node:
        case ast.Constant(value=None | str() | bytes()) | ast.JoinedStr() | ast.Set():
            return True
        case ast.Name(id=name) if name in call.held:
            return call.held[name] is None or is_a(call.held[name], str, dict, list, tuple)
    return False


def _written(call: FailedCall, node: ast.expr) -> str:
    """A side as the user wrote it; a tuple with its brackets, and a new expression anew."""
    text = call.text(node) if hasattr(node, "lineno") else ast.unparse(node)
    match node:
        case ast.Tuple(elts=[first, *_]) if first.col_offset == node.col_offset:
            return f"({text})"
    return text
