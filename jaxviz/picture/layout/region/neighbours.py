"""The links around each node."""

from __future__ import annotations

from dataclasses import dataclass

from jaxviz.picture.layout.region.adjacency import by_node
from jaxviz.picture.layout.region.chain import Layered


@dataclass(frozen=True)
class Neighbours:
    """The links above and below each node, from left to right by where they meet it."""

    up: list[list[int]]
    down: list[list[int]]


def neighbours(graph: Layered) -> Neighbours:
    up = by_node(len(graph.rank), graph.target)
    for links in up:
        links.sort(key=lambda link: (graph.target_x[link], link))
    return Neighbours(up, by_node(len(graph.rank), graph.source))
