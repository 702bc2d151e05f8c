"""The nodes, row by row and component by component."""

from __future__ import annotations

from dataclasses import dataclass

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.neighbours import Neighbours


@dataclass(frozen=True)
class Rows:
    """The nodes of one rank of one component are a row.

    The rows of a component follow one another, from top to bottom; components come in the order
    of their first boxes.
    """

    row: list[int]
    """Of each node."""
    order: list[list[int]]
    """The nodes of each row, from left to right."""
    first: list[int]
    """The first row of each component, and behind them the number of rows."""


def split_rows(graph: Layered, near: Neighbours) -> Rows:
    """Splits the nodes into connected components.

    Each row is ordered as a depth-first search meets its nodes, which keeps chains together.
    """
    row = [-1] * len(graph.rank)
    order: list[list[int]] = []
    first = [0]
    for root in range(graph.boxes):
        if row[root] != -1:
            continue
        met = _search(graph, near, root, row)
        top = min(graph.rank[v] for v in met)
        order.extend([] for _ in range(max(graph.rank[v] for v in met) - top + 1))
        for v in met:
            row[v] = first[-1] + graph.rank[v] - top
            order[row[v]].append(v)
        first.append(len(order))
    return Rows(row, order, first)


def _search(graph: Layered, near: Neighbours, root: int, row: list[int]) -> list[int]:
    met: list[int] = []
    stack = [root]
    while stack:
        v = stack.pop()
        if row[v] != -1:
            continue
        row[v] = 0
        met.append(v)
        stack.extend(graph.target[link] for link in reversed(near.down[v]))
        stack.extend(graph.source[link] for link in reversed(near.up[v]))
    return met
