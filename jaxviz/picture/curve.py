"""Edges as SVG paths. As `js/src/render/edges.ts`."""

from __future__ import annotations

from itertools import pairwise

from jaxviz.picture.layout.frame import Points

ROUND = 7
"""How round an edge turns from level to upright, px."""
QUARTER = 0.5523
"""Where the controls of a cubic lie that draws a quarter of a circle of radius 1."""

_HEADS = {
    "down": "l-3.2-7h6.4z",
    "up": "l3.2 7h-6.4z",
    "right": "l-7-3.2v6.4z",
    "left": "l7 3.2v-6.4z",
}


def curve(points: Points) -> str:
    """Straight where it runs level or upright, with rounded corners; else a cubic."""
    parts = [f"M{_at(*points[0])}"]
    for at, ((x0, y0), (x, y)) in enumerate(pairwise(points), 2):
        if x0 != x and y0 != y:
            middle = length((y0 + y) / 2)
            parts.append(f"C{length(x0)} {middle} {length(x)} {middle} {_at(x, y)}")
        elif at < len(points):
            parts.append(_turn(x0, y0, x, y, *points[at]))
        else:
            parts.append(f"V{length(y)}" if x0 == x else f"H{length(x)}")
    return "".join(parts)


def _turn(x0: float, y0: float, x: float, y: float, x1: float, y1: float) -> str:
    """To (x, y), from where it goes on to (x1, y1): round where that is a right angle."""
    if (x0 == x) == (x1 == x) or (x1 == x) == (y1 == y):
        return f"L{_at(x, y)}"
    round_ = min(ROUND, (abs(x - x0) + abs(y - y0)) / 2, (abs(x1 - x) + abs(y1 - y)) / 2)
    in_x, in_y = _sign(x - x0), _sign(y - y0)
    out_x, out_y = _sign(x1 - x), _sign(y1 - y)
    near = round_ * (1 - QUARTER)
    return (
        f"L{_at(x - in_x * round_, y - in_y * round_)}"
        f"C{_at(x - in_x * near, y - in_y * near)} {_at(x + out_x * near, y + out_y * near)}"
        f" {_at(x + out_x * round_, y + out_y * round_)}"
    )


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def head(x: float, y: float, way: str) -> str:
    """An arrowhead at an edge's last point."""
    return f"M{_at(x, y)}{_HEADS[way]}"


def _at(x: float, y: float) -> str:
    return f"{length(x)} {length(y)}"


def length(px: float) -> str:
    """A length to a tenth of a px."""
    return f"{px:.1f}".removesuffix(".0")
