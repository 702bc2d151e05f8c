"""Finds the user's line that failed, and its expression in the syntax tree of the file: the test of
an `if`, `max(…)` or `x[m]`."""

from __future__ import annotations

import ast
import linecache
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass
from dis import Instruction, get_instructions
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeGuard

from jaxviz.capture.calls.evaluate import CALL_FILE
from jaxviz.capture.shown.objects import is_a, traceback_of
from jaxviz.capture.shown.source import file_kind, lines_of

TextPosition = tuple[int, int]
"""A line from 1, and a column in bytes from 0."""
Nodes = tuple[ast.AST, ...]
"""An expression, then what it is in, from the inside out; empty if it is not known."""


@dataclass(frozen=True, eq=False)
class Expression:
    """An expression in the source of its cell or file."""

    source: str
    nodes: Nodes

    @property
    def node(self) -> Any:
        """The expression or statement; None if it is not known."""
        found = self.nodes[0] if self.nodes else None
        return found if isinstance(found, ast.expr | ast.stmt) else None

    @property
    def statement(self) -> ast.stmt | None:
        """The statement that the expression is in."""
        return next((node for node in self.nodes if isinstance(node, ast.stmt)), None)

    @property
    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        """The function that the expression is in."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((node for node in self.nodes if isinstance(node, kinds)), None)

    @property
    def tree(self) -> ast.Module:
        """The syntax tree of the source; an empty one of a cell with a magic in it."""
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return ast.Module([], [])

    def text(self, node: ast.AST | None) -> str:
        """A node as the user wrote it."""
        return (ast.get_source_segment(self.source, node) or "") if node else ""


UNREAD = Expression("", ())
"""The expression of a line whose source cannot be read."""


def failed_at(at: tuple[CodeType, int], made: tuple[CodeType, int] | None) -> Expression:
    """The expression that failed at an instruction, without nodes if its source cannot be read.
    `made` is the instruction that made the needed value: it shows which side of an `and` failed."""
    source = "".join(linecache.getlines(at[0].co_filename))
    nodes = _narrowed(nodes_at(*at))
    if nodes and _is_magic(nodes[0]):
        return _after_magic(at[0].co_filename, nodes[0].lineno)
    if nodes and isinstance(nodes[0], ast.BoolOp):
        made_nodes = nodes_at(*made) if made else ()
        sides = [side for side in nodes[0].values if _has_part_of(side, made_nodes[:1])]
        nodes = (*sides[:1], *nodes) if sides else (nodes[0].values[0], *nodes)
    return Expression(source, nodes)


def _is_magic(node: ast.AST) -> TypeGuard[ast.Call]:
    """True for IPython's call for a line `%jaxviz call`."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="run_line_magic"), args=[ast.Constant(value=name), _]
        ):
            return name == "jaxviz"
    return False


def _after_magic(file: str, line: int) -> Expression:
    """The call on the line of a magic, in the cell as it was written."""
    source = "\n".join(lines_of(file))
    text = "".join(linecache.getlines(CALL_FILE)).strip()
    written = source.splitlines()[line - 1 : line]
    before, found, _ = written[0].partition(text) if written and text else ("", "", "")
    if not found:
        return Expression(source, ())
    call = ast.parse(text, mode="eval").body
    for node in ast.walk(call):
        if isinstance(node, ast.expr | ast.keyword):
            node.lineno, node.end_lineno = line, line
            node.col_offset += len(before.encode())
            node.end_col_offset = (node.end_col_offset or 0) + len(before.encode())
    return Expression(source, (call,))


def _has_part_of(node: ast.AST, made: Nodes) -> bool:
    """True if a node contains a node of `made`. They are compared by place, since the file was
    parsed twice."""
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


def _narrowed(nodes: Nodes) -> Nodes:
    """The nodes, beginning with the one that a reader would underline: the test of an `if`, whose
    whole statement Python names, the operand of `not`, or the assignment to a subscript."""
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


def users_entry(error: BaseException) -> TracebackType | None:
    """The traceback entry of the innermost line of the user's code, or else of an installed
    library; None if there is neither."""
    found: TracebackType | None = None
    own = False
    for entry in entries(traceback_of(error)):
        code = entry.tb_frame.f_code
        if "__create_fn__" in code.co_qualname:
            continue  # a method that Python's dataclasses made
        kind = file_kind(code.co_filename)
        if kind == "own" or (kind == "installed" and not own):
            found = entry
            own = own or kind == "own"
    return found


def entries(first: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, also of a worker's thread. JAX raises the same object for each
    failing `checkify.check`; the entries of earlier calls, which come last, are left out."""
    seen: set[int] = set()
    outer = {*_callers(first.tb_frame)} if first else set()
    while first is not None:
        frame = first.tb_frame
        if not seen or any(one in seen for one in _callers(frame)):
            seen.add(id(frame))
        elif frame.f_back and (frame.f_code.co_name == "<module>" or outer & {*_callers(frame)}):
            return
        yield first
        first = first.tb_next


def _callers(frame: FrameType | None) -> Iterator[int]:
    while frame is not None:
        yield id(frame)
        frame = frame.f_back


def instruction_of(entry: TracebackType) -> tuple[CodeType, int]:
    """The instruction of a traceback entry that raised.

    Outside of IPython JAX replaces the entry by one with the last instruction of the frame. After a
    `with`, `try` or comprehension that is a RERAISE. Then this is the instruction of the longest
    expression on the line, or the test of a condition."""
    code, last = entry.tb_frame.f_code, entry.tb_lasti
    of_line = [*get_instructions(code)]
    here = next((one for one in of_line if one.offset == last), None)
    if here is None or here.opname != "RERAISE":
        return code, last
    found = [one for one in of_line if one.positions and one.positions.lineno == entry.tb_lineno]
    raises = [one for one in found if one.opname.startswith(("CALL", "BINARY", "COMPARE"))]
    tests = [one for one in found if one.opname == "TO_BOOL"]
    longest = max(tests or raises, key=_length, default=here)
    return code, longest.offset


def _length(one: Instruction) -> TextPosition:
    place = one.positions
    if place is None or place.end_lineno is None or place.lineno is None:
        return (0, 0)
    return place.end_lineno - place.lineno, (place.end_col_offset or 0) - (place.col_offset or 0)


def nodes_at(code: CodeType, instruction: int) -> Nodes:
    """The expression that an instruction of a function belongs to."""
    place = next(islice(code.co_positions(), instruction // 2, None), None)
    source = "".join(linecache.getlines(code.co_filename))
    if place is None or not source:
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    line, last, start, stop = place
    if line is None or last is None or start is None or stop is None:
        return ()
    return tuple(_enclosing(tree, (line, start), (last, stop)))[::-1]


def loops_at(file: str, line: int) -> list[tuple[CodeType, int]]:
    """The instructions on a line of a file that call `while_loop` or `fori_loop`. The file is
    compiled again, but does not run."""
    try:
        codes = [compile("".join(linecache.getlines(file)), file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return []
    for code in codes:
        codes.extend(part for part in code.co_consts if is_a(part, CodeType))
    found = (
        (code, 2 * number)
        for code in codes
        for number, place in enumerate(code.co_positions())
        if place[0] == line
    )
    return [at for at in found if _is_loop(nodes_at(*at))]


def _is_loop(nodes: Nodes) -> bool:
    func = nodes[0].func if nodes and isinstance(nodes[0], ast.Call) else None
    name = getattr(func, "attr", getattr(func, "id", ""))
    return name in ("while_loop", "fori_loop")


def _enclosing(node: ast.AST, start: TextPosition, stop: TextPosition) -> Iterator[ast.AST]:
    """The nodes that contain the range from `start` to `stop`, outermost first."""
    while True:
        inner = next((n for n in ast.iter_child_nodes(node) if _contains(n, start, stop)), None)
        if inner is None:
            return
        yield inner
        node = inner


def _contains(node: ast.AST, start: TextPosition, stop: TextPosition) -> bool:
    if not isinstance(node, ast.stmt | ast.expr):
        return any(_contains(child, start, stop) for child in ast.iter_child_nodes(node))
    last = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    parts = (node, *getattr(node, "decorator_list", ()))
    first = min((part.lineno, part.col_offset) for part in parts)
    return first <= start and stop <= last


def variables(at: TracebackType) -> ChainMap[str, Any]:
    """The variables that a line can read: its own, those of enclosing functions, and of its
    module."""
    frame = at.tb_frame
    free = frame.f_code.co_freevars
    own = {name: value for name, value in frame.f_locals.items() if name not in free}
    return ChainMap(own, frame.f_locals, frame.f_globals)
