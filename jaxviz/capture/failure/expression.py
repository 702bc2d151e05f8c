"""The user's expression that failed, as a node of the syntax tree."""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import NamedTuple, TypeGuard

from jaxviz.capture.calls.written_call import FILE
from jaxviz.capture.failure.failed_expression import FailedExpression, expression_at
from jaxviz.capture.shown.source import lines_of


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

    def tree(self) -> ast.AST:
        """The syntax tree of the source; an empty one of a cell with a magic in it."""
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return ast.Module([], [])

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
    if nodes and _is_magic(nodes[0]):
        return _after_magic(at[0].co_filename, nodes[0].lineno)
    if nodes and isinstance(nodes[0], ast.BoolOp):
        around = expression_at(*made).nodes if made else ()
        asked = [side for side in nodes[0].values if _holds(side, around[:1])]
        nodes = (*asked[:1], *nodes) if asked else (nodes[0].values[0], *nodes)
    return Failed(source, FailedExpression(nodes))


def _is_magic(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is what IPython makes of a line `%jaxviz call`."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="run_line_magic"), args=[ast.Constant(value=name), _]
        ):
            return name == "jaxviz"
    return False


def _after_magic(file: str, line: int) -> Failed:
    """The call on the line of a magic, in the cell as it was written."""
    source = "\n".join(lines_of(file))
    text = "".join(linecache.getlines(FILE)).strip()
    written = source.splitlines()[line - 1 : line]
    before, found, _ = written[0].partition(text) if written and text else ("", "", "")
    if not found:
        return Failed(source, FailedExpression(()))
    call = ast.parse(text, mode="eval").body
    for node in ast.walk(call):
        if isinstance(node, ast.expr | ast.keyword):
            node.lineno, node.end_lineno = line, line
            node.col_offset += len(before.encode())
            node.end_col_offset = (node.end_col_offset or 0) + len(before.encode())
    return Failed(source, FailedExpression((call,)))


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
