"""Turns the line `%%jaxviz` above a cell into the cell's first statement."""

from __future__ import annotations

import re

from IPython.core.inputtransformer2 import cell_magic

HEAD = re.compile(r"%%jaxviz(?![\w?])[ \t]*(.*)")


def first_statement(lines: list[str]) -> list[str]:
    """The cell with a call of the magic in place of its first line, and otherwise unchanged.

    So lines keep their numbers, and top-level `await`, the last value and tracebacks work as
    without the magic. A further magic (`%%time`) may stand below.
    """
    found = HEAD.match(lines[0]) if lines else None
    if found is None:
        return lines
    body = lines[1:]
    start = next((index for index, line in enumerate(body) if line.strip()), 0)
    call = f"get_ipython().run_cell_magic('jaxviz', {found[1].strip()!r}, None)\n"
    return [call, *body[:start], *cell_magic(body[start:])]
