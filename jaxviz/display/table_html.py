"""A table as HTML, which takes colours and fonts from its page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jaxviz.display.summary import harmless


def table_html(rows: Sequence[Sequence[str]]) -> str:
    """A table of these rows; the first has the headings."""
    head, *body = [[escape(harmless(cell.strip(" "))) for cell in row] for row in rows]
    headings = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body)
    return f"<table><thead><tr>{headings}</tr></thead><tbody>{cells}</tbody></table>"


def paragraphs_html(lines: Sequence[str]) -> str:
    """A paragraph for each line."""
    return "".join(f"<p>{escape(harmless(line))}</p>" for line in lines)
