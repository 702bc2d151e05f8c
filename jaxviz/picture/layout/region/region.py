"""One region, laid out in ranks with the data flowing down."""

from __future__ import annotations

from dataclasses import replace

from jaxviz.picture.layout.region.bands import is_pinned, stack_bands
from jaxviz.picture.layout.region.chain import chain_edges
from jaxviz.picture.layout.region.columns import fold_rows, unfolded
from jaxviz.picture.layout.region.neighbours import neighbours
from jaxviz.picture.layout.region.order import order_rows
from jaxviz.picture.layout.region.pack import assemble
from jaxviz.picture.layout.region.place import extents, place_nodes
from jaxviz.picture.layout.region.placement import OPTIONS, Options, Placement, Region
from jaxviz.picture.layout.region.rank import rank_boxes
from jaxviz.picture.layout.region.route import enter_targets, route_edges
from jaxviz.picture.layout.region.rows import split_rows


def layout_region(region: Region, options: Options = OPTIONS) -> Placement:
    """Pure, and linear in boxes and edges but for the sorting of rows.

    Raises ValueError where an edge does not lead to a later box.
    """
    _check(region)
    graph = chain_edges(region, rank_boxes(region), options.cut)
    near = neighbours(graph)
    rows = split_rows(graph, near)
    rows = replace(rows, order=order_rows(region, graph, rows, near))
    extent = extents(region, graph)
    x = place_nodes(graph, rows, near, extent, options.gap_x)
    pinned = is_pinned(region)
    bands = stack_bands(region, graph, rows, x, options.gap_y, False)
    columns = fold_rows(graph, rows, extent, x, bands, options)
    if columns is None:
        if pinned:
            bands = stack_bands(region, graph, rows, x, options.gap_y, True)
        columns = unfolded(graph, rows, bands)
    width, height = assemble(rows, extent, bands, columns, x, options, pinned)
    enters = enter_targets(region, graph, x)
    y = [
        _centre(bands.top[r], bands.bottom[r], height)
        for r, height in zip(rows.row, region.height, strict=False)
    ]
    return Placement(
        x=x[: graph.boxes],
        y=y,
        rank=graph.rank[: graph.boxes],
        width=width,
        height=height,
        points=route_edges(region, graph, near, rows, bands, columns, x, y, enters),
        cut=[link == -1 for link in graph.last],
    )


LINE = 26
"""The height of a closed box."""


def _centre(top: float, bottom: float, height: float) -> float:
    """What is open hangs from the top of its row; what is as low as a line of text is centred on
    one."""
    return top + (height if height > LINE else min(LINE, bottom - top)) / 2


def _check(region: Region) -> None:
    for e, (source, target) in enumerate(zip(region.source, region.target, strict=True)):
        if not 0 <= source < target < len(region.width):
            raise ValueError(
                f"Edge {e} leads from box {source} to box {target}, not to a later one."
            )
