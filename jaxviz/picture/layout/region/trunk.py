"""The longest paths: what the eye follows, and what stands upright before all others."""

from __future__ import annotations

from collections.abc import Iterable

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.neighbours import Neighbours
from jaxviz.picture.layout.region.rows import Rows


def trunks(graph: Layered, rows: Rows, near: Neighbours) -> list[int]:
    """Of each box, the link to the next one on the longest path through both, or -1."""
    order = [v for row in rows.order for v in row]
    above = _longest(graph, order, near.up, graph.source)
    below = _longest(graph, reversed(order), near.down, graph.target)
    into = _best(graph, near.up, graph.source, above)
    out = _best(graph, near.down, graph.target, below)
    return [link if link != -1 and into[graph.target[link]] == link else -1 for link in out]


def _longest(
    graph: Layered, order: Iterable[int], links: list[list[int]], end: list[int]
) -> list[int]:
    """Of each node, how many boxes the longest path that ends there (or begins there) passes."""
    length = [0] * len(graph.rank)
    for v in order:
        most = max((length[end[link]] for link in links[v]), default=0)
        length[v] = most + (v < graph.boxes)
    return length


def _best(graph: Layered, links: list[list[int]], end: list[int], length: list[int]) -> list[int]:
    """Of each box, the first link to a box that most others lead to."""
    found = [-1] * graph.boxes
    for v in range(graph.boxes):
        most = 0
        for link in links[v]:
            other = end[link]
            if other < graph.boxes and length[other] > most:
                most = length[other]
                found[v] = link
    return found
