"""Finds the user's expression that failed on a traced value, such as the test of an `if`, `max(…)`
or `x[m]`, in the syntax tree of its file. What to write instead depends on it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from itertools import islice
from types import TracebackType
from typing import NamedTuple

from jaxviz.capture.strings import name

LONGEST_EXPRESSION = 60
"""How many characters an expression may have to be repeated in a sentence."""

Place = tuple[int, int]
"""A line from 1, and a column in bytes from 0."""


class FailedExpression(NamedTuple):
    """An expression that raised, in its syntax tree."""

    nodes: tuple[ast.AST, ...]
    """The expression, then what it stands in, from the inside out; empty if not known."""

    def first(self, *kinds: type[ast.AST], within: int = 2) -> ast.AST | None:
        """The innermost node of these kinds among the first `within`; None if there is none."""
        return next((node for node in self.nodes[:within] if isinstance(node, kinds)), None)


def asked(trace: TracebackType) -> FailedExpression:
    """The expression that the frame was evaluating; without nodes if its source cannot be read."""
    code = trace.tb_frame.f_code
    place = next(islice(code.co_positions(), trace.tb_lasti // 2, None), None)
    source = "".join(linecache.getlines(code.co_filename, trace.tb_frame.f_globals))
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


def _around(node: ast.AST, start: Place, stop: Place) -> Iterator[ast.AST]:
    """The nodes that lie around the range from `start` to `stop`, outermost first."""
    while True:
        inner = next((n for n in ast.iter_child_nodes(node) if _holds(n, start, stop)), None)
        if inner is None:
            return
        yield inner
        node = inner


def _holds(node: ast.AST, start: Place, stop: Place) -> bool:
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
