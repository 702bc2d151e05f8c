"""Points of a step's edges. As `js/src/layout/step/points.ts`."""

from __future__ import annotations

from jaxviz.picture.layout.frame import Points
from jaxviz.picture.layout.step.atoms import Atom


def port_of(atom: Atom, side: str, port: int) -> float | None:
    """Where a port is, px from the left of the atom; None where the atom is closed."""
    if atom.frame is None or port < 0:
        return None
    return (atom.frame.exits if side == "exits" else atom.frame.entries)[port].x


def port_x(atom: Atom, side: str, port: int) -> float:
    x = port_of(atom, side, port)
    return atom.x + (atom.w / 2 if x is None else x)


def tidy(points: Points) -> Points:
    """Without points that repeat, or that lie in the middle of a straight line."""
    kept: Points = []
    for x, y in points:
        if kept and kept[-1] == (x, y):
            continue
        if len(kept) > 1 and (kept[-1][0] == x == kept[-2][0] or kept[-1][1] == y == kept[-2][1]):
            kept.pop()
        kept.append((x, y))
    return kept
