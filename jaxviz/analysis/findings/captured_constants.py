"""Arrays that a function closes over: they are part of its program, and so is their value.

Told from 1 MiB on in all: less is a mask or a table that nobody would pass around.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import LEAST_BYTES, Found, Searched
from jaxviz.sentences import sentence


def captured_constants(searched: Searched) -> Iterator[Found]:
    graph = searched.graphs[0]
    large = [var for var in graph.constvars if searched.size(graph, [var]) >= LEAST_BYTES]
    if not large:
        return
    total = searched.size(graph, large)
    names = [name for var in large if (name := searched.name_of(var))]
    users = searched.flow(0).users
    used = sorted({index for var in large for index in users.get(var, ())})
    one = (
        searched.aval(graph, large[0]).text
        if len(large) == 1
        else sentence("arrays", count=len(large))
    )
    yield Found(
        what=sentence("constant", name=names[0], type=one, bytes=bytes_text(total))
        if len(names) == 1 == len(large)
        else sentence("constant, several", arrays=one, bytes=bytes_text(total)),
        places=[(0, index) for index in used],
        names=names,
        bytes=total,
    )
