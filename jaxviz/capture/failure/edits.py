"""Mends as edits of the user's own source, and what each of them promises."""

from __future__ import annotations

import ast
from typing import NamedTuple

SAME, OTHER, SKETCH = "same result", "other result", "sketch"


class Mend(NamedTuple):
    """One way to mend what failed."""

    title: str
    promise: str
    """`same result`: what Python would compute if it had the values. `other result`: it works, and
    `differs` says in what its result differs. `sketch`: what to do, without an edit."""
    differs: str
    """One sentence: what differs, or what to know; may be empty."""
    first: int
    last: int
    """Lines `first` to `last` of the source, from 1, are replaced; both 0 for a sketch."""
    lines: list[str]


def sketch(title: str) -> Mend:
    return Mend(title, SKETCH, "", 0, 0, [])


Placed = ast.expr | ast.stmt
"""A node that has a place in the source."""


def edited(
    source: str, title: str, promise: str, *changes: tuple[Placed, str], differs: str = ""
) -> Mend:
    """The mend that puts texts in the place of nodes."""
    text = source
    for node, new in sorted(changes, key=lambda change: -span(source, change[0])[0]):
        start, stop = span(source, node)
        text = text[:start] + new + text[stop:]
    before, after = source.splitlines(), text.splitlines()
    pairs = zip([*before, None], [*after, None], strict=False)
    first = next(number for number, (one, other) in enumerate(pairs) if one != other)
    same = 0
    while same < min(len(before), len(after)) - first and before[-1 - same] == after[-1 - same]:
        same += 1
    return Mend(
        title, promise, differs, first + 1, len(before) - same, after[first : len(after) - same]
    )


def span(source: str, node: Placed) -> tuple[int, int]:
    """Where a node begins and ends, as characters of the source; the syntax tree counts bytes."""
    lines = source.splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        whole = sum(map(len, lines[: line - 1]))
        return whole + len(lines[line - 1].encode()[:column].decode())

    return at(node.lineno, node.col_offset), at(
        node.end_lineno or node.lineno, node.end_col_offset or 0
    )


def joined(first: ast.stmt, last: ast.stmt) -> ast.stmt:
    """A node that stands for all from one statement to another."""
    return (
        ast.copy_location(ast.Pass(), first)
        if first is last
        else ast.Pass(
            lineno=first.lineno,
            col_offset=first.col_offset,
            end_lineno=last.end_lineno,
            end_col_offset=last.end_col_offset,
        )
    )
