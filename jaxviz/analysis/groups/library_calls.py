"""Calls of JAX's functions on a line of the reader's: one that runs a function of the reader's, as
`jax.lax.associative_scan(combine, x)` does, is a run with its name; a line that is mostly one call
is named by it.

JAX's own frames are not recorded, so the name is read from the reader's line, at the columns that
JAX recorded.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from jaxviz import schema
from jaxviz.analysis.groups.call_stacks import CALL_OF_LIBRARY, says_what_it_does
from jaxviz.analysis.groups.graph_facts import GraphFacts, TextPlace, line_of
from jaxviz.analysis.groups.run_tree import Run, equal_neighbours

LEAST_EQNS = 8
"""Eqns from which a call becomes a run."""
MOST = 3 / 4
"""The part of a line's eqns from which one call is the line."""
BUILTINS = frozenset(dir(builtins))
CALL = re.compile(r"(?:\w+\.)*([A-Za-z]\w*)\(")


def runs_of_calls(facts: GraphFacts) -> Iterator[Run]:
    """The runs of neighbours that one call made which runs a function of the reader's."""
    for start, stop, depth in equal_neighbours(facts.stacks):
        if stop - start < LEAST_EQNS or facts.frames[facts.stacks[start][depth]].library:
            continue
        inner = {stack[depth + 1 :][:1] for stack in facts.stacks[start:stop]}
        functions = {facts.frames[at].function for stack in inner for at in stack}
        at = facts.stacks[start][depth]
        name = called_name(facts.frames[at], facts.text) if functions and () in inner else ""
        if name and name not in {function.rpartition(".")[2] for function in functions}:
            yield Run(start, stop, "call", name, (CALL_OF_LIBRARY, at))


def name_of_most(line: Run, depth: int, facts: GraphFacts) -> str:
    """The function whose single call made most of a line's eqns. `depth` selects the frame in
    their stacks. Empty if the function is the reader's."""
    stacks = facts.stacks[line.start : line.stop]
    made = Counter(stack[depth] for stack in stacks if len(stack) == depth + 1)
    at, count = made.most_common(1)[0] if made else (-1, 0)
    return called_name(facts.frames[at], facts.text) if count >= MOST * len(line) else ""


def called_name(frame: schema.Frame, text_of: Mapping[TextPlace, str]) -> str:
    """The function that a frame's expression calls, if that is one call of a function whose name
    says what it does. `text_of` has the reader's lines."""
    text = line_of(frame, text_of)[max(frame.column - 1, 0) :]
    found = CALL.match(text)
    if not found or not says_what_it_does(found[1]) or found[0].rstrip("(") in BUILTINS:
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
    """Whether the first bracket of a line is still open at its end."""
    depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter in ")]}" and depth == 0:
            return False
    return depth > 0
