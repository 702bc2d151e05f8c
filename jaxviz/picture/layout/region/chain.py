"""Long edges become chains of bends, or are cut."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from jaxviz.picture.layout.region.adjacency import by_node
from jaxviz.picture.layout.region.placement import Region


@dataclass
class Layered:
    """A region whose links all lead from one rank to the next.

    Nodes are the boxes and, behind them, the bends at which a long edge passes the ranks between
    its ends.
    """

    boxes: int
    rank: list[int]
    last: list[int]
    """The last link of each edge, or -1 where the edge is cut."""
    source: list[int] = field(default_factory=list[int])
    target: list[int] = field(default_factory=list[int])
    source_x: list[float] = field(default_factory=list[float])
    target_x: list[float] = field(default_factory=list[float])
    above: list[int] = field(default_factory=list[int])
    """Of each bend, the one node before it."""

    def link(self, source: int, target: int, source_x: float, target_x: float) -> None:
        self.source.append(source)
        self.target.append(target)
        self.source_x.append(source_x if source < self.boxes else 0.0)
        self.target_x.append(target_x)


def chain_edges(region: Region, rank: list[int], cut: int) -> Layered:
    """Makes chains of bends for the edges over at most `cut` ranks.

    Edges that leave a box at the same point share one chain, and each turns off it where its
    target is near.
    """
    graph = Layered(len(rank), list(rank), [-1] * len(region.source))
    leaves = region.source_x or [0.0] * len(region.source)
    enters = [0.0 if math.isnan(x) else x for x in region.target_x or [0.0] * len(region.source)]
    for u, edges in enumerate(by_node(graph.boxes, region.source)):
        chain, chain_x = [u], math.nan
        for e in sorted(edges, key=lambda e: (leaves[e], e)):
            span = rank[region.target[e]] - rank[u]
            if span > cut:
                continue
            if leaves[e] != chain_x:
                chain, chain_x = [u], leaves[e]
            while len(chain) < span:
                graph.rank.append(rank[u] + len(chain))
                graph.above.append(chain[-1])
                graph.link(chain[-1], len(graph.rank) - 1, leaves[e], 0.0)
                chain.append(len(graph.rank) - 1)
            graph.last[e] = len(graph.source)
            graph.link(chain[span - 1], region.target[e], leaves[e], enters[e])
    return graph
