"""What runs backward runs up. As `js/src/layout/flip.ts`."""

from __future__ import annotations

from dataclasses import replace

from jaxviz.picture.layout.frame import Frame, Points
from jaxviz.picture.layout.measure import SMALL

_OVER = {"down": "up", "up": "down", "right": "right", "left": "left"}


def flipped(frame: Frame) -> Frame:
    """The same upside down, below its title."""
    sums = frame.title + frame.h

    def turned(points: Points) -> Points:
        return [(x, sums - y) for x, y in points]

    return replace(
        frame,
        up=not frame.up,
        cells=[
            replace(cell, y=sums - cell.y - cell.h, type_y=sums - cell.type_y - SMALL)
            for cell in frame.cells
        ],
        routes=[replace(route, points=turned(route.points)) for route in frame.routes],
        mentions=[
            replace(one, y=sums - one.y - one.h, points=turned(one.points))
            for one in frame.mentions
        ],
        links=[
            replace(
                link,
                points=turned(link.points),
                way=_OVER[link.way],
                label_y=sums - link.label_y,
                mention=link.mention
                and replace(link.mention, y=sums - link.mention.y - link.mention.h),
            )
            for link in frame.links
        ],
    )
