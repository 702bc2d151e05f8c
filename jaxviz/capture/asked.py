"""Finds the user's expression that failed on a traced value, from the syntax of its line: an `if`,
a `max(…)`, `x[m]`. What to write instead depends on it."""

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
"""A line and a column."""


class Asked(NamedTuple):
    """The syntax of the expression that raised, then of what is around it, from the inside out."""

    nodes: tuple[ast.AST, ...]

    def first(self, *kinds: type[ast.AST], within: int = 2) -> ast.AST | None:
        """The innermost of these kinds, among the expression and what it stands in directly."""
        return next((node for node in self.nodes[:within] if isinstance(node, kinds)), None)


def asked(trace: TracebackType) -> Asked:
    """What the frame was evaluating; empty where its source cannot be read."""
    code = trace.tb_frame.f_code
    place = next(islice(code.co_positions(), trace.tb_lasti // 2, None), None)
    source = "".join(linecache.getlines(code.co_filename, trace.tb_frame.f_globals))
    if place is None or not source:
        return Asked(())
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return Asked(())
    line, last, start, stop = place
    if line is None or last is None or start is None or stop is None:
        return Asked(())
    return Asked(tuple(_around(tree, (line, start), (last, stop)))[::-1])


def _around(node: ast.AST, start: Place, stop: Place) -> Iterator[ast.AST]:
    """The nodes around a place, outermost first. Both `ast` and code objects count columns in
    bytes."""
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
