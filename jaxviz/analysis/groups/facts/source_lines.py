"""Names for runs without one: from the source line, else from the ops.

A line is named by its assignment target or by the function that it calls, several lines by their
numbers. JAX records no frames of its own, so the function that a line calls is read from the
source, at the columns that JAX recorded. A run without a source line is named by its ops: `sqrt,
div`.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import (
    calls,
    is_descriptive,
    library_title,
    title,
)
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts, TextPlace, line_of
from jaxviz.analysis.groups.facts.parameter_paths import layer_path, path_text
from jaxviz.analysis.groups.run_tree import Run
from jaxviz.ops import plain_name, row_of

MOST = 3 / 4
"""The share of a line's eqns from which one call gives the line its name."""
BUILTINS = frozenset(dir(builtins))
CALL = re.compile(r"(?:\w+\.)*([A-Za-z]\w*)\(")


def name_of_most(line: Run, depth: int, facts: GraphFacts) -> str:
    """The function whose single call made most of a line's eqns; empty if it is the user's. `depth`
    selects the frame in their stacks."""
    stacks = facts.stacks[line.start : line.stop]
    made = Counter(stack[depth] for stack in stacks if len(stack) == depth + 1)
    at, count = made.most_common(1)[0] if made else (-1, 0)
    return called_name(facts.frames[at], facts.text) if count >= MOST * len(line) else ""


def called_name(frame: schema.Frame, text_of: Mapping[TextPlace, str]) -> str:
    """The function that a frame's expression calls, if it is one call of a function with a
    descriptive name. `text_of` has the user's lines."""
    text = line_of(frame, text_of)[max(frame.column - 1, 0) :]
    found = CALL.match(text)
    if not found or not is_descriptive(found[1]) or found[0].rstrip("(") in BUILTINS:
        return ""
    if frame.end_line > frame.line:
        return found[1] if is_open(text) else ""
    try:
        node = ast.parse(text[: frame.end_column - frame.column], mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    is_call = isinstance(node, ast.Call) and f"{ast.unparse(node.func)}(" == found[0]
    return found[1] if is_call else ""


def is_open(text: str) -> bool:
    """True if the first bracket of a line is still open at its end."""
    depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter in ")]}" and depth == 0:
            return False
    return depth > 0


ASSIGNED = re.compile(r"([A-Za-z_][\w.]*(?:, *[A-Za-z_][\w.]*)*) *[-+*/@]?=(?!=)")
CALLED = re.compile(r"(\w+)\(")


def line_title(frame: schema.Frame) -> str:
    """A line's name: its assignment target, or the function that it calls. If the line is one call,
    the function is better than a target of one letter. A loop on one line is named by its body."""
    _, start = loop_on_line(frame.code) or ("", 0)
    code = frame.code[start:]
    assigned = assigned_name(code)
    if len(assigned) > 1 or (assigned and not is_one_call(code)):
        return assigned
    found = CALLED.findall(code)
    return found[0] if found else assigned or f"line {frame.line}"


def statement(frame: schema.Frame, facts: GraphFacts) -> schema.Frame:
    """The frame with only its statement as code, if its line has several."""
    text = facts.line(frame)
    if ";" not in text:
        return frame
    start = len(text) - len(text.lstrip())
    for first, end in statements(text.strip()):
        if first <= frame.column - 1 - start < end:
            return replace(frame, code=text.strip()[first:end])
    return frame


def statements(code: str) -> list[tuple[int, int]]:
    """The beginning and end of each statement on a line; empty if the line is only a part of
    one."""
    try:
        nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
    except (SyntaxError, ValueError):
        return []
    simple = [node for node in nodes if not hasattr(node, "body")]
    encoded = code.encode()
    ends = [(node.col_offset, node.end_col_offset or 0) for node in simple]
    return [(len(encoded[:a].decode()), len(encoded[:b].decode())) for a, b in ends]


def is_one_call(code: str) -> bool:
    """True if a line assigns one call with names and constants as arguments: `x = layer(w, x)`, but
    not `x = tanh(x @ w)`."""
    try:
        node = ast.parse(code).body[0]
    except (SyntaxError, ValueError):
        return False
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    arguments = [*node.value.args, *(keyword.value for keyword in node.value.keywords)]
    works = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)
    return not any(isinstance(part, works) for one in arguments for part in ast.walk(one))


def loop_on_line(code: str) -> tuple[str, int] | None:
    """The keyword of a loop whose body is on the same line, and the column of the body: `for x in
    xs: y = f(x)`."""
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
    """The assignment target of a line: `logits`; empty without an assignment."""
    found = ASSIGNED.match(code)
    return found.group(1) if found else ""


def name_of_function(start: int, stop: int, facts: GraphFacts) -> str:
    """The user's innermost function that made all of the eqns `[start, stop)`. For a lambda, the
    lines of these eqns. Empty if the user made none."""
    stacks = {facts.stacks[at] for at in range(start, stop)}
    shared = [
        row[0]
        for row in zip(*(calls(facts.frames, stack) for stack in stacks), strict=False)
        if len(set(row)) == 1 and not row[0][-1]
    ]
    name = title(shared[-1][1]) if shared else ""
    if not shared or is_descriptive(name):
        return name
    numbers = {line for file, line in facts.lines[start:stop] if file}
    return lines(numbers) if numbers else ""


def name_of_lines(start: int, stop: int, facts: GraphFacts, outer: int = 0) -> str:
    """The user's lines of the eqns `[start, stop)`, or the library function that made all of them;
    empty if neither is known, or is not below the `outer` frames of the stack."""
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
        frames = {one.code: one for one in (statement(frame, facts) for frame in inside)}
        is_one = len(numbers) == len(frames) == 1
        return line_title(*frames.values()) if is_one else lines(numbers)
    shared = [facts.frames[at] for at in facts.stacks[start][outer:depth]][::-1]
    names = [library_title(frame) for frame in shared if frame.library]
    called = next(filter(None, names), "")
    return called or next((line_title(frame) for frame in shared if not frame.library), "")


def lines(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"lines {low}–{high}" if low < high else f"line {low}"


MOST_OPS = 2
"""The most ops in a name."""


NOT_WORK = frozenset({"movement", "call", "control", "other"})
"""Families of ops that say little about the work."""


def name_of_ops(start: int, stop: int, facts: GraphFacts) -> str:
    """The ops that do most of the work of the eqns `[start, stop)`, else their calls, with the
    layers that most of them work on. If no op is repeated, the first and the last one."""
    ops = Counter(facts.ops[start:stop])
    work = Counter({op: count for op, count in ops.items() if row_of(op).family not in NOT_WORK})
    work = work or Counter(facts.calls[start:stop])
    counted = work.most_common(MOST_OPS)
    most = counted[0][1]
    text = ", ".join(plain_name(op) for op, count in counted if 4 * count >= most)
    if most == 1 and len(work) > MOST_OPS:
        first, *_, last = work
        text = f"{plain_name(first)}…{plain_name(last)}"
    paths = [layer_path(path, ()) for path in facts.paths[start:stop]]
    layers = [path for path in paths if path and not facts.is_named_by_place(path)]
    if not facts.trained or 2 * len(layers) <= stop - start:
        return text
    return f"{text} over {from_to([path_text(layer, 0, facts.owner) for layer in layers])}"


def from_to(names: list[str]) -> str:
    return names[0] if names[0] == names[-1] else f"{names[0]}…{names[-1]}"
