"""Runs of nodes that follow one another stand upright, as far as their neighbours leave room."""

from __future__ import annotations

import math
from collections.abc import Iterator

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.neighbours import Neighbours
from jaxviz.picture.layout.region.rows import Rows

PASSES = 2


def straighten(
    graph: Layered,
    rows: Rows,
    near: Neighbours,
    trunk: list[int],
    leans: list[float],
    offset: list[float],
    x: list[float],
) -> set[int]:
    """A run goes on along a trunk, or where a link is the only one, or goes on along a chain.

    Returns the nodes of all runs.
    """
    follower = [_follower(graph, near, trunk, u) for u in range(len(graph.rank))]
    inner = {graph.target[link] for link in follower if link != -1}
    beside = {v: (row[i - 1] if i else -1, row[i + 1] if i + 1 < len(row) else -1)
              for row in rows.order for i, v in enumerate(row)}  # fmt: skip

    def room(v: int) -> tuple[float, float]:
        left, right = beside[v]
        least = -math.inf if left == -1 else x[left] + offset[v] - offset[left]
        most = math.inf if right == -1 else x[right] - (offset[right] - offset[v])
        return least, most

    for _ in range(PASSES):
        for row in rows.order:
            for head in row:
                if head in inner:
                    continue
                piece: list[tuple[int, float]] = []
                low, high = -math.inf, math.inf
                for v, aside in _run(graph, follower, leans, head):
                    least, most = room(v)
                    if max(low, least - aside) > min(high, most - aside):
                        _stand(piece, low, high, x)
                        least, most = room(v)
                        piece, low, high = [], -math.inf, math.inf
                    low, high = max(low, least - aside), min(high, most - aside)
                    piece.append((v, aside))
                _stand(piece, low, high, x)
    return inner | {v for v, link in enumerate(follower) if link != -1}


def _follower(graph: Layered, near: Neighbours, trunk: list[int], u: int) -> int:
    """The link by which a node's run goes on, or -1."""
    if u < graph.boxes and trunk[u] != -1:
        return trunk[u]
    links = near.down[u]
    if len(links) != 1:
        if u < graph.boxes:
            return -1
        links = [link for link in links if graph.target[link] >= graph.boxes]
    return links[0] if links and len(near.up[graph.target[links[0]]]) == 1 else -1


def _run(
    graph: Layered, follower: list[int], leans: list[float], head: int
) -> Iterator[tuple[int, float]]:
    """Its nodes, and how far right of the first one each would stand."""
    v, aside = head, 0.0
    yield v, aside
    while (link := follower[v]) != -1:
        aside += leans[link]
        v = graph.target[link]
        yield v, aside


def _stand(piece: list[tuple[int, float]], low: float, high: float, x: list[float]) -> None:
    if len(piece) < 2:
        return
    total = 0.0
    for v, aside in piece:
        total += x[v] - aside
    mean = min(high, max(low, total / len(piece)))
    for v, aside in piece:
        x[v] = mean + aside
