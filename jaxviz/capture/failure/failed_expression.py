"""Finds the user's line and expression that failed on a traced value, such as the test of an `if`,
`max(…)` or `x[m]`, in the syntax tree of its file."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dis import Instruction, get_instructions
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

from jaxviz.capture.shown.objects import is_a, traceback_of
from jaxviz.capture.shown.source import file_kind

TextPosition = tuple[int, int]
"""A line from 1, and a column in bytes from 0."""


def users_entry(error: BaseException) -> TracebackType | None:
    """The traceback entry of the innermost line of the user's own code; where there is none, of an
    installed library's; None if there is neither."""
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
    """The entries of a traceback. JAX raises the same object for each failing `checkify.check`, and
    the entries of earlier calls follow: these are left out. A worker's thread is kept."""
    seen: set[int] = set()
    around = {*_callers(first.tb_frame)} if first else set()
    while first is not None:
        frame = first.tb_frame
        if not seen or any(one in seen for one in _callers(frame)):
            seen.add(id(frame))
        elif frame.f_back and (frame.f_code.co_name == "<module>" or around & {*_callers(frame)}):
            return
        yield first
        first = first.tb_next


def _callers(frame: FrameType | None) -> Iterator[int]:
    while frame is not None:
        yield id(frame)
        frame = frame.f_back


def instruction_of(entry: TracebackType) -> tuple[CodeType, int]:
    """The instruction of a traceback entry that raised.

    Outside of IPython JAX writes the entry anew, with the last instruction of the frame: after a
    `with`, `try` or comprehension that is the one that raised again. It is then the one of the
    longest expression on the line, or the test of a condition."""
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


def loops_at(file: str, line: int) -> list[tuple[CodeType, int]]:
    """The instructions on a line of a file that call `while_loop` or `fori_loop`. The file is
    compiled anew, and not run."""
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
    return [at for at in found if _is_loop(expression_at(*at).nodes)]


def _is_loop(nodes: tuple[ast.AST, ...]) -> bool:
    func = nodes[0].func if nodes and isinstance(nodes[0], ast.Call) else None
    name = getattr(func, "attr", getattr(func, "id", ""))
    return name in ("while_loop", "fori_loop")


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
    parts = (node, *getattr(node, "decorator_list", ()))
    first = min((part.lineno, part.col_offset) for part in parts)
    return first <= start and stop <= last
