"""The points of every edge: upright through the bands of the rows, free between them."""

from __future__ import annotations

import math

from jaxviz.picture.layout.adjacency import by_node
from jaxviz.picture.layout.bands import Bands
from jaxviz.picture.layout.chain import Layered
from jaxviz.picture.layout.isotonic import isotonic
from jaxviz.picture.layout.placement import Region
from jaxviz.picture.layout.rows import Rows
from jaxviz.picture.layout.snap import snap

SHARE = 0.6
APART = 12
"""Edges enter a box over this share of its width, and stand so far apart there, px."""

Point = tuple[float, float]


def enter_targets(region: Region, graph: Layered, x: list[float]) -> list[float]:
    """Where each edge enters its target, px right of the box's centre.

    Where that is not given they enter as near to where they come from as the others leave room.
    """
    enters = list(region.target_x or [math.nan] * len(region.source))
    for v, into in enumerate(by_node(graph.boxes, region.target)):
        edges = [e for e in into if math.isnan(enters[e])]
        if not edges:
            continue
        begin = {e: _comes_from(region, graph, x, e) for e in edges}
        edges.sort(key=lambda e: (begin[e], e))
        half = (region.width[v] * SHARE) / 2
        apart = min(APART, (2 * half) / (len(edges) - 1) if len(edges) > 1 else 0)
        value = [min(half, max(-half, begin[e] - x[v])) - k * apart for k, e in enumerate(edges)]
        highest = half - (len(edges) - 1) * apart
        for k, fitted in enumerate(isotonic(value, [1.0] * len(value))):
            enters[edges[k]] = snap(min(highest, max(-half, fitted)) + k * apart)
    return enters


def _comes_from(region: Region, graph: Layered, x: list[float], e: int) -> float:
    link = graph.last[e]
    if link == -1:
        return x[region.source[e]] + (region.source_x[e] if region.source_x else 0)
    return x[graph.source[link]] + graph.source_x[link]


def route_edges(
    region: Region,
    graph: Layered,
    rows: Rows,
    bands: Bands,
    x: list[float],
    y: list[float],
    enters: list[float],
) -> list[list[Point]]:
    lines: list[list[Point]] = []
    for e, (u, v) in enumerate(zip(region.source, region.target, strict=True)):
        line: list[Point] = []
        leaves = x[u] + (region.source_x[e] if region.source_x else 0)
        _extend(line, leaves, y[u] + region.height[u] / 2)
        if graph.last[e] != -1:
            _extend(line, leaves, bands.bottom[rows.row[u]])
            for bend in _bends_of(graph, e):
                _extend(line, x[bend], bands.top[rows.row[bend]])
                _extend(line, x[bend], bands.bottom[rows.row[bend]])
            _extend(line, x[v] + enters[e], bands.top[rows.row[v]])
        _extend(line, x[v] + enters[e], y[v] - region.height[v] / 2)
        lines.append(line)
    return lines


def _bends_of(graph: Layered, e: int) -> list[int]:
    """The bends that an edge passes, from its source on."""
    bends: list[int] = []
    v = graph.source[graph.last[e]]
    while v >= graph.boxes:
        bends.append(v)
        v = graph.above[v - graph.boxes]
    return bends[::-1]


def _extend(line: list[Point], x: float, y: float) -> None:
    """Adds a point, and takes away the one that it leaves in the middle of an upright line."""
    if line and line[-1] == (x, y):
        return
    if len(line) > 1 and line[-1][0] == x and line[-2][0] == x:
        line.pop()
    line.append((x, y))
