"""The centre of each node along its row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.isotonic import isotonic
from jaxviz.picture.layout.region.neighbours import Neighbours
from jaxviz.picture.layout.region.placement import Region
from jaxviz.picture.layout.region.rows import Rows
from jaxviz.picture.layout.region.straighten import straighten
from jaxviz.picture.layout.region.trunk import trunks

SWEEPS = 12
"""The first two look one way only, which spreads the rows well."""

PULL = (1.0, 2.0, 8.0)
"""How hard a link pulls its ends together: by how many are bends (Gansner et al., 1993)."""

TRUNK = 8.0
"""How hard a link of a trunk pulls."""

MOST_LEAN = 40.0
"""Where the ports of a trunk's link are farther apart, its boxes stand centre below centre: else a
chain of wide ones would be a staircase."""

INERTIA = 0.05
"""A node that nothing pulls stays about where it is."""

HEAVY = 1000.0
"""What stands upright stays where it is, while the others come near."""


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
    lean = [a - b for a, b in zip(graph.source_x, graph.target_x, strict=True)]
    trunk = trunks(graph, rows, near)
    for link in trunk:
        if link != -1:
            pull[link] = TRUNK
            lean[link] = lean[link] if abs(lean[link]) <= MOST_LEAN else 0.0
    inertia = [INERTIA] * len(graph.rank)

    def sweep(downwards: bool, above: bool, below: bool) -> None:
        for row in rows.order if downwards else reversed(rows.order):
            _place_row(graph, row, near, pull, lean, inertia, offset, x, above, below)

    for s in range(SWEEPS):
        sweep(s % 2 == 0, s > 1 or s % 2 == 0, s > 1 or s % 2 == 1)
    for v in straighten(graph, rows, near, trunk, lean, offset, x):
        inertia[v] = HEAVY
    sweep(True, True, True)
    sweep(False, True, True)
    straighten(graph, rows, near, trunk, lean, offset, x)
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
    lean: list[float],
    inertia: list[float],
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
        mass = inertia[v]
        total = x[v] * mass
        for link in near.up[v] if above else ():
            total += pull[link] * (x[graph.source[link]] + lean[link])
            mass += pull[link]
        for link in near.down[v] if below else ():
            total += pull[link] * (x[graph.target[link]] - lean[link])
            mass += pull[link]
        value.append(total / mass - offset[v])
        weight.append(mass)
    for v, fitted in zip(row, isotonic(value, weight), strict=True):
        x[v] = fitted + offset[v]
