"""The points of every edge: upright through the bands of the rows, free between them."""

from __future__ import annotations

import math

from jaxviz.picture.layout.region.adjacency import by_node
from jaxviz.picture.layout.region.bands import Bands
from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.columns import TRACK, Columns
from jaxviz.picture.layout.region.isotonic import isotonic
from jaxviz.picture.layout.region.neighbours import Neighbours
from jaxviz.picture.layout.region.placement import Region
from jaxviz.picture.layout.region.rows import Rows
from jaxviz.picture.layout.region.snap import snap

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
    near: Neighbours,
    rows: Rows,
    bands: Bands,
    columns: Columns,
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
            start = leaves
            for bend in _bends_of(graph, e):
                _turn(line, columns, rows.row[bend], near.up[bend][0], start, x[bend])
                start = x[bend]
                _extend(line, start, bands.top[rows.row[bend]])
                _extend(line, start, bands.bottom[rows.row[bend]])
            _turn(line, columns, rows.row[v], graph.last[e], start, x[v] + enters[e])
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


def _turn(
    line: list[Point], columns: Columns, row: int, link: int, start: float, stop: float
) -> None:
    """From one column to the next, where a row begins one: below the one, up, and into the
    other."""
    turn = columns.turn[row]
    if turn is None:
        return
    by = TRACK * columns.track[link]
    _extend(line, start, turn.low + by)
    _extend(line, turn.gutter + by, turn.low + by)
    _extend(line, turn.gutter + by, turn.high + by)
    _extend(line, stop, turn.high + by)


def _extend(line: list[Point], x: float, y: float) -> None:
    """Adds a point, and takes away the one that it leaves in the middle of an upright line."""
    if line and line[-1] == (x, y):
        return
    if len(line) > 1 and line[-1][0] == x and line[-2][0] == x:
        line.pop()
    line.append((x, y))
