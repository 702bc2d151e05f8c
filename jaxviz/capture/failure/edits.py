"""Mends as edits of the user's own source, and what each of them promises."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.schema import Mend
from jaxviz.schema.sentence import NOTHING, Sentence

SAME, OTHER, SKETCH = "same result", "other result", "sketch"


def sketch(title: Sentence) -> Mend:
    return Mend(
        title=title,
        promise=SKETCH,
        differs=NOTHING,
        first=0,
        last=0,
        before=[],
        lines=[],
        tries=False,
    )


def either(rule: Callable[[FailedCall], Iterator[Mend]], call: FailedCall) -> Iterator[Mend]:
    """The edits of a rule; without any its first advice."""
    found = [*rule(call)]
    edits = [one for one in found if one.promise != SKETCH]
    yield from edits or found[:1]


Placed = ast.expr | ast.stmt | ast.arg | ast.keyword
"""A node that has a place in the source."""


Change = tuple[Placed, str]
"""A node, and the text that takes its place."""


def edited(
    call: FailedCall,
    title: Sentence,
    *changes: Change,
    differs: Sentence = NOTHING,
    promise: str = "",
) -> Mend:
    """The mend that puts texts in the place of nodes. Its result is the same unless it `differs`;
    where that is not so, `promise` is given."""
    source = text = call.failed.source
    for node, new in sorted(changes, key=lambda change: -span(source, change[0])[0]):
        start, stop = span(source, node)
        text = text[:start] + new + text[stop:]
    before, after = source.splitlines(), text.splitlines()
    pairs = zip([*before, None], [*after, None], strict=False)
    first = next(number for number, (one, other) in enumerate(pairs) if one != other)
    same = 0
    while same < min(len(before), len(after)) - first and before[-1 - same] == after[-1 - same]:
        same += 1
    last = len(before) - same
    lines = after[first : len(after) - same]
    promise = promise or (OTHER if differs else SAME)
    known = {"promise": promise, "differs": differs, "first": first + 1, "last": last}
    return replace(sketch(title), before=before[first:last], lines=lines, **known)


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
