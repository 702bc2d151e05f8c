"""The order of the nodes on each row."""

from __future__ import annotations

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.crossings import count_crossings
from jaxviz.picture.layout.region.exchange import exchange
from jaxviz.picture.layout.region.neighbours import Neighbours
from jaxviz.picture.layout.region.placement import Region
from jaxviz.picture.layout.region.rows import Rows

MOST = 24
LEAST = 4
PATIENCE = 6
NODES = 60_000
"""Sweeps end after `MOST`, or `PATIENCE` in a row without gain; large components get fewer."""
ROUNDS = 3
"""After a sweep neighbours are exchanged in at most so many rounds."""
REACH = 8
"""Rows this far from all crossings stay as they are."""


def order_rows(region: Region, graph: Layered, rows: Rows, near: Neighbours) -> list[list[int]]:
    """Rows with few crossings: sweeps down and up that sort by medians, each followed by the
    exchange of neighbours, of which each component keeps the best (Gansner, Koutsofios, North and
    Vo, 1993)."""
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
        self.crossed = [0] * len(rows.order)
        self.leaves = [share(x, v) for x, v in zip(graph.source_x, graph.source, strict=True)]
        self.enters = [share(x, v) for x, v in zip(graph.target_x, graph.target, strict=True)]

    def improve(self, top: int, bottom: int) -> None:
        """Orders the rows `[top, bottom)` of one component, stretch by stretch."""
        for r in range(top, bottom):
            self.settle(r)
        self.crossings(top, bottom)
        begin = end = top
        crossed = [r for r in range(top, bottom - 1) if self.crossed[r] > 0]
        for i, r in enumerate(crossed):
            if i == 0 or r > crossed[i - 1] + 2 * REACH:
                begin = max(end, r - REACH)
            if i + 1 == len(crossed) or crossed[i + 1] > r + 2 * REACH:
                end = min(bottom, r + 2 + REACH)
                self.improve_stretch(top, bottom, begin, end)

    def improve_stretch(self, top: int, bottom: int, begin: int, end: int) -> None:
        """Orders the rows `[begin, end)` between those around them."""
        first, stop = max(top, begin - 1), min(bottom, end + 1)
        fewest = self.crossings(first, stop)
        best = [list(row) for row in self.order[begin:end]]
        most = max(LEAST, min(MOST, NODES // sum(len(row) for row in best)))
        idle = 0
        for sweep in range(most):
            if idle >= PATIENCE or fewest == 0:
                break
            downwards = sweep % 2 == 0
            for r in range(first + 1, end) if downwards else range(stop - 2, begin - 1, -1):
                self.reorder(r, downwards)
            counted = self.crossings(first, stop)
            crossings = counted - self.exchange(begin, end, top, bottom, sweep % 4 < 2)
            idle += 1
            if crossings < fewest:
                fewest, best, idle = crossings, [list(row) for row in self.order[begin:end]], 0
        self.order[begin:end] = best
        for r in range(begin, end):
            self.settle(r)

    def crossings(self, top: int, bottom: int) -> int:
        for r in range(top, bottom - 1):
            self.crossed[r] = count_crossings(
                self.graph, self.order[r], self.order[r + 1], self.near
            )
        return sum(self.crossed[top : bottom - 1])

    def exchange(self, begin: int, end: int, top: int, bottom: int, even: bool) -> int:
        """Exchanges neighbours on the rows with crossings, and tells how many fewer there are."""
        saved = 0
        for _ in range(ROUNDS):
            before = saved
            for r in range(begin, end):
                if any(self.crossed[max(top, r - 1) : min(bottom - 1, r + 1)]):
                    saved += exchange(self.order[r], self.ends_above, self.ends_below, even)
                    self.settle(r)
            if saved == before:
                break
        return saved

    def ends_above(self, v: int) -> list[float]:
        """Where a node's links above it begin, from left to right."""
        return sorted(self.begins(link) for link in self.near.up[v])

    def ends_below(self, u: int) -> list[float]:
        """Where a node's links below it end, from left to right."""
        return sorted(self.ends(link) for link in self.near.down[u])

    def begins(self, link: int) -> float:
        u = self.graph.source[link]
        return self.position[u] + self.leaves[link] / self.size(u)

    def ends(self, link: int) -> float:
        v = self.graph.target[link]
        return self.position[v] + self.enters[link] / self.size(v)

    def reorder(self, r: int, downwards: bool) -> None:
        """Sorts a row by the median place of each node's neighbours on the row before. Nodes
        without any stay where they are."""
        row = self.order[r]
        if len(row) < 2:
            return
        pull = self.pull_above if downwards else self.pull_below
        links = self.near.up if downwards else self.near.down
        key = {v: (_median(pull(v, len(row))), self.position[v]) for v in row if links[v]}
        moving = iter(sorted(key, key=key.__getitem__))
        self.order[r] = [next(moving) if v in key else v for v in row]
        self.settle(r)

    def pull_above(self, v: int, size: int) -> list[float]:
        """Where each link above a node would have it on its row of that size, left to right."""
        return sorted(self.begins(link) - self.enters[link] / size for link in self.near.up[v])

    def pull_below(self, u: int, size: int) -> list[float]:
        return sorted(self.ends(link) - self.leaves[link] / size for link in self.near.down[u])

    def size(self, v: int) -> int:
        return len(self.rows.order[self.rows.row[v]])

    def settle(self, r: int) -> None:
        row = self.order[r]
        for i, v in enumerate(row):
            self.position[v] = (i + 0.5) / len(row)


def _median(values: list[float]) -> float:
    """The middle of sorted values; of an even number, nearer to the half that stands closer
    together."""
    half = len(values) // 2
    above = values[half]
    if len(values) % 2 == 1:
        return above
    below = values[half - 1]
    left, right = below - values[0], values[-1] - above
    if left + right == 0:
        return (below + above) / 2
    return (below * right + above * left) / (left + right)
