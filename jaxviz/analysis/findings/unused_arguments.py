"""Large arguments from which nothing of a program comes.

Told of whole arguments of 1 MiB and more: a leaf of a tree that one function does not need is
passed for the sake of the tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import LEAST_BYTES, Found, Searched, root_of
from jaxviz.sentences import sentence


def unused_arguments(searched: Searched) -> Iterator[Found]:
    graph = searched.graphs[0]
    if searched.size(graph, graph.invars) < LEAST_BYTES:
        return
    used = {var for eqn in graph.eqns for var in eqn.invars}.union(graph.outvars)
    sizes = {
        path: searched.size(graph, [var])
        for path, var in zip(graph.args, graph.invars, strict=False)
        if var not in used
    }
    if sum(sizes.values()) < LEAST_BYTES:
        return
    paths = zip(graph.args, graph.invars, strict=False)
    needed = {root_of(path) for path, var in paths if var in used}
    roots: dict[str, int] = {}
    for path, size in sizes.items():
        if root_of(path) not in needed:
            roots[root_of(path)] = roots.get(root_of(path), 0) + size
    unused = {name: size for name, size in roots.items() if name and size >= LEAST_BYTES}
    if unused:
        total = bytes_text(sum(unused.values()))
        names = "`, `".join(unused)
        yield Found(
            what=sentence("unused", name=names, bytes=total)
            if len(unused) == 1
            else sentence("unused, several", names=names, bytes=total),
            names=[*unused],
            bytes=sum(unused.values()),
            at=searched.definition,
        )
