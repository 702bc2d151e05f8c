"""The programs of a function as a table of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jaxviz.display.summary import harmless
from jaxviz.schema import CacheCall, CacheColumn, CacheRow, CacheTable
from jaxviz.sentences.amounts import count_text
from jaxviz.session.log_text import place

MARK = "*"
LONGEST_CELL = 40
MOST_CALLS = 100
LEGEND = f"{MARK} differs from the row above that is most like it."
NOT_COUNTED = "Calls that JAX's caches answered were not counted: watch(hits=True) counts them."
_WHOLE = {"mesh": "mesh", "function": "function object", "cleared": "caches cleared"}
_OF_ARGUMENT = {"style": "passed"}


def heading(column: CacheColumn) -> str:
    """The subject of a column: `x: shape`."""
    if not column.where:
        return _WHOLE.get(column.kind, column.kind)
    if column.kind == "config":
        return column.where
    return f"{column.where}: {_OF_ARGUMENT.get(column.kind, column.kind)}"


def cache_text(table: CacheTable) -> str:
    """The table, the calls in their order, and what is missing."""
    rows = [[_cut(cell) for cell in row] for row in _rows(table)]
    calls = [["  calls, in order", "program", "", ""], *_calls(table)] if _calls(table) else []
    lines = [title(table), *_aligned(rows), *_aligned(calls), *_said(table)]
    return "\n".join(harmless(line) for line in lines)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def title(table: CacheTable) -> str:
    """The function, how many programs JAX has of it, and how many calls found one."""
    where = "" if table.definition is None else f" ({place(table.definition)})"
    programs = count_text(len(table.rows) + table.omitted, "program")
    hits = "" if table.hits is None else f", {count_text(table.hits, 'cached call')}"
    return f"{table.name}{where}: {programs}{hits}"


def _rows(table: CacheTable) -> list[list[str]]:
    """The headings, and a row for each program."""
    head = ["", *map(heading, table.columns), "traced at"]
    return [head, *([str(i), *_cells(row), _traced_at(row)] for i, row in enumerate(table.rows, 1))]


def _cells(row: CacheRow) -> list[str]:
    cells = map(str, row.cells)
    return [f"{_cut(cell)} {MARK}" if i in row.differs else cell for i, cell in enumerate(cells)]


def _traced_at(row: CacheRow) -> str:
    return "earlier, not in this log" if row.number is None else place(row.site)


def _calls(table: CacheTable) -> list[list[str]]:
    """The calls in their order; none where those that caches answered were not counted."""
    return [] if table.hits is None else [_call(call) for call in table.calls[:MOST_CALLS]]


def _call(call: CacheCall) -> list[str]:
    times = f"{call.times:,} times" if call.times > 1 else ""
    said = ", ".join(filter(None, [times, str(call.narrowed)]))
    return [f"  {place(call.site)}", str(call.row + 1), call.end, said]


def _cut(text: str) -> str:
    text = harmless(text)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _said(table: CacheTable) -> list[str]:
    """The meaning of the marks, and the number of rows left out."""
    said = [LEGEND] if any(row.differs for row in table.rows) else []
    if table.more:
        said.append(f"Columns left out: {table.more:,}.")
    if table.omitted:
        said.append(f"Programs left out: {table.omitted:,}, the latest ones.")
    if table.hits is None:
        return [*said, NOT_COUNTED]
    shown = sum(call.times for call in table.calls[:MOST_CALLS] if call.end == "hit")
    if table.hits > shown:
        said.append(f"Cached calls that are not listed: {table.hits - shown:,}.")
    return said
