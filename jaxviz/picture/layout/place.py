"""The centre of each node along its row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from jaxviz.picture.layout.chain import Layered
from jaxviz.picture.layout.isotonic import isotonic
from jaxviz.picture.layout.neighbours import Neighbours
from jaxviz.picture.layout.placement import Region
from jaxviz.picture.layout.rows import Rows
from jaxviz.picture.layout.straighten import straighten

SWEEPS = 12
"""The first two look one way only, which spreads the rows well."""

PULL = (1.0, 2.0, 8.0)
"""How hard a link pulls its ends together: by how many are bends (Gansner et al., 1993)."""

INERTIA = 0.05
"""A node that nothing pulls stays about where it is."""


@dataclass(frozen=True)
class Extent:
    """The px that each node takes on its row, left and right of its centre."""

    left: list[float]
    right: list[float]


def extents(region: Region, graph: Layered) -> Extent:
    bends = [0.0] * (len(graph.rank) - graph.boxes)
    left = [width / 2 for width in region.width]
    reach = region.reach or [0.0] * graph.boxes
    return Extent(left + bends, [max(a, b) for a, b in zip(left, reach, strict=True)] + bends)


def place_nodes(
    graph: Layered, rows: Rows, near: Neighbours, extent: Extent, gap: float
) -> list[float]:
    """Every row in its order and apart, links as upright as can be."""
    offset = _offsets(graph, rows, extent, gap)
    x = [0.0] * len(graph.rank)
    for row in rows.order:
        for v in row:
            x[v] = offset[v] - offset[row[-1]] / 2
    pull = [
        PULL[(u >= graph.boxes) + (v >= graph.boxes)]
        for u, v in zip(graph.source, graph.target, strict=True)
    ]
    for sweep in range(SWEEPS):
        above = sweep > 1 or sweep % 2 == 0
        below = sweep > 1 or sweep % 2 == 1
        for row in rows.order if sweep % 2 == 0 else reversed(rows.order):
            _place_row(graph, row, near, pull, offset, x, above, below)
    straighten(graph, rows, near, offset, x)
    return x


def _offsets(graph: Layered, rows: Rows, extent: Extent, gap: float) -> list[float]:
    """Of each node, the least distance of its centre from that of the first node of its row."""
    offset = [0.0] * len(graph.rank)
    for row in rows.order:
        for u, v in pairwise(row):
            between = gap if u < graph.boxes and v < graph.boxes else gap / 2
            offset[v] = offset[u] + extent.right[u] + between + extent.left[v]
    return offset


def _place_row(
    graph: Layered,
    row: list[int],
    near: Neighbours,
    pull: list[float],
    offset: list[float],
    x: list[float],
    above: bool,
    below: bool,
) -> None:
    """Puts each node at the weighted mean of where its links would have it, as near as the
    others let it."""
    value: list[float] = []
    weight: list[float] = []
    for v in row:
        total = x[v] * INERTIA
        mass = INERTIA
        for link in near.up[v] if above else ():
            end = x[graph.source[link]] + graph.source_x[link] - graph.target_x[link]
            total += pull[link] * end
            mass += pull[link]
        for link in near.down[v] if below else ():
            end = x[graph.target[link]] + graph.target_x[link] - graph.source_x[link]
            total += pull[link] * end
            mass += pull[link]
        value.append(total / mass - offset[v])
        weight.append(mass)
    for v, fitted in zip(row, isotonic(value, weight), strict=True):
        x[v] = fitted + offset[v]
