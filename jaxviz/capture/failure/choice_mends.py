"""Mends for a traced value that Python wants to decide by: the test of an `if` or a `while`, `and`,
`or`, `not`, a chained comparison, `max` and its like."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.capture.failure.edits import OTHER, SAME, edited, joined, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.python_loops import as_program_loop
from jaxviz.capture.failure.static_mends import static_mend
from jaxviz.capture.failure.types import alike, type_of
from jaxviz.capture.failure.value_mends import number
from jaxviz.schema import Mend

BOTH = "Both sides are computed, in the gradient too: a side that is not finite makes it NaN."
UNLIKE = "The sides may have other shapes or dtypes: the result has that of both together."
EACH = "Each element is chosen by its own truth value."


def choices(call: FailedCall, of_many: bool = False) -> Iterator[Mend]:
    """The mends, the best one first. `of_many` says that the condition has several elements."""
    whole = _deciding(call)
    match whole:
        case ast.BoolOp(op=op, values=values):
            sign, word = ("&", "and") if isinstance(op, ast.And) else ("|", "or")
            sides = f" {sign} ".join(_bracketed(call, value) for value in values)
            yield edited(call.failed.source, f"{sign} in place of {word}", SAME, (whole, sides))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            text = f"{call.jnp}.logical_not({call.text(operand)})"
            yield edited(call.failed.source, "logical_not in place of not", SAME, (whole, text))
        case ast.Compare(ops=[_, _, *_]):
            yield _chained(call, whole)
        case ast.Compare(ops=[ast.In()], left=left, comparators=[right]):
            text = f"{call.jnp}.isin({call.text(left)}, {_as_array(call, right)})"
            yield edited(call.failed.source, "isin in place of in", SAME, (whole, text))
        case ast.Call(func=ast.Name(id="bool")):
            yield from number(call)
        case ast.Call(func=ast.Name(id=called), args=args, keywords=[]) if called in _BUILTINS:
            one, several = _BUILTINS[called]
            other = one if len(args) == 1 else several
            if other:
                name = f"{call.jnp}.{other}"
                title = f"{name} in place of {called}"
                yield edited(call.failed.source, title, SAME, (whole.func, name))
        case _:
            yield from _tested(call, of_many)


_BUILTINS = {
    "max": ("max", "maximum"),
    "min": ("min", "minimum"),
    "any": ("any", ""),
    "all": ("all", ""),
    "sorted": ("sort", ""),
}
"""For Python's functions that compare: that of `jax.numpy` for one argument, and for several."""


def _deciding(call: FailedCall) -> ast.expr | ast.stmt | None:
    """The `and`, `or` or `not` that asked, if one did; else the expression that failed."""
    around = call.failed.known.nodes[1:2]
    match around:
        case [ast.BoolOp() | ast.UnaryOp(op=ast.Not())]:
            return around[0]
    return call.node


def _bracketed(call: FailedCall, node: ast.expr) -> str:
    """A side of `&`, which binds closer than a comparison does."""
    text = call.text(node)
    return text if isinstance(node, ast.Name | ast.Call | ast.Attribute) else f"({text})"


def _chained(call: FailedCall, node: ast.Compare) -> Mend:
    """Each comparison of a chain by itself."""
    parts = [node.left, *node.comparators]
    source = call.failed.source
    sides = [
        f"({call.text(a)} {_SIGNS[type(op)]} {call.text(b)})"
        for a, op, b in zip(parts, node.ops, parts[1:], strict=False)
    ]
    return edited(source, "each comparison by itself, joined by &", SAME, (node, " & ".join(sides)))


_SIGNS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def _as_array(call: FailedCall, node: ast.expr) -> str:
    text = call.text(node)
    return text if isinstance(node, ast.Name) else f"{call.jnp}.asarray({text})"


def _tested(call: FailedCall, of_many: bool) -> Iterator[Mend]:
    """A traced value is the test of a statement or a choice."""
    owner = next((part for part in call.failed.known.nodes if getattr(part, "test", 0)), None)
    if owner is None or not isinstance(owner, ast.If | ast.IfExp | ast.While | ast.Assert):
        return
    static = None if of_many else static_mend(call, owner.test)
    if static is not None:
        yield static
    match owner:
        case ast.While():
            loop = None if of_many else as_program_loop(call, owner)
            yield loop or sketch("write the loop as jax.lax.while_loop(cond, body, first)")
        case ast.Assert(test=test):
            yield sketch(
                "check the values before the call, or with jax.experimental.checkify: "
                f"checkify.check({_on_one_line(call, test)}, …)"
            )
        case ast.IfExp(body=one, orelse=other):
            yield _where(call, owner, owner, ("", one, other), of_many)
        case ast.If():
            yield from _branches(call, owner, of_many)


def _branches(call: FailedCall, owner: ast.If, of_many: bool) -> Iterator[Mend]:
    """An `if` with one statement on each side, which both return or both assign to one name."""
    after = _next_statement(call, owner)
    match owner.body, owner.orelse, after:
        case [ast.Return(value=ast.expr() as one)], [ast.Return(value=ast.expr() as other)], _:
            yield _where(call, owner, owner, ("return ", one, other), of_many)
        case [ast.Return(value=ast.expr() as one)], [], ast.Return(value=ast.expr() as other):
            yield _where(call, owner, joined(owner, after), ("return ", one, other), of_many)
        case [ast.Assign(targets=[ast.Name(id=name) as target], value=one)], [], _:
            if name in call.held:
                yield _where(call, owner, owner, (f"{name} = ", one, target), of_many)
        case (
            [ast.Assign(targets=[ast.Name(id=name)], value=one)],
            [ast.Assign(targets=[ast.Name(id=same)], value=other)],
            _,
        ) if same == name:
            yield _where(call, owner, owner, (f"{name} = ", one, other), of_many)


def _next_statement(call: FailedCall, owner: ast.If) -> ast.stmt | None:
    """The statement after an `if`."""
    for around in call.failed.known.nodes:
        body = getattr(around, "body", None)
        if isinstance(body, list) and owner in body:
            return next(iter(body[body.index(owner) + 1 :]), None)
    return None


def _where(
    call: FailedCall,
    owner: ast.If | ast.IfExp,
    replaced: ast.expr | ast.stmt,
    written: tuple[str, ast.expr, ast.expr],
    of_many: bool,
) -> Mend:
    """The choice as `jnp.where`, with what it promises."""
    before, one, other = written
    choice = (
        f"{call.jnp}.where({_on_one_line(call, owner.test)}, {call.text(one)}, {call.text(other)})"
    )
    title = f"choose within the program: {call.jnp}.where"
    same = alike(type_of(one, call.held), type_of(other, call.held))
    promise = SAME if same and not of_many else OTHER
    differs = EACH if of_many else BOTH if same else f"{UNLIKE} {BOTH}"
    change = (replaced, before + choice)
    return edited(call.failed.source, title, promise, change, differs=differs)


def _on_one_line(call: FailedCall, node: ast.expr) -> str:
    text = call.text(node)
    return text if "\n" not in text else ast.unparse(node)
