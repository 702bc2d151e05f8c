"""Mends for a traced value that Python wants to decide by: the test of an `if` or a `while`, `and`,
`or`, `not`, a chained comparison, `max` and its like."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.capture.failure.conditions import compared, condition, is_truth
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.python_loops import as_program_loop
from jaxviz.capture.failure.side_mends import EACH, branches, chosen
from jaxviz.capture.failure.static_mends import static_mend
from jaxviz.capture.failure.value_mends import number
from jaxviz.schema import Mend
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import sentence

TOGETHER = sentence("All elements are taken")
NO_LIST = sentence("The result is an array")
TRUTH = sentence("The result is a truth")


def choices(call: FailedCall, of_many: bool = False) -> Iterator[Mend]:
    """The mends, the best one first. `of_many` says that the condition has several elements."""
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
    """The `and`, `or` or `not` that asked, if one did; else the expression that failed."""
    around = call.failed.known.nodes[1:2]
    match around:
        case [ast.BoolOp() | ast.UnaryOp(op=ast.Not())]:
            return around[0]
    return call.node


def _owner(call: FailedCall) -> ast.If | ast.IfExp | ast.While | ast.Assert | None:
    """The statement or choice whose test asked; None where something else did."""
    asked, *around = call.failed.known.nodes or (None,)
    for node in around:
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            return node if node.test is asked else None
        if not isinstance(node, ast.BoolOp | ast.UnaryOp):
            return None
        asked = node
    return None


def _as_of_jnp(call: FailedCall, node: ast.Call, of_many: bool) -> Iterator[Mend]:
    """The function of `jax.numpy` in place of Python's."""
    text = compared(call, node)
    if text:
        called = call.text(node.func)
        title = sentence("value in place of called", value=text.partition("(")[0], called=called)
        several = EACH if len(node.args) == 2 else TOGETHER
        differs = several if of_many else NO_LIST if called == "sorted" else NOTHING
        yield edited(call, title, (node, text), differs=differs)


def _reworded(call: FailedCall, node: ast.expr, of_many: bool) -> Iterator[Mend]:
    """A test that is no statement's: an argument, or what a name is given."""
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
    yield edited(call, title, (node, text), differs=differs)


def _tested(
    call: FailedCall, owner: ast.If | ast.IfExp | ast.While | ast.Assert, of_many: bool
) -> Iterator[Mend]:
    """A traced value is the test of a statement or a choice."""
    static = None if of_many else static_mend(call, owner.test)
    if static is not None:
        yield static
    match owner:
        case ast.While():
            loop = None if of_many else as_program_loop(call, owner)
            yield loop or sketch(sentence("write the loop as jax.lax.while_loop"))
        case ast.Assert(test=test):
            yield _checked(call.line(test))
        case ast.IfExp(body=one, orelse=other):
            yield chosen(call, owner, owner, ("", one, other), of_many)
        case ast.If() if any(isinstance(part, ast.Raise) for part in owner.body):
            yield _checked(f"{call.jnp}.logical_not({condition(call, owner.test)})")
        case ast.If():
            yield from branches(call, owner, of_many)


def _checked(test: str) -> Mend:
    return sketch(sentence("check the values before", test=test))
