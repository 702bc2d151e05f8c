"""The programs of a function as a table: as text, and as HTML for notebooks."""

from __future__ import annotations

from html import escape

from jaxviz.display.summary import harmless
from jaxviz.schema import CacheColumn, CacheRow, CacheTable, Frame

MARK = "*"
LONGEST_CELL = 40
LEGEND = f"{MARK} differs from the row above that is most like it."
_WHOLE = {
    "mesh": "mesh",
    "function": "function object",
    "cleared": "caches cleared",
}
_OF_ARGUMENT = {"style": "passed"}


def heading(column: CacheColumn) -> str:
    """What a column is about: `x: shape`."""
    if not column.where:
        return _WHOLE.get(column.kind, column.kind)
    if column.kind == "config":
        return column.where
    return f"{column.where}: {_OF_ARGUMENT.get(column.kind, column.kind)}"


def place(site: Frame | None) -> str:
    """The line that a trace is from."""
    return "an unknown line" if site is None else f"{site.file}:{site.line}"


def cache_text(table: CacheTable) -> str:
    """The table, and what is missing in it."""
    rows = [["", *map(heading, table.columns), "traced at"]]
    rows += [[str(i), *_cells(row), place(row.site)] for i, row in enumerate(table.rows, 1)]
    short = [[_cut(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*short, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in short
    ]
    return "\n".join([harmless(title(table)), *lines, *_said(table)])


def cache_html(table: CacheTable) -> str:
    """The same, as a table that takes colours and fonts from its page."""
    headings = ["", *map(heading, table.columns), "traced at"]
    head = "".join(f'<th scope="col">{_html(text)}</th>' for text in headings)
    body = "".join(_row(i, row) for i, row in enumerate(table.rows, 1))
    said = "".join(f"<p>{_html(line)}</p>" for line in _said(table))
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<p>{_html(title(table))}</p>{whole}{said}"


def title(table: CacheTable) -> str:
    """The function, and how many programs JAX made of it."""
    programs = len(table.rows) + table.omitted
    where = "" if table.definition is None else f" ({place(table.definition)})"
    return f"{table.name}{where}: {programs:,} program{'' if programs == 1 else 's'}"


def _row(number: int, row: CacheRow) -> str:
    cells = "".join(
        f"<td><b>{_html(cell)}</b></td>" if i in row.differs else f"<td>{_html(cell)}</td>"
        for i, cell in enumerate(_cells(row))
    )
    return f"<tr><td>{number}</td>{cells}<td>{_html(place(row.site))}</td></tr>"


def _html(text: str) -> str:
    return escape(harmless(_cut(text)))


def _cells(row: CacheRow) -> list[str]:
    return [
        f"{_cut(cell)} {MARK}" if i in row.differs else cell for i, cell in enumerate(row.cells)
    ]


def _cut(text: str) -> str:
    text = harmless(text)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _said(table: CacheTable) -> list[str]:
    """What the marks mean, and what is left out."""
    said = [LEGEND] if any(row.differs for row in table.rows) else []
    if table.more:
        said.append(f"Columns left out: {table.more:,}.")
    if table.omitted:
        said.append(f"Programs left out: {table.omitted:,}, the latest ones.")
    return said
