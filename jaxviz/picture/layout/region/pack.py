"""Components packed on shelves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from jaxviz.picture.layout.region.bands import Bands
from jaxviz.picture.layout.region.columns import Columns
from jaxviz.picture.layout.region.place import Extent
from jaxviz.picture.layout.region.placement import Options
from jaxviz.picture.layout.region.rows import Rows
from jaxviz.picture.layout.region.snap import snap

ASPECT = 1.6
"""The shape that components of about one size are packed into where none is asked for."""


@dataclass(frozen=True)
class Packing:
    """The upper left corner of each component, and the size of all."""

    x: list[float]
    y: list[float]
    width: float
    height: float


def pack_components(
    width: list[float],
    height: list[float],
    gap_x: float,
    gap_y: float,
    aspect: float,
    abreast: bool,
) -> Packing:
    """Shelves, in order. Where a component fits below the last on its shelf it goes there, so that
    small ones make columns beside a tall one. `abreast` puts all on one shelf."""
    limit = math.inf if abreast else _shelf_width(width, height, gap_x, gap_y, aspect)
    x: list[float] = []
    y: list[float] = []
    shelf_top = shelf_height = 0.0
    left = column_width = bottom = 0.0
    whole_width = whole_height = 0.0
    for c, (wide, high) in enumerate(zip(width, height, strict=True)):
        stacks = not abreast and c > 0 and bottom + high <= shelf_top + shelf_height
        if c > 0 and not stacks:
            left += column_width + gap_x
            column_width = 0.0
            bottom = shelf_top
            if left + wide > limit:
                shelf_top += shelf_height + gap_y
                shelf_height = 0.0
                left = 0.0
                bottom = shelf_top
        x.append(left)
        y.append(bottom)
        column_width = max(column_width, wide)
        bottom += high
        shelf_height = max(shelf_height, bottom - shelf_top)
        whole_width = max(whole_width, left + wide)
        whole_height = max(whole_height, bottom)
        bottom += gap_y
    return Packing(x, y, whole_width, whole_height)


def _shelf_width(
    width: list[float], height: list[float], gap_x: float, gap_y: float, aspect: float
) -> float:
    area = 0.0
    widest = 0.0
    for wide, high in zip(width, height, strict=True):
        area += (wide + gap_x) * (high + gap_y)
        widest = max(widest, wide)
    return max(widest, math.sqrt(area * aspect))


def assemble(
    rows: Rows,
    extent: Extent,
    bands: Bands,
    columns: Columns,
    x: list[float],
    options: Options,
    abreast: bool,
) -> tuple[float, float]:
    """Moves all components to where they are packed; gives the width and height of all."""
    components = [range(a, b) for a, b in pairwise(rows.first)]
    left: list[float] = []
    width: list[float] = []
    for component in components:
        nodes = [v for r in component for v in rows.order[r]]
        left.append(min(x[v] - extent.left[v] for v in nodes))
        width.append(max(x[v] + extent.right[v] for v in nodes) - left[-1])
    aspect = options.shape.aspect if options.shape else ASPECT
    gap_x, gap_y = 2 * options.gap_x, 2 * options.gap_y
    packing = pack_components(width, columns.height, gap_x, gap_y, aspect, abreast)
    for c, component in enumerate(components):
        for r in component:
            for v in rows.order[r]:
                x[v] = snap(x[v] - left[c] + packing.x[c])
            bands.top[r] += packing.y[c]
            bands.bottom[r] += packing.y[c]
            turn = columns.turn[r]
            if turn:
                turn.gutter = snap(turn.gutter - left[c] + packing.x[c])
                turn.low += packing.y[c]
                turn.high += packing.y[c]
    return packing.width, packing.height
