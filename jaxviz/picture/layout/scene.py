"""The picture of a stage: boxes, edges and what names those that are cut. As
`js/src/layout/scene.ts`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from jaxviz import schema
from jaxviz.picture.layout.frame import Cell, Frame, Link, Points
from jaxviz.picture.layout.measure import MARGIN
from jaxviz.picture.layout.nest import body_of, graph_in, layout_all
from jaxviz.picture.layout.region import Shape
from jaxviz.picture.layout.shape import WIDE
from jaxviz.picture.layout.wires import BORDER
from jaxviz.picture.model.ids import ROOT, body_id, parse
from jaxviz.picture.model.outline import Item, Outline


@dataclass(frozen=True)
class Box:
    """A box of the picture. Coordinates are px at zoom 1, of the upper left corner."""

    item: Item
    label: str
    note: str
    count: str
    type: str
    """What flows out of it; empty where nothing does."""
    type_x: float
    type_y: float
    x: float
    y: float
    w: float
    h: float
    open: bool
    parent: int
    """The box that holds it, -1 for the outermost."""
    depth: int


@dataclass(frozen=True)
class Edge:
    """A curve that carries values: between two points straight where they are level or upright,
    else a cubic with vertical tangents."""

    path: str
    vars: list[int]
    """The path of the graph that the values belong to, and which vars of it they are."""
    source: int
    target: int
    """Boxes. Where a value crosses the border of an open group, the group itself."""
    points: Points
    cut: bool
    """Too long to draw."""
    arrow: bool
    """Ends at the user of the values, not at a border on the way."""
    way: str = "down"
    """The direction in which it enters its target."""
    returns: bool = False
    """Hands a loop's carry to its next turn."""
    label: str = ""
    note: str = ""
    label_x: float = 0
    label_y: float = 0
    """Above the line at that point, the middle of the text, and below it; or empty."""


@dataclass(frozen=True)
class Mention:
    """Stands at the end of a cut edge and names its values."""

    text: str
    path: str
    vars: list[int]
    source: int
    target: int
    x: float
    y: float
    w: float
    h: float


@dataclass
class Scene:
    width: float
    height: float
    boxes: list[Box] = field(default_factory=list[Box])
    """Parents before children, siblings in program order."""
    edges: list[Edge] = field(default_factory=list[Edge])
    mentions: list[Mention] = field(default_factory=list[Mention])
    index: dict[str, int] = field(default_factory=dict[str, int])
    """Of each box by the id of its item."""


def scene_of(outline: Outline, opened: Collection[str], shape: Shape = WIDE) -> Scene:
    """The picture of a stage with these items open, for a view of that shape."""
    return _assemble(outline, layout_all(outline, opened, shape))


@dataclass(frozen=True)
class _Opened:
    """A frame on its way into the scene: its graph and the path of that, its box, its place."""

    frame: Frame
    graph: schema.Graph
    path: str
    box: int
    depth: int
    x: float
    y: float

    def moved(self, points: Points) -> Points:
        return [(x + self.x, y + self.y) for x, y in points]


def _assemble(outline: Outline, outermost: Frame) -> Scene:
    """Puts all frames where they belong."""
    scene = Scene(outermost.w + 2 * MARGIN, outermost.h + 2 * MARGIN)
    graph = outline.stage.graphs[0]
    linked: list[_Opened] = []
    waiting = [_Opened(outermost, graph, ROOT, -1, 0, MARGIN, MARGIN)]
    while waiting:
        opened = waiting.pop()
        first = len(scene.boxes)
        for cell in opened.frame.cells:
            _add(scene, cell, opened)
        _draw(scene, opened, first)
        if opened.frame.links:
            linked.append(opened)
        for at in reversed(range(len(opened.frame.cells))):
            cell = opened.frame.cells[at]
            if cell.inner:
                waiting.append(_inside(outline, opened, cell, cell.inner, first + at))
    for opened in linked:
        for link in opened.frame.links:
            _join(scene, opened, link)
    return scene


def _inside(outline: Outline, outer: _Opened, cell: Cell, frame: Frame, box: int) -> _Opened:
    item = cell.item
    shown = body_of(outer.graph, item)
    return _Opened(
        frame,
        graph_in(outline, outer.graph, item),
        body_id(parse(item.id)[0], item.start, shown[1]) if shown else outer.path,
        box,
        outer.depth + 1,
        outer.x + cell.x,
        outer.y + cell.y,
    )


def _add(scene: Scene, cell: Cell, into: _Opened) -> None:
    scene.index[cell.item.id] = len(scene.boxes)
    scene.boxes.append(
        Box(
            cell.item,
            cell.caption.label,
            cell.caption.note,
            cell.caption.count,
            cell.type,
            into.x + cell.type_x,
            into.y + cell.type_y,
            into.x + cell.x,
            into.y + cell.y,
            cell.w,
            cell.h,
            cell.inner is not None,
            into.box,
            into.depth,
        )
    )


def _join(scene: Scene, opened: _Opened, link: Link) -> None:
    """Draws a link, once all boxes are there."""
    x, y = opened.x, opened.y
    source = scene.index.get(link.source, -1)
    target = scene.index.get(link.target, -1)
    points = opened.moved(link.points)
    how = link.cut, True, link.way, link.returns
    label = link.label, link.note, x + link.label_x, y + link.label_y
    scene.edges.append(Edge(opened.path, link.vars, source, target, points, *how, *label))
    if link.mention:
        text, w, h = link.mention.text, link.mention.w, link.mention.h
        place = x + link.mention.x, y + link.mention.y
        scene.mentions.append(Mention(text, opened.path, link.vars, source, target, *place, w, h))


def _draw(scene: Scene, opened: _Opened, first: int) -> None:
    frame, path = opened.frame, opened.path
    way = "up" if frame.up else "down"

    def box_of(item: int) -> int:
        return opened.box if item == BORDER else first + item

    for route in frame.routes:
        wire = route.wire
        ends = box_of(wire.source.item), box_of(wire.target.item)
        points, arrow = opened.moved(route.points), wire.target.item != BORDER
        scene.edges.append(Edge(path, wire.vars, *ends, points, route.cut, arrow, way))
    for one in frame.mentions:
        wire = one.wire
        ends = box_of(wire.source.item), box_of(wire.target.item)
        place = opened.x + one.x, opened.y + one.y, one.w, one.h
        scene.mentions.append(Mention(one.text, path, wire.vars, *ends, *place))
        if one.points:
            points, arrow = opened.moved(one.points), wire.target.item != BORDER
            scene.edges.append(Edge(path, wire.vars, *ends, points, False, arrow, way))
