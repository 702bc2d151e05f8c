"""Finds which characters of a module's text belong to which op.

MLIR prints ops in the order of the module, each on a line that begins with its results, and closes
an op's regions at the indent of its first line. Some ops are printed without the ops in their
region (`stablehlo.reduce … applies stablehlo.add`): these have no span.
"""

from __future__ import annotations

import re
from itertools import accumulate

_OP = re.compile(r"(?:(?P<result>%[\w.$-]+)[^=]*= )?\"?(?P<name>[\w.$]+)")
_BETWEEN = ("}", "^", "cond {", "do {", "reducer(")


class Lines:
    """The lines of a module's text, read once from the top: `open` and `close` go forward."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._next = 1

    def open(self, name: str, results: list[str], operands: list[str]) -> int | None:
        """The number of the line on which the next op is printed; None if it is not printed."""
        at = self._next
        while at < len(self._lines) and self._lines[at].lstrip().startswith(_BETWEEN):
            at += 1
        if at == len(self._lines) or not _is_op(self._lines[at], name, results, operands):
            return None
        self._next = at + 1
        return at

    def close(self, line: int | None) -> list[int] | None:
        """The span of the op that was opened at `line`, with its regions; None if `line` is None.
        To be called after all ops in it."""
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
        """Start and stop of the text from the op on the line `first` to the end of the line `last`,
        in characters."""
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
