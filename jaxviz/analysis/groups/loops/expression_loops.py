"""Loops in expressions: comprehensions, generators, `sum(… for …)` and `functools.reduce`.

They are read from the syntax tree of a frame's statement, at the columns of the frame. A generator
has a frame of its own, and so has a comprehension before Python 3.12 (PEP 709); later ones run in
the frame of the function around them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from jaxviz import schema

Loop = tuple[str, int]
"""`for`, `while` or `reduce`, and its line."""
REPEATED_CALLS = frozenset(
    (
        *("map", "tree_map", "tree_map_with_path", "map_with_path", "reduce", "tree_reduce"),
        *("accumulate", "starmap", "associative_scan", "vectorize", "filter"),
    )
)
"""Functions that may call a function more than once, without a frame of their own."""
MAY_REPEAT = re.compile(rf"\b(for|sum|{'|'.join(sorted(REPEATED_CALLS))})\b")
"""Keywords and functions that may repeat a part of a line."""
CHOICES = ast.IfExp, ast.BoolOp, ast.If
OWN_FRAMES: dict[str, type[ast.AST]] = {
    "<listcomp>": ast.ListComp,
    "<setcomp>": ast.SetComp,
    "<dictcomp>": ast.DictComp,
    "<genexpr>": ast.GeneratorExp,
    "<lambda>": ast.Lambda,
}
"""The expressions that run in a frame of their own, by the name of its function."""
FUNCTIONS = ast.Lambda, ast.FunctionDef
"""The expressions and statements whose own frame is not a loop."""
GENERATOR = "<genexpr>"
MOST_LINES = 40
"""The most lines of a statement, above and below a frame's line."""


class ExpressionLoops(NamedTuple):
    """The loops around a frame within its statement."""

    loops: tuple[Loop, ...]
    """Outermost first."""
    is_certain: bool
    """True if each iteration of the innermost loop, or each run of the statement, visits it."""
    is_call: bool
    """True if the frame's own call is the innermost loop: it calls once in each iteration."""
    first_line: int | None
    """The first line of the statement; None if the expression has a frame of its own."""


def own_frame(frame: schema.Frame) -> str:
    """The last part of a frame's function if it is no function with a name: `<genexpr>`."""
    return frame.function.rpartition(".")[2] if frame.function.endswith(">") else ""


def has_own_frame(frame: schema.Frame) -> bool:
    """True if a frame is that of a comprehension or a generator."""
    return OWN_FRAMES.get(own_frame(frame), ast.Lambda) is not ast.Lambda


def expression_loops(
    frame: schema.Frame, line_of: Callable[[int], str | None]
) -> ExpressionLoops | None:
    """The loops around a frame within its statement; None if they are not known. `line_of` has the
    text of each line."""
    first, text = statement_around(frame.line, line_of)
    nodes = nodes_around(frame, first, text)
    return loops_of_nodes(frame, first, nodes) if nodes else None


def statement_around(line: int, line_of: Callable[[int], str | None]) -> tuple[int, str]:
    """The first line and the text of the statement on a line: all brackets that are open there
    begin and end in it."""
    first, opened, most = line, 0, 0
    for number in range(line - 1, max(0, line - MOST_LINES), -1):
        text = line_of(number)
        if text is None:
            break
        opened += opened_brackets(text)
        if opened > most:
            first, most = number, opened
    lines, opened = list[str](), 0
    for number in range(first, line + MOST_LINES):
        lines.append(line_of(number) or "")
        opened += opened_brackets(lines[-1])
        if number >= line and opened <= 0:
            break
    return first, "\n".join(lines)


def opened_brackets(text: str) -> int:
    code = text.partition("#")[0]
    return sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))


def nodes_around(frame: schema.Frame, first: int, text: str) -> list[ast.AST]:
    """The nodes that contain a frame's expression, outermost first; empty if the statement cannot
    be read."""
    rows = text.split("\n")
    if not frame.column or not frame.end_column or frame.end_line - first >= len(rows):
        return []
    head = "if 1:" if text[:1].isspace() else ""
    code = rows[-1].partition("#")[0].rstrip()
    rows[-1] = f"{code} pass" if code.endswith(":") else rows[-1]
    try:
        tree = ast.parse("\n".join((head, *rows)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    start, end = (
        (line - first + 2, len(rows[line - first][: column - 1].encode()))
        for line, column in ((frame.line, frame.column), (frame.end_line, frame.end_column))
    )
    found = [node for node in ast.walk(tree) if is_around(node, start, end)]
    return found[1:] if head else found


def is_around(node: ast.AST, start: tuple[int, int], end: tuple[int, int]) -> bool:
    if not isinstance(node, ast.expr | ast.stmt):
        return False
    last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset) <= start and end <= last


def loops_of_nodes(frame: schema.Frame, first: int, nodes: list[ast.AST]) -> ExpressionLoops | None:
    """The loops among the nodes around a frame, from the expression inwards that runs in it."""
    kind = OWN_FRAMES.get(own_frame(frame), ast.FunctionDef)
    own = [at for at, node in enumerate(nodes[:-1]) if isinstance(node, kind)]
    if not own and kind is not ast.FunctionDef:
        return None
    inside = nodes[own[-1] :] if own else nodes
    if own and kind in FUNCTIONS:
        inside = inside[1:]
    found = [loops_at(node, inner) for node, inner in pairwise(inside)]
    found.append(loop_of_call(inside[-1]))
    if None in found:
        return None
    loops = [(word, first + line - 2) for part in found for word, line in part or ()]
    innermost = max((at for at, part in enumerate(found) if part), default=-1)
    is_certain = not any(isinstance(node, CHOICES) for node in inside[innermost + 1 :])
    if kind is ast.Lambda and innermost < 0:
        is_certain = is_certain and is_reduce(nodes[own[-1] - 1])
    return ExpressionLoops(tuple(loops), is_certain, bool(found[-1]), None if own else first)


def loops_at(node: ast.AST, inner: ast.AST) -> list[Loop] | None:
    """The loops of a node that repeat the node `inner` in it; None if that is not known."""
    match node:
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            each = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            if any(inner is one for one in each):
                return [("for", one.target.lineno) for one in node.generators]
            return [] if inner is node.generators[0].iter else None
        case ast.For():
            loops = [("for", node.lineno)] if inner in node.body else []
            return loops if loops or inner is node.iter else None
        case ast.While():
            return [("while", node.lineno)] if inner in node.body else None
        case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return None
        case _:
            return []


def loop_of_call(node: ast.AST) -> list[Loop] | None:
    """The loop that a call makes by itself: `reduce`, or `sum` of a generator. None if it may
    repeat otherwise."""
    match node:
        case ast.Call() if is_reduce(node):
            return [("reduce", node.lineno)]
        case ast.Call(func=ast.Name(id="sum"), args=[ast.GeneratorExp(generators=[one]), *_]):
            return [("for", one.target.lineno)]
        case ast.Call(func=ast.Name(id="sum"), args=[ast.GeneratorExp(), *_]):
            return None
        case ast.Call():
            return None if name_of_call(node) in REPEATED_CALLS else []
        case _:
            return []


def is_reduce(node: ast.AST) -> bool:
    """True for a call of `functools.reduce`, not for `jax.tree.reduce` or `jax.lax.reduce`."""
    match node:
        case ast.Call(func=ast.Name(id="reduce")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="functools"), attr="reduce")):
            return True
        case _:
            return False


def name_of_call(node: ast.Call) -> str:
    """The name of the function that a call, or a call of its result, calls."""
    func = node.func
    while isinstance(func, ast.Call):
        func = func.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
