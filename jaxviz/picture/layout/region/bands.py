"""The band of each row: where its tallest box begins and ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.placement import Pin, Region
from jaxviz.picture.layout.region.rows import Rows

SLOPE = 0.08
MOST = 48
"""A gap between ranks grows by `SLOPE` of its widest link's run, up to `MOST` px."""


@dataclass
class Bands:
    top: list[float]
    bottom: list[float]


def stack_bands(
    region: Region, graph: Layered, rows: Rows, x: list[float], gap: float, shared: bool
) -> Bands:
    """Stacks the rows of each component from 0 down.

    Where they are `shared`, the rows of one rank have one band across all components.
    """
    count = len(rows.order)
    level = [graph.rank[row[0]] if shared else r for r, row in enumerate(rows.order)]
    height = [0.0] * (count + 1)
    for v in range(graph.boxes):
        at = level[rows.row[v]]
        height[at] = max(height[at], region.height[v])
    run = [0.0] * (count + 1)
    for link, (u, v) in enumerate(zip(graph.source, graph.target, strict=True)):
        start = x[u] + graph.source_x[link]
        stop = x[v] + graph.target_x[link]
        at = level[rows.row[u]]
        run[at] = max(run[at], abs(stop - start))
    begin = [0.0]
    for at in range(count):
        below = gap / 2 if height[at] == 0 else gap
        begin.append(begin[at] + height[at] + below + min(MOST, math.floor(run[at] * SLOPE)))
    bands = Bands([], [])
    for first, stop in zip(rows.first, rows.first[1:], strict=False):
        origin = 0.0 if shared else begin[first]
        for r in range(first, stop):
            bands.top.append(begin[level[r]] - origin)
            bands.bottom.append(bands.top[r] + height[level[r]])
    return bands


def is_pinned(region: Region) -> bool:
    """Whether boxes are kept at a border: then all components stand side by side."""
    return any(pin in (Pin.FIRST, Pin.LAST) for pin in region.pin or ())
