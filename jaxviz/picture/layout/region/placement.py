"""What a layout takes and what it gives. All lengths are px."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Pin(IntEnum):
    """Where a box is kept."""

    FREE = 0
    FIRST = 1
    """On the first rank, alone with its like. Has no incoming edge."""
    LAST = 2
    """On the last rank, alone with its like. Has no outgoing edge."""
    LOW = 3
    """On the last rank where that runs no long edge through the picture: an output."""


@dataclass(frozen=True)
class Region:
    """Boxes in topological order and the edges between them."""

    width: list[float]
    height: list[float]
    source: list[int]
    target: list[int]
    """Of each edge; `source < target`. Parallel edges are merged by the caller."""
    source_x: list[float] | None = None
    target_x: list[float] | None = None
    """Where an edge leaves or enters, right of the box's centre. Without `source_x` edges leave at
    the centre; without `target_x`, or where it is NaN, they enter near where they come from."""
    reach: list[float] | None = None
    """Of each box, what a label needs below it and right of its centre."""
    pin: list[int] | None = None
    """Of each box a `Pin`; all free without it."""


@dataclass(frozen=True)
class Shape:
    """The shape that a picture is to fit."""

    aspect: float
    """Width to height."""
    tall: float
    """What is lower than this needs no columns, px."""


@dataclass(frozen=True)
class Options:
    """The least space between neighbours on a rank and between ranks, and the longest edge."""

    gap_x: float
    gap_y: float
    cut: int
    """An edge over more ranks than this is cut: drawn as a stub at either end."""
    shape: Shape | None = None
    """The shape to fit, None for any. Of a component taller than `tall` px the rows stand in
    columns side by side, so that its width is about `aspect` times its height."""


OPTIONS = Options(gap_x=24, gap_y=32, cut=8)


@dataclass(frozen=True)
class Placement:
    """Centres of the boxes from the region's upper left corner, and the edges' points.

    From one point to the next an edge runs upright or level, or (between two ranks, where no box
    is) as a cubic whose tangents are vertical. A cut edge has its two ends alone.
    """

    x: list[float]
    y: list[float]
    rank: list[int]
    width: float
    height: float
    points: list[list[tuple[float, float]]]
    cut: list[bool]
