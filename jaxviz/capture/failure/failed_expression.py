"""Finds the user's line and expression that failed on a traced value, such as the test of an `if`,
`max(…)` or `x[m]`, in the syntax tree of its file."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from itertools import islice
from types import CodeType, TracebackType
from typing import NamedTuple

from jaxviz.capture.shown.source import file_kind

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
