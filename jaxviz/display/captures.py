"""A program that is shown, as one line among others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxviz.display.shown import running_cell
from jaxviz.schema import Capture, Frame, Program


def captured(key: str, record: Program) -> Capture:
    """In the thread that runs the cell which shows it."""
    cell, count = running_cell()
    return Capture(
        key=key,
        name=record.name,
        eqns=sum(len(graph.eqns) for graph in record.stages[0].graphs),
        cell=cell,
        count=count,
        definition=next(definitions(record), None),
    )


def definitions(record: Program) -> Iterator[Frame]:
    """Where a function of the program's name begins: of `grad(loss)` that of `loss`."""
    name = inner(record.name)
    begins = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(name)}\s*[(\[]")
    for listing in record.listings:
        for line, code in enumerate(listing.text.splitlines(), listing.start):
            if begins.match(code):
                yield Frame(
                    function=name,
                    file=listing.file,
                    line=line,
                    column=0,
                    code=code.strip(),
                    cell=listing.cell,
                    count=listing.count,
                    library=False,
                    parent=None,
                )


def inner(name: str) -> str:
    """`loss` of `grad(vmap(loss))`, `__call__` of `Model.__call__`."""
    return name.rpartition("(")[2].rstrip(")").rpartition(".")[2]
