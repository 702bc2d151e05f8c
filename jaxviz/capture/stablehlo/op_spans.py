"""Finds which characters of a module's text belong to which op.

MLIR prints ops in the order in which they nest, each on a line of its own that begins with its
results, and closes what it opened at the same indent. Some ops leave out what they hold
(`stablehlo.reduce … applies stablehlo.add`): what is not found on the next line has no span.
"""

from __future__ import annotations

import re
from itertools import accumulate

_OP = re.compile(r"(?:(?P<result>%[\w.$-]+)[^=]*= )?\"?(?P<name>[\w.$]+)")
_BETWEEN = ("}", "^", "cond {", "do {", "reducer(")


class Lines:
    """The lines of a text, read from the top."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._next = 1

    def open(self, name: str, results: list[str], operands: list[str]) -> int | None:
        """The line of the next op, None where it is not printed."""
        at = self._next
        while at < len(self._lines) and self._lines[at].lstrip().startswith(_BETWEEN):
            at += 1
        if at == len(self._lines) or not _is_op(self._lines[at], name, results, operands):
            return None
        self._next = at + 1
        return at

    def close(self, line: int | None) -> list[int] | None:
        """The span of the op that was opened at `line`, with all that it holds."""
        if line is None:
            return None
        indent = _indent(self._lines[line])
        at = self._next
        while at < len(self._lines) and self._is_inside(at, indent):
            at += 1
        if at == len(self._lines) or not self._lines[at].startswith("}", indent):
            return self.span(line, line)
        self._next = at + 1
        return self.span(line, at)

    def span(self, first: int, last: int) -> list[int]:
        """Characters from the first line's op to the end of the last line."""
        start = self._starts[first] + _indent(self._lines[first])
        return [start, self._starts[last] + len(self._lines[last])]

    def _is_inside(self, at: int, indent: int) -> bool:
        line = self._lines[at]
        return _indent(line) > indent or (line.startswith("}", indent) and line.endswith("{"))


def _is_op(line: str, name: str, results: list[str], operands: list[str]) -> bool:
    found = _OP.match(line.lstrip())
    if found is None or found["name"] not in (name, name.removeprefix("func.")):
        return False
    if results:
        return found["result"] == results[0].partition("#")[0]
    return found["result"] is None and all(operand in line for operand in operands)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
