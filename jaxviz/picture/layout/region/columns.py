"""The rows of a tall component stand in columns, side by side, as the text of a newspaper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from jaxviz.picture.layout.region.bands import Bands
from jaxviz.picture.layout.region.chain import Layered
from jaxviz.picture.layout.region.place import Extent
from jaxviz.picture.layout.region.placement import Options
from jaxviz.picture.layout.region.rows import Rows

TRACK = 5
CLEAR = 12
"""Between links that turn side by side, and between those and the rows."""
MOST_TURNING, ROWS = 6, 2
"""So many links may turn at one place, and one for so many rows of the column that they leave."""
FEWEST = 4
"""Fewer rows to a column are better left below one another."""
LOWEST, HIGHEST = 0.6, 1.15
"""A column is this much lower or higher than wanted, where fewer links turn there."""
WORTH = 0.12
"""How much higher or lower a column may be, as a share, for one link less."""


@dataclass
class Turn:
    """Where the links from the row above rise, px; and the y below its column and above the next
    one where they turn. All of the first link."""

    gutter: float
    low: float
    high: float


@dataclass(frozen=True)
class Columns:
    turn: list[Turn | None]
    """Of each row; None where the row above it stands in the same column."""
    track: list[int]
    """Of each link, which of those that turn with it it is, counted from the outermost right."""
    height: list[float]
    """Of each component, px."""


def unfolded(graph: Layered, rows: Rows, bands: Bands) -> Columns:
    """All rows of a component in one column."""
    height = [bands.bottom[stop - 1] for stop in rows.first[1:]]
    return Columns([None] * len(rows.order), [0] * len(graph.source), height)


def fold_rows(
    graph: Layered, rows: Rows, extent: Extent, x: list[float], bands: Bands, options: Options
) -> Columns | None:
    """Moves `x` and `bands` of components too tall for the shape that `options` ask for. None
    where none is."""
    columns = unfolded(graph, rows, bands)
    if options.shape is None or all(high <= options.shape.tall for high in columns.height):
        return None
    folded = False
    crossing = _links_above(graph, rows)
    for c, (first, stop) in enumerate(pairwise(rows.first)):
        left, right = _sides_of(rows, extent, x, first, stop)
        breaks = _breaks_of(graph, first, stop, right - left, bands, options, crossing)
        if breaks:
            begins = [first, *breaks]
            folded = True
            columns.height[c] = _fold(
                graph, rows, extent, x, bands, options, columns, crossing, begins, stop
            )
    return columns if folded else None


def _links_above(graph: Layered, rows: Rows) -> list[list[int]]:
    """Of each row the links that come to it from the row above."""
    found: list[list[int]] = [[] for _ in rows.order]
    for link, target in enumerate(graph.target):
        found[rows.row[target]].append(link)
    return found


def _breaks_of(
    graph: Layered,
    first: int,
    stop: int,
    width: float,
    bands: Bands,
    options: Options,
    crossing: list[list[int]],
) -> list[int]:
    """The rows at which new columns begin."""
    height = bands.bottom[stop - 1] - bands.top[first]
    if options.shape is None or height <= options.shape.tall:
        return []
    aspect = options.shape.aspect
    fitting = math.floor(math.sqrt((height * aspect) / (width + 2 * options.gap_x)) + 0.5)
    count = min(fitting, (stop - first) // FEWEST)
    if count < 2:
        return []
    wanted = height / count
    breaks: list[int] = []
    top = bands.top[first]
    while bands.bottom[stop - 1] - top > HIGHEST * wanted:
        begin = breaks[-1] if breaks else first
        found = _best_break(graph, begin, stop, top, wanted, bands, crossing)
        if found == -1:
            break
        breaks.append(found)
        top = bands.top[found]
    return breaks


def _best_break(
    graph: Layered,
    first: int,
    stop: int,
    top: float,
    wanted: float,
    bands: Bands,
    crossing: list[list[int]],
) -> int:
    """The row at which a column that begins at `top` ends best; -1 where too much turns."""
    best = -1
    least = math.inf
    for r in range(first + 1, stop):
        height = bands.bottom[r - 1] - top
        if height < LOWEST * wanted:
            continue
        if height > HIGHEST * wanted and best != -1:
            break
        turning = len({graph.source[link] for link in crossing[r]})
        if turning > min(MOST_TURNING, (r - first) / ROWS):
            continue
        cost = turning * WORTH + abs(height / wanted - 1)
        if cost < least:
            least = cost
            best = r
    return best


def _sides_of(
    rows: Rows, extent: Extent, x: list[float], first: int, stop: int
) -> tuple[float, float]:
    """How far some rows reach to the left and to the right."""
    nodes = [v for row in rows.order[first:stop] for v in row]
    return min(x[v] - extent.left[v] for v in nodes), max(x[v] + extent.right[v] for v in nodes)


def _fold(
    graph: Layered,
    rows: Rows,
    extent: Extent,
    x: list[float],
    bands: Bands,
    options: Options,
    columns: Columns,
    crossing: list[list[int]],
    begins: list[int],
    stop: int,
) -> float:
    """Stands the columns side by side, and gives the height of all."""
    turning = [0, *(_turn_at(graph, x, columns.track, crossing[row]) for row in begins[1:])]
    head = CLEAR + TRACK * max(0, *(count - 1 for count in turning)) + CLEAR
    origin = bands.top[begins[0]]
    right = lowest = 0.0
    low = 0.0
    for index, (begin, end) in enumerate(pairwise([*begins, stop])):
        start, ends = _sides_of(rows, extent, x, begin, end)
        gutter = 2 * options.gap_x + TRACK * turning[index]
        left = right + gutter if index else start
        up = bands.top[begin] - origin - head if index else 0.0
        if index:
            columns.turn[begin] = Turn(right + options.gap_x, low, origin + CLEAR)
        for r in range(begin, end):
            for v in rows.order[r]:
                x[v] += left - start
            bands.top[r] -= up
            bands.bottom[r] -= up
        bottom = bands.bottom[end - 1]
        lowest = max(lowest, bottom + (head if end < stop else 0))
        low = bottom + CLEAR
        right = left + ends - start
    return lowest


def _turn_at(graph: Layered, x: list[float], track: list[int], links: list[int]) -> int:
    """Gives the links that turn before a row their tracks, from right to left, so that none
    crosses another; those that leave at one point share one. Gives how many there are."""

    def leaves(link: int) -> float:
        return x[graph.source[link]] + graph.source_x[link]

    links.sort(key=lambda link: (-leaves(link), link))
    tracks = 0
    last = math.nan
    for link in links:
        tracks += leaves(link) != last
        last = leaves(link)
        track[link] = tracks - 1
    return tracks
