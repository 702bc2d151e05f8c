"""What a laid out region consists of. The records of `js/src/layout/frame.ts`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jaxviz import schema
from jaxviz.picture.layout.caption import Caption
from jaxviz.picture.layout.region import Shape
from jaxviz.picture.layout.wires import Port, Wire, Wiring
from jaxviz.picture.model.outline import Item, Outline

Points = list[tuple[float, float]]


@dataclass
class Cell:
    """An item laid out. Its inside is laid out before, and only if it is open."""

    item: Item
    caption: Caption
    inner: Frame | None
    x: float
    y: float
    """Upper left corner, px from that of the frame."""
    w: float
    h: float
    type: str = ""
    """What flows out of it, shown under it; empty where its inside shows that."""
    type_x: float = 0
    type_y: float = 0
    """Upper left corner of that text."""


@dataclass
class LinkMention:
    """What names the values of a cut link, beside its target."""

    text: str
    x: float
    y: float
    w: float
    h: float


@dataclass
class Link:
    """A wire drawn between two items wherever they are, across the borders of groups."""

    source: str
    target: str
    """Ids."""
    vars: list[int]
    points: Points
    way: str
    """The direction in which it enters its target: `down`, `up`, `right` or `left`."""
    cut: bool
    returns: bool = False
    """Hands a loop's carry to its next turn."""
    label: str = ""
    note: str = ""
    label_x: float = 0
    label_y: float = 0
    """Above the line at that point, the middle of the text, and below it."""
    mention: LinkMention | None = None


@dataclass
class Route:
    """A wire drawn. `points` as in a `Placement`, px from the frame's upper left corner."""

    wire: Wire
    points: Points
    cut: bool
    """Too long to draw: the reference at its end tells where it comes from."""


@dataclass
class Mention:
    """The end of a cut wire: the name of its values, beside their user."""

    wire: Wire
    text: str
    x: float
    y: float
    w: float
    h: float
    points: Points
    """From the text to the user."""


@dataclass
class Frame:
    w: float
    h: float
    title: float
    """Height of the title."""
    cells: list[Cell]
    up: bool = False
    """Whether data flows up in it."""
    routes: list[Route] = field(default_factory=list[Route])
    mentions: list[Mention] = field(default_factory=list[Mention])
    links: list[Link] = field(default_factory=list[Link])
    entries: list[Port] = field(default_factory=list[Port])
    exits: list[Port] = field(default_factory=list[Port])


@dataclass(frozen=True)
class Plan:
    """What is laid out, and what is known of it."""

    outline: Outline
    graph: schema.Graph
    items: Sequence[Item]
    inner: Sequence[Frame | None]
    wiring: Wiring
    shape: Shape
    pinned: bool = False
    """Whether inputs are kept at the top and outputs at the bottom: those of a body."""
    title: float = 0
    """Width of the title, px; 0 for the program, which has none."""
