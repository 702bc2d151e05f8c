"""Counting crossings with a Fenwick tree (Barth, Jünger and Mutzel, 2004)."""

from __future__ import annotations

from itertools import groupby

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.neighbours import Neighbours


def count_crossings(graph: Layered, upper: list[int], lower: list[int], near: Neighbours) -> int:
    """How often the links between two rows cross. Links that share an end do not."""
    slot: dict[int, int] = {}
    slots = 0
    for v in lower:
        for _, links in groupby(near.up[v], key=lambda link: graph.target_x[link]):
            slots += 1
            for link in links:
                slot[link] = slots
    tree = [0] * (slots + 1)
    counted = 0
    crossings = 0
    for u in upper:
        for _, links in groupby(near.down[u], key=lambda link: graph.source_x[link]):
            ends = [slot[link] for link in links]
            crossings += sum(counted - _sum_to(tree, end) for end in ends)
            for end in ends:
                _add_at(tree, end)
            counted += len(ends)
    return crossings


def _add_at(tree: list[int], at: int) -> None:
    while at < len(tree):
        tree[at] += 1
        at += at & -at


def _sum_to(tree: list[int], at: int) -> int:
    total = 0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total
