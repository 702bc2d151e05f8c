"""What the user's lines say of a run of eqns that nobody named.

A line is called by what it assigns to, or by what it calls; several by their numbers.
"""

from __future__ import annotations

import ast
import re

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.call_stacks import library_title
from jaxviz.analysis.groups.graph_facts import GraphFacts

ASSIGNED = re.compile(r"([A-Za-z_][\w.]*(?:, *[A-Za-z_][\w.]*)*) *[-+*/@]?=(?!=)")
CALLED = re.compile(r"(\w+)\(")


def line_title(frame: schema.Frame) -> str:
    """A line's name: what it assigns to, else what it calls. A single letter says less than a call
    that is all of the line. Of a loop on one line it is its body that has the name."""
    _, start = loop_on_line(frame.code) or ("", 0)
    code = frame.code[start:]
    assigned = assigned_name(code)
    if len(assigned) > 1 or (assigned and not is_one_call(code)):
        return assigned
    found = CALLED.findall(code)
    return found[0] if found else assigned or f"line {frame.line}"


def statement(frame: schema.Frame, facts: GraphFacts) -> schema.Frame:
    """The frame with the statement that it is in for its code, if several stand on its line."""
    text = facts.line(frame)
    if ";" not in text:
        return frame
    start = len(text) - len(text.lstrip())
    for first, end in statements(text.strip()):
        if first <= frame.column - 1 - start < end:
            return replace(frame, code=text.strip()[first:end])
    return frame


def statements(code: str) -> list[tuple[int, int]]:
    """Where each statement on a line begins and ends; none if the line is part of a longer one."""
    try:
        nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
    except (SyntaxError, ValueError):
        return []
    simple = [node for node in nodes if not hasattr(node, "body")]
    encoded = code.encode()
    ends = [(node.col_offset, node.end_col_offset or 0) for node in simple]
    return [(len(encoded[:a].decode()), len(encoded[:b].decode())) for a, b in ends]


def is_one_call(code: str) -> bool:
    """Whether what a line assigns is one call of something, with names and constants alone:
    `x = layer(w, x)`, and not `x = tanh(x @ w)`."""
    try:
        node = ast.parse(code).body[0]
    except (SyntaxError, ValueError):
        return False
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    given = [*node.value.args, *(keyword.value for keyword in node.value.keywords)]
    works = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)
    return not any(isinstance(part, works) for one in given for part in ast.walk(one))


def loop_on_line(code: str) -> tuple[str, int] | None:
    """The word of a loop whose body stands on its own line, and where that begins:
    `for x in xs: y = f(x)`."""
    if not code.startswith(("for ", "while ")):
        return None
    try:
        node = ast.parse(code).body[0]
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.For | ast.While):
        return None
    start = len(code.encode()[: node.body[0].col_offset].decode())
    return ("for" if isinstance(node, ast.For) else "while"), start


def assigned_name(code: str) -> str:
    """What a line of source assigns to: `logits`; empty where it assigns to nothing."""
    found = ASSIGNED.match(code)
    return found.group(1) if found else ""


def name_of_lines(start: int, stop: int, facts: GraphFacts, outer: int = 0) -> str:
    """The user's lines that the eqns `[start, stop)` come from, or the library's function that made
    all of them; empty where neither is known, or is not below the `outer` frames of the stack."""
    found = set(facts.lines[start:stop])
    numbers = {line for _, line in found}
    is_known = len({file for file, _ in found}) == 1 and 0 not in numbers
    if is_known and (len(numbers) > 1 or not facts.stacks):
        return lines(numbers)
    if not facts.stacks:
        return ""
    depth = facts.shared_depth(start, stop)
    sites = {stack[depth] for stack in facts.stacks[start:stop] if len(stack) > depth}
    inside = [facts.frames[site] for site in sites]
    if inside and not any(frame.library for frame in inside):
        numbers = {frame.line for frame in inside}
        written = {one.code: one for one in (statement(frame, facts) for frame in inside)}
        is_one = len(numbers) == len(written) == 1
        return line_title(*written.values()) if is_one else lines(numbers)
    shared = [facts.frames[at] for at in facts.stacks[start][outer:depth]][::-1]
    names = [library_title(frame) for frame in shared if frame.library]
    called = next(filter(None, names), "")
    return called or next((line_title(frame) for frame in shared if not frame.library), "")


def lines(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"lines {low}–{high}" if low < high else f"line {low}"
