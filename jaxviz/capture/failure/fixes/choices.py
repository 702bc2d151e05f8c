"""Fixes for a traced value in a decision of Python: the test of an `if` or a `while`, `and`, `or`,
`not`, a chained comparison, `max` and the like. The program then chooses between both sides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import reduce
from types import ModuleType
from typing import Any

from jaxviz.capture.failure.code import is_traced
from jaxviz.capture.failure.failed_call import OTHER, SAME, FailedCall, joined, sketch
from jaxviz.capture.failure.fixes.loops import as_program_loop
from jaxviz.capture.failure.fixes.statics import static_fix
from jaxviz.capture.failure.fixes.values import number
from jaxviz.capture.failure.types import alike, type_of
from jaxviz.capture.shown.objects import dtype_of, is_a
from jaxviz.schema import Fix
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import in_a_row, sentence

TOGETHER = sentence("All elements are taken")
NO_LIST = sentence("The result is an array")
TRUTH = sentence("The result is a truth")


def choices(call: FailedCall, of_many: bool = False) -> Iterator[Fix]:
    """The fixes, the best one first. `of_many` is true if the condition has several elements."""
    whole = _deciding(call)
    match whole:
        case ast.Call(func=ast.Name(id="bool")):
            yield from number(call)
        case ast.Call() if of_many or _owner(call) is None:
            yield from _as_of_jnp(call, whole, of_many)
        case _ if (owner := _owner(call)) is not None:
            yield from _tested(call, owner, of_many)
        case ast.expr():
            yield from _reworded(call, whole, of_many)


def _deciding(call: FailedCall) -> ast.expr | ast.stmt | None:
    """The `and`, `or` or `not` that needed the value, or else the expression that failed."""
    outer = call.nodes[1:2]
    match outer:
        case [ast.BoolOp() | ast.UnaryOp(op=ast.Not())]:
            return outer[0]
    return call.node


def _owner(call: FailedCall) -> ast.If | ast.IfExp | ast.While | ast.Assert | None:
    """The statement or choice whose test needed the value; None if something else did."""
    test, *outer = call.nodes or (None,)
    for node in outer:
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            return node if node.test is test else None
        if not isinstance(node, ast.BoolOp | ast.UnaryOp):
            return None
        test = node
    return None


def _as_of_jnp(call: FailedCall, node: ast.Call, of_many: bool) -> Iterator[Fix]:
    """The function of `jax.numpy` in place of Python's."""
    text = compared(call, node)
    if text:
        called = call.text(node.func)
        title = sentence("value in place of called", value=text.partition("(")[0], called=called)
        several = EACH if len(node.args) == 2 else TOGETHER
        differs = several if of_many else NO_LIST if called == "sorted" else NOTHING
        yield call.fix(title, (node, text), differs=differs)


def _reworded(call: FailedCall, node: ast.expr, of_many: bool) -> Iterator[Fix]:
    """A test outside of a statement: an argument, or the value of an assignment."""
    text = condition(call, node)
    if text == call.line(node):
        return
    match node:
        case ast.BoolOp(op=op):
            word = "and" if isinstance(op, ast.And) else "or"
            sign = {"and": "&", "or": "|"}[word] if is_truth(call, node) else f"logical_{word}"
            title = sentence("value in place of called", value=sign, called=word)
        case ast.UnaryOp():
            title = sentence("value in place of called", value="logical_not", called="not")
        case ast.Compare(ops=[_]):
            title = sentence("value in place of called", value="isin", called="in")
        case _:
            title = sentence("each comparison by itself")
    differs = EACH if of_many else NOTHING if is_truth(call, node) else TRUTH
    yield call.fix(title, (node, text), differs=differs)


def _tested(
    call: FailedCall, owner: ast.If | ast.IfExp | ast.While | ast.Assert, of_many: bool
) -> Iterator[Fix]:
    """A traced value is the test of a statement or a choice."""
    static = None if of_many else static_fix(call, owner.test)
    if static is not None:
        yield static
    match owner:
        case ast.While():
            loop = None if of_many else as_program_loop(call, owner)
            yield loop or sketch("write the loop as jax.lax.while_loop")
        case ast.Assert(test=test):
            yield _checked(call.line(test))
        case ast.IfExp(body=one, orelse=other):
            yield chosen(call, owner, owner, ("", one, other), of_many)
        case ast.If() if any(isinstance(part, ast.Raise) for part in owner.body):
            yield _checked(f"{call.jnp}.logical_not({condition(call, owner.test)})")
        case ast.If():
            yield from branches(call, owner, of_many)


def _checked(test: str) -> Fix:
    return sketch(sentence("check the values before", test=test))


BOTH = sentence("Both sides are computed")
UNLIKE = sentence("The sides may have")
EACH = sentence("Each element is chosen by its own")
EQUAL = sentence("Both sides have to return")
Sides = tuple[str, ast.expr, ast.expr]
"""The text before the choice (`return `, `y = `), and both sides."""
_TREES = (ast.Tuple, ast.List, ast.Dict)


def branches(call: FailedCall, owner: ast.If, of_many: bool) -> Iterator[Fix]:
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
    for outer in call.nodes:
        body = getattr(outer, "body", None)
        if is_a(body, list) and owner in body:
            return next(iter(body[body.index(owner) + 1 :]), None)
    return None


def chosen(
    call: FailedCall,
    owner: ast.If | ast.IfExp,
    replaced: ast.expr | ast.stmt,
    sides: Sides,
    of_many: bool,
) -> Fix:
    """The choice within the program, with its promise."""
    before, one, other = sides
    if any(_is_function(call, side) for side in (one, other)):
        return sketch("choose between what functions")
    if any(_is_no_value(call, side) for side in (one, other)):
        return sketch("let both sides be arrays")
    test = condition(call, owner.test)
    if isinstance(one, _TREES) or isinstance(other, _TREES):
        pairs = _pairs(one, other)
        if of_many or pairs is None:
            return sketch("let both sides be arrays")
        same = all(alike(type_of(a, call.variables), type_of(b, call.variables)) for a, b in pairs)
        name = f"{call.lax}.cond"
        text = f"{name}({test}, lambda: {_written(call, one)}, lambda: {_written(call, other)})"
        title, differs = (
            sentence("branch within the program", name=name),
            NOTHING if same else EQUAL,
        )
    else:
        same = alike(type_of(one, call.variables), type_of(other, call.variables))
        text = f"{call.jnp}.where({test}, {_written(call, one)}, {_written(call, other)})"
        title = sentence("choose within the program jnp.where", jnp=call.jnp)
        differs = EACH if of_many else BOTH if same else in_a_row([UNLIKE, BOTH])
    promise = SAME if same and not of_many else OTHER
    return call.fix(title, (replaced, before + text), differs=differs, promise=promise)


def _pairs(one: ast.expr, other: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """The pairs of parts of two tuples, lists or dicts; None if their structures differ."""
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
    """True if an expression is certainly a function."""
    match node:
        case ast.Lambda():
            return True
        case ast.Name(id=name):
            return callable(call.variables.get(name))
        case ast.Attribute(value=ast.Name(id=name), attr=called):
            module = call.variables.get(name)
            return is_a(module, ModuleType) and callable(vars(module).get(called))
    return False


def _is_no_value(call: FailedCall, node: ast.expr) -> bool:
    """True if an expression is certainly neither an array nor a number: `None`, or a text."""
    match node:
        case ast.Constant(value=None | str() | bytes()) | ast.JoinedStr() | ast.Set():
            return True
        case ast.Name(id=name) if name in call.variables:
            return call.variables[name] is None or is_a(
                call.variables[name], str, dict, list, tuple
            )
    return False


def _written(call: FailedCall, node: ast.expr) -> str:
    """A side as the user wrote it, a tuple in brackets; a new expression by `ast.unparse`."""
    text = call.text(node) if hasattr(node, "lineno") else ast.unparse(node)
    match node:
        case ast.Tuple(elts=[first, *_]) if first.col_offset == node.col_offset:
            return f"({text})"
    return text


_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_BUILTINS = {
    "max": ("max", "maximum"),
    "min": ("min", "minimum"),
    "any": ("any", ""),
    "all": ("all", ""),
    "sorted": ("sort", ""),
}
"""The functions of `jax.numpy` for one argument and for two, by Python's function."""
_TESTS = ("any", "all", "isnan", "isfinite", "isinf", "isclose", "isin", "allclose", "array_equal")


def condition(call: FailedCall, node: ast.expr) -> str:
    """A test as an expression of the program, on one line. Parts without an equivalent stay as they
    are."""
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
    """True if a value is surely true or false, and no number: `&` counts in bits."""
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
            value = call.variables.get(name)
            return is_a(value, bool) or dtype_of(value) == "bool"
    return False


def _bracketed(node: ast.expr, text: str) -> str:
    """A side of `&`, which binds more tightly than a comparison."""
    simple = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.UnaryOp)
    return text if simple else f"({text})"


def _chained(call: FailedCall, node: ast.Compare) -> str:
    """Each comparison of a chain by itself."""
    parts = [node.left, *node.comparators]
    sides = zip(parts, node.ops, parts[1:], strict=False)
    return " & ".join(f"({call.line(a)} {_SIGNS[type(op)]} {call.line(b)})" for a, op, b in sides)


def _contained(call: FailedCall, left: ast.expr, right: ast.expr) -> str:
    """`x in xs`, if `xs` can surely be an array; else empty."""
    value = call.variables.get(right.id) if isinstance(right, ast.Name) else None
    listed = isinstance(right, ast.List | ast.Tuple) or is_a(value, list, tuple)
    if not listed and not _is_array(call, right):
        return ""
    return f"{call.jnp}.isin({call.line(left)}, {as_array(call, right)})"


def compared(call: FailedCall, node: ast.Call) -> str:
    """A call of `max`, `any` and the like as one of `jax.numpy`; empty for any other call."""
    match node:
        case ast.Call(func=ast.Name(id=called), args=args, keywords=[]) if (
            called in _BUILTINS
            and called not in call.variables
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
    """True if an expression is surely an array."""
    match node:
        case ast.Compare(ops=[op], left=left, comparators=[right]) if type(op) in _SIGNS:
            return _is_array(call, left) or _is_array(call, right)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=called)) if (
            called != "tolist" and is_traced(call.variables.get(name))
        ):
            return True
    found = type_of(node, call.variables)
    return found is not None and not isinstance(node, ast.Constant)
