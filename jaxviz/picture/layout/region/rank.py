"""The rank of each box: edges lead from lower to higher ranks, short where they can be."""

from __future__ import annotations

from jaxviz.picture.layout.region.adjacency import by_node
from jaxviz.picture.layout.region.placement import Pin, Region

SINKING = 4
"""An output goes down to the last rank when that is at most this far."""
FEW = 3
"""A box made of inputs alone goes down to its consumers when it has at most so many."""


def rank_boxes(region: Region) -> list[int]:
    boxes = len(region.width)
    sources = [[region.source[e] for e in edges] for edges in by_node(boxes, region.target)]
    targets = [[region.target[e] for e in edges] for edges in by_node(boxes, region.source)]
    rank = _longest_path(targets)
    _pull_down(rank, sources, targets)
    if region.pin is not None:
        _pin_boxes(region.pin, rank, sources)
    return rank


def _longest_path(targets: list[list[int]]) -> list[int]:
    rank = [0] * len(targets)
    for u, users in enumerate(targets):
        for v in users:
            rank[v] = max(rank[v], rank[u] + 1)
    return rank


def _pull_down(rank: list[int], sources: list[list[int]], targets: list[list[int]]) -> None:
    """Moves a box down to its first consumer where more edges get shorter than longer.

    An edge costs nothing that comes from an input, or from a box that will follow: one made of
    inputs alone, as a cast of a weight is, and its product with a step's input.
    """
    follows: list[bool] = []
    cost: list[int] = []
    for makers, users in zip(sources, targets, strict=True):
        cost.append(sum(not follows[u] for u in makers))
        follows.append(not makers or (cost[-1] == 0 and len(users) <= FEW))
    for u in range(len(rank) - 1, -1, -1):
        if len(targets[u]) > cost[u]:
            rank[u] = min(rank[v] for v in targets[u]) - 1


def _pin_boxes(pin: list[int], rank: list[int], sources: list[list[int]]) -> None:
    above = int(Pin.FIRST in pin)
    deepest = 0
    for v, kept in enumerate(pin):
        rank[v] = 0 if kept == Pin.FIRST else rank[v] + above
        if kept != Pin.LAST:
            deepest = max(deepest, rank[v])
    for v, kept in enumerate(pin):
        if kept == Pin.LAST:
            rank[v] = deepest + 1
        if kept == Pin.LOW and all(deepest - rank[u] <= SINKING for u in sources[v]):
            rank[v] = deepest
