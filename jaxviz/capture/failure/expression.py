"""The user's expression that failed, as a node of the syntax tree."""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import NamedTuple

from jaxviz.capture.failure.failed_expression import FailedExpression, expression_at


class Failed(NamedTuple):
    """The expression that failed, in the source of its cell or file."""

    source: str
    known: FailedExpression
    """The expression first, then what it stands in."""

    @property
    def node(self) -> ast.expr | ast.stmt | None:
        found = self.known.nodes[0] if self.known.nodes else None
        return found if isinstance(found, ast.expr | ast.stmt) else None

    def text(self, node: ast.AST | None) -> str:
        """A node as the user wrote it."""
        return (ast.get_source_segment(self.source, node) or "") if node else ""

    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((node for node in self.known.nodes if isinstance(node, kinds)), None)


UNREAD = Failed("", FailedExpression(()))
"""What is known of a line whose source cannot be read."""


def failed(at: tuple[CodeType, int], made: tuple[CodeType, int] | None) -> Failed:
    """What failed at an instruction, without nodes where its source cannot be read. `made` is the
    instruction that made the value that was asked for: it tells which side of an `and` asked."""
    source = "".join(linecache.getlines(at[0].co_filename))
    nodes = _narrowed(expression_at(*at).nodes)
    if nodes and isinstance(nodes[0], ast.BoolOp):
        around = expression_at(*made).nodes if made else ()
        asked = [side for side in nodes[0].values if _holds(side, around[:1])]
        nodes = (*asked[:1], *nodes) if asked else (nodes[0].values[0], *nodes)
    return Failed(source, FailedExpression(nodes))


def _holds(node: ast.AST, made: tuple[ast.AST, ...]) -> bool:
    """Whether a node has a part with the place of another: the trees are of two readings."""
    places = [
        (part.lineno, part.col_offset, part.end_col_offset)
        for part in made
        if isinstance(part, ast.expr | ast.stmt)
    ]
    return any(
        (part.lineno, part.col_offset, part.end_col_offset) in places
        for part in ast.walk(node)
        if isinstance(part, ast.expr)
    )


def _narrowed(nodes: tuple[ast.AST, ...]) -> tuple[ast.AST, ...]:
    """The nodes, beginning with what a reader would underline: the test of an `if` whose whole
    statement Python names, the operand of `not`, and the assignment to a subscript."""
    strings = [n for n, node in enumerate(nodes[:4]) if isinstance(node, ast.JoinedStr)]
    if strings:
        return nodes[strings[-1] :]
    match nodes:
        case [(ast.If() | ast.While() | ast.Assert() | ast.IfExp()) as whole, *_]:
            return _narrowed((whole.test, *nodes))
        case [ast.For(iter=iterated), *_]:
            return (iterated, *nodes)
        case [ast.UnaryOp(op=ast.Not(), operand=operand), *_]:
            return (operand, *nodes)
        case [ast.ListComp(generators=[first, *_]), *_]:
            return (first.iter, *nodes)
        case [ast.Subscript(ctx=ast.Store()), (ast.Assign() | ast.AugAssign()), *_]:
            return nodes[1:]
        case [(ast.Expr(value=ast.expr() as value) | ast.Return(value=ast.expr() as value)), *_]:
            return (value, *nodes)
    return nodes
