"""Fixes for programs that were compiled or exported for other shapes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.written import (
    called,
    calls_written,
    option,
    quoted_like,
    tree,
    with_option,
)
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

ANEW = sentence("It is compiled again")


def compiled(call: FailedCall) -> Iterator[Mend]:
    """The jitted function in place of what was compiled for one type."""
    node = call.node
    if isinstance(node, ast.Call):
        function = _jitted(node.func)
        if function is None and isinstance(node.func, ast.Name):
            made = [one.value for one in _given(call, node.func.id)]
            function = _jitted(made[0]) if len(made) == 1 else None
        if function is not None:
            title = sentence("call the jitted function")
            yield edited(call, title, (node.func, call.text(function)), differs=ANEW)
    yield sketch(sentence("pass the types that it was"))


def _given(call: FailedCall, name: str) -> list[ast.Assign]:
    """The assignments of a name in the source."""
    found = (node for node in ast.walk(tree(call)) if isinstance(node, ast.Assign))
    names = [(node, part) for node in found for part in node.targets]
    return [node for node, part in names if isinstance(part, ast.Name) and part.id == name]


def _jitted(node: ast.AST) -> ast.expr | None:
    """`f` of `f.lower(x).compile()`."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=function, attr="lower")), attr="compile"
            )
        ):
            return function
    return None


_COMPARED = re.compile(r"comparison '(\w+)' (>=|>|<=|<) '(\d+)'")
_DIVIDED = re.compile(r"mod\((\w+), -? ?(\d+)\) should be 0")
_NOT_MORE = {">": "{} <= {}", ">=": "{} <= {}", "<": "{} >= {}", "<=": "{} >= {}"}


def symbolic(call: FailedCall) -> Iterator[Mend]:
    """A constraint that decides the comparison, or a size that can be divided."""
    text = message_of(call.error)
    compared, divided = _COMPARED.search(text), _DIVIDED.search(text)
    made = [node for node in calls_written(call) if called(node) == "symbolic_shape"]
    for node in made if len(made) == 1 else ():
        if compared and option(node, "constraints") is None:
            rule = _constraint(*compared.groups())
            new = with_option(call, node, f'constraints=("{rule}",)')
            differs = sentence("The program then accepts", rule=rule)
            yield edited(
                call,
                sentence("say which sizes there are rule", rule=rule),
                (node, new),
                differs=differs,
            )
        match node.args[:1]:
            case [ast.Constant(value=str() as sizes) as written] if divided:
                name, by = divided.groups()
                new = re.sub(rf"(?<![\w*]){name}(?!\w)", f"{by}*{name}", sizes)
                title = sentence("a size that by divides", by=by, name=name)
                differs = sentence("The program then accepts only", by=by)
                change = (written, quoted_like(call, written, new))
                yield edited(call, title, change, differs=differs)
    yield sketch(sentence("say what is known"))


def _constraint(name: str, sign: str, number: str) -> str:
    """The sizes for which a comparison is false: those that the branch leaves as they are."""
    limit = int(number) + {">=": -1, "<=": 1}.get(sign, 0)
    return _NOT_MORE[sign].format(name, limit)
