"""The order of the nodes on each row."""

from __future__ import annotations

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.crossings import count_crossings
from jaxviz.picture.layout.region.neighbours import Neighbours
from jaxviz.picture.layout.region.placement import Region
from jaxviz.picture.layout.region.rows import Rows

MOST = 24
LEAST = 4
PATIENCE = 6
NODES = 60_000
"""Sweeps end after `MOST`, or `PATIENCE` in a row without gain; large components get fewer."""


def order_rows(region: Region, graph: Layered, rows: Rows, near: Neighbours) -> list[list[int]]:
    """Rows with few crossings: barycentre sweeps down and up, of which each component keeps the
    best (Sugiyama, Tagawa and Toda, 1981)."""
    sweeper = _Sweeper(region, graph, rows, near)
    for top, bottom in zip(rows.first, rows.first[1:], strict=False):
        sweeper.improve(top, bottom)
    return sweeper.order


class _Sweeper:
    def __init__(self, region: Region, graph: Layered, rows: Rows, near: Neighbours) -> None:
        def share(x: float, v: int) -> float:
            return 0.0 if x == 0 else x / region.width[v]

        self.graph, self.rows, self.near = graph, rows, near
        self.order = [list(row) for row in rows.order]
        self.position = [0.0] * len(graph.rank)
        self.leaves = [share(x, v) for x, v in zip(graph.source_x, graph.source, strict=True)]
        self.enters = [share(x, v) for x, v in zip(graph.target_x, graph.target, strict=True)]

    def improve(self, top: int, bottom: int) -> None:
        """Orders the rows `[top, bottom)` of one component."""
        for r in range(top, bottom):
            self.settle(r)
        fewest = self.crossings(top, bottom)
        best = self.order[top:bottom]
        most = max(LEAST, min(MOST, NODES // sum(len(row) for row in best)))
        idle = 0
        for sweep in range(most):
            if idle >= PATIENCE or fewest == 0:
                break
            self.sweep(top, bottom, sweep % 2 == 0)
            crossings = self.crossings(top, bottom)
            idle += 1
            if crossings < fewest:
                fewest, best, idle = crossings, self.order[top:bottom], 0
        self.order[top:bottom] = best

    def sweep(self, top: int, bottom: int, downwards: bool) -> None:
        for r in range(top + 1, bottom) if downwards else range(bottom - 2, top - 1, -1):
            self.reorder(r, downwards)

    def crossings(self, top: int, bottom: int) -> int:
        return sum(
            count_crossings(self.graph, self.order[r], self.order[r + 1], self.near)
            for r in range(top, bottom - 1)
        )

    def reorder(self, r: int, downwards: bool) -> None:
        """Sorts a row by the mean place of each node's neighbours on the row before."""
        size = len(self.order[r])
        if size < 2:
            return
        mean = self.mean_above if downwards else self.mean_below
        key = {v: (mean(v, size), self.position[v]) for v in self.order[r]}
        self.order[r] = sorted(self.order[r], key=key.__getitem__)
        self.settle(r)

    def mean_above(self, v: int, size: int) -> float:
        links = self.near.up[v]
        if not links:
            return self.position[v]
        total = 0.0
        for link in links:
            u = self.graph.source[link]
            total += self.position[u] + self.leaves[link] / self.size(u) - self.enters[link] / size
        return total / len(links)

    def mean_below(self, u: int, size: int) -> float:
        links = self.near.down[u]
        if not links:
            return self.position[u]
        total = 0.0
        for link in links:
            v = self.graph.target[link]
            total += self.position[v] + self.enters[link] / self.size(v) - self.leaves[link] / size
        return total / len(links)

    def size(self, v: int) -> int:
        return len(self.rows.order[self.rows.row[v]])

    def settle(self, r: int) -> None:
        row = self.order[r]
        for i, v in enumerate(row):
            self.position[v] = (i + 0.5) / len(row)
