"""The cause of a difference between two programs of a job, as far as the programs show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jaxviz import schema
from jaxviz.schema import Sentence
from jaxviz.sentences import joined, sentence

MOST_CHANGES = 5
"""The most differing inputs, results and static arguments that are named. Of more, the text has
their number."""


def cause(
    before: schema.Program, after: schema.Program, inputs: Sequence[schema.Change]
) -> Sentence:
    """The difference between a program and that of most processes, in a clause. `inputs` has the
    changes of its inputs and results."""
    changed = [_changed(one) for one in [*inputs, *_fixed(before, after)]]
    if len(changed) > MOST_CHANGES:
        changed[MOST_CHANGES:] = [sentence("more differ", count=len(changed) - MOST_CHANGES)]
    if changed:
        return joined(changed)
    one, other = (
        [eqn.op for graph in of.stages[0].graphs for eqn in graph.eqns] for of in (before, after)
    )
    is_moved = one != other and Counter(one) == Counter(other)
    return sentence("eqns in another order" if is_moved else "other eqns")


def branch_of(listings: Sequence[schema.Listing], frame: schema.Frame) -> str:
    """The `if` or `elif` around a user's line within its function; for an `else`, the one before
    it. Empty if there is none, or the code is not available."""
    for listing in listings:
        lines, at = listing.text.splitlines(), frame.line - listing.start
        if (listing.file, listing.cell) == (frame.file, frame.cell) and 0 <= at < len(lines):
            return _branch(lines[at], lines[:at])
    return ""


def _branch(line: str, before: Sequence[str]) -> str:
    inner = _indentation(line)
    is_else = ""
    for one in reversed(before):
        head = one.strip()
        if not head or head.startswith("#") or _indentation(one) >= inner:
            continue
        inner = _indentation(one)
        if head.startswith(("def ", "async def ", "class ")):
            break
        if head.startswith(("if ", "elif ")):
            return f"{is_else}{head.rstrip(':')}"
        is_else = "else of " if head == "else:" else ""
        inner += bool(is_else)  # its condition has the same indentation
    return ""


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fixed(before: schema.Program, after: schema.Program) -> list[schema.Change]:
    """The arguments that are fixed in both programs, to values that differ."""
    values = {one.path: one.text for one in before.fixed}
    return [
        schema.Change("static", one.path, values[one.path], one.text)
        for one in after.fixed
        if values.get(one.path, one.text) != one.text
    ]


def _changed(change: schema.Change) -> Sentence:
    if change.before and change.after:
        sides = {"after": change.after, "before": change.before}
        return sentence("is another", where=change.where, **sides)
    return sentence("is there" if change.after else "is missing", where=change.where)
