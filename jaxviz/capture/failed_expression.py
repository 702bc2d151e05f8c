"""Finds the user's expression that failed on a traced value, such as the test of an `if`, `max(…)`
or `x[m]`, in the syntax tree of its file, and the argument whose value it needs. What to write
instead depends on both."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from itertools import islice
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from jaxviz.capture.called_function import CalledFunction, argument_names, is_jitted
from jaxviz.capture.source import file_kind
from jaxviz.capture.strings import name

LONGEST_EXPRESSION = 60
"""How many characters an expression may have to be repeated in a sentence."""

TextPosition = tuple[int, int]
"""A line from 1, and a column in bytes from 0."""


def users_entry(error: BaseException) -> TracebackType | None:
    """The traceback entry of the innermost line of the user's own code; where there is none, of an
    installed library's; None if there is neither."""
    found: TracebackType | None = None
    own = False
    for entry in entries(error.__traceback__):
        kind = file_kind(entry.tb_frame.f_code.co_filename)
        if kind == "own" or (kind == "installed" and not own):
            found = entry
            own = own or kind == "own"
    return found


def entries(first: TracebackType | None) -> Iterator[TracebackType]:
    while first is not None:
        yield first
        first = first.tb_next


class FailedExpression(NamedTuple):
    """An expression that raised, in its syntax tree."""

    nodes: tuple[ast.AST, ...]
    """The expression, then what it stands in, from the inside out; empty if not known."""

    def first(self, *kinds: type[ast.AST], within: int = 2) -> ast.AST | None:
        """The innermost node of these kinds among the first `within`; None if there is none."""
        return next((node for node in self.nodes[:within] if isinstance(node, kinds)), None)


def failed_expression(trace: TracebackType) -> FailedExpression:
    """The expression that the frame was evaluating; without nodes if its source cannot be read."""
    return expression_at(trace.tb_frame.f_code, trace.tb_lasti)


def expression_at(code: CodeType, instruction: int) -> FailedExpression:
    """The expression that an instruction of a function belongs to."""
    place = next(islice(code.co_positions(), instruction // 2, None), None)
    source = "".join(linecache.getlines(code.co_filename))
    if place is None or not source:
        return FailedExpression(())
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return FailedExpression(())
    line, last, start, stop = place
    if line is None or last is None or start is None or stop is None:
        return FailedExpression(())
    return FailedExpression(tuple(_around(tree, (line, start), (last, stop)))[::-1])


def _around(node: ast.AST, start: TextPosition, stop: TextPosition) -> Iterator[ast.AST]:
    """The nodes that lie around the range from `start` to `stop`, outermost first."""
    while True:
        inner = next((n for n in ast.iter_child_nodes(node) if _holds(n, start, stop)), None)
        if inner is None:
            return
        yield inner
        node = inner


def _holds(node: ast.AST, start: TextPosition, stop: TextPosition) -> bool:
    if not isinstance(node, ast.stmt | ast.expr):
        return any(_holds(child, start, stop) for child in ast.iter_child_nodes(node))
    last = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    return (node.lineno, node.col_offset) <= start and stop <= last


def written(node: ast.AST | None, otherwise: str = "…") -> str:
    """The expression as Python, where it is short enough for a sentence."""
    if node is None:
        return otherwise
    text = name(ast.unparse(node))
    return text if len(text) <= LONGEST_EXPRESSION else otherwise


_ARGUMENTS = re.compile(r"depends on the values? of the arguments? (.*)\.$", re.MULTILINE)
_FUNCTION = re.compile(r"while tracing the function (?P<name>.*) at .* for (?P<kind>\w+)\.")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CHOICES = bool | int
"""The types that are suggested as static. A float is more likely data: made static, it would cause
a trace for each value."""


def advice_to_make_static(
    text: str, known: FailedExpression, called: CalledFunction, args: Any, kwargs: Any
) -> str:
    """How to make the argument static whose value the line needs. Empty where there is none.

    It must have been passed as a Python number, and be read by the line itself: what `jax.numpy`
    computes from a static argument is traced all the same."""
    found, traced = _ARGUMENTS.search(text), _FUNCTION.search(text)
    if found is None or traced is None or traced["kind"] != "jit":
        return ""
    names = argument_names(called.fun, args, kwargs)
    values = dict(zip(names, [*args, *kwargs.values()], strict=True))
    own = getattr(called.fun, "__name__", None) == traced["name"]
    if not (own and isinstance(values.get(found[1]), _CHOICES) and _asks_for(known, found[1])):
        return ""
    return _making_static(found[1], called)


def _making_static(argument: str, called: CalledFunction) -> str:
    """How to make an argument static."""
    if is_jitted(called.fun):
        return f"make {argument} static: jax.jit({called.title}, static_argnames={argument!r})"
    return (
        f"make {argument} static: --static-argnames {argument} in %jaxviz, "
        f"static_argnames={argument!r} in jaxviz.inspect and jax.jit"
    )


def _asks_for(known: FailedExpression, argument: str) -> bool:
    """Whether the expression that failed reads the argument as it was passed. It does not if the
    function sets a variable of that name anywhere."""
    function = next((node for node in known.nodes if isinstance(node, _FUNCTIONS)), None)
    if function is None or argument not in _names(known.nodes[0], ast.Load):
        return False
    parameters = function.args
    own = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    passed = argument in [parameter.arg for parameter in own]
    return passed and argument not in _names(function, ast.Store)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that `node` reads or sets, whichever `context` says."""
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in found if isinstance(part.ctx, context)}
