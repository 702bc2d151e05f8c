"""What a step is drawn of. As `js/src/layout/step/atoms.ts`."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxviz import schema
from jaxviz.picture.layout.frame import Frame
from jaxviz.picture.layout.region import Shape
from jaxviz.picture.layout.step.lanes import LANES, Row
from jaxviz.picture.model.outline import Item, Outline

COLUMNS = ("inputs", *LANES, "after", "outputs")

ARC = 9
"""The room that an arc takes beside a lane, px."""


@dataclass(frozen=True)
class Drawn:
    """The graph that a step is drawn of; `title` is the width of its title, or 0."""

    outline: Outline
    graph: schema.Graph
    title: float
    shape: Shape

    @property
    def stage(self) -> schema.Stage:
        return self.outline.stage


@dataclass(frozen=True)
class Rect:
    x: float
    y: float
    w: float
    h: float


@dataclass(eq=False)
class Atom:
    """What is drawn as one: a closed box, or an open one that was laid out before."""

    item: Item
    frame: Frame | None
    column: str
    list: List | None
    row: int
    """The list of rows that it stands in, and its row there."""
    order: int
    """Its number in its column, from top to bottom."""
    w: float
    h: float
    x: float = 0
    y: float = 0

    @property
    def mid(self) -> float:
        return self.y + self.h / 2


@dataclass(eq=False)
class Place:
    row: Row
    atoms: dict[str, Atom]
    inner: List | None
    y: float = 0
    h: float = 0


@dataclass(eq=False)
class List:
    """Rows below one another: those of the whole step, or within an open pair."""

    places: list[Place] = field(default_factory=list[Place])
    width: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LANES, 0.0))
    """Of each lane, without the room for arcs."""
    height: float = 0
    arcs: int = 0
    """Arcs side by side: left of the forward lane and right of the backward lane."""


@dataclass
class Geometry:
    """Where lanes and columns stand, px from the frame's corner."""

    columns: dict[str, tuple[float, float]]
    """Left and right side of each column that holds something."""
    frames: dict[str, tuple[Item, Rect]]
    """The outermost open group of each lane."""
    bottom: float
