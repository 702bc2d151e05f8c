"""The inside of an open box, or of the whole program, laid out. As `js/src/layout/frame.ts`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from jaxviz.picture.describe import name_of, types_of
from jaxviz.picture.items import Item, Outline
from jaxviz.picture.layout.region import Options, Pin, Placement, Region, layout_region
from jaxviz.picture.layout.region.route import Point
from jaxviz.picture.measure import (
    APART,
    BOX_HEIGHT,
    BOX_LEAST,
    BOX_SIDE,
    FRAME_END,
    FRAME_SIDE,
    FRAME_TITLE,
    PILL_HEIGHT,
    PILL_LEAST,
    PILL_SIDE,
    SMALL,
    tail,
    text_width,
)
from jaxviz.picture.wires import BORDER, PLAIN, End, Port, Wiring, wire

OPTIONS = Options(gap_x=24, gap_y=32, cut=10)
PORT_WIDTH = 10.0
MENTION_HEIGHT = 16.0
MENTION = 24
"""Columns of a mention: the name of a source that is too far away to draw a line from."""
BESIDE = 6.0
"""Between an edge and the type beside it."""
ROUNDS = 3
ENDLESS = 10**9
"""Eqns of a body that holds another twice, which holds another twice: more need no number."""


@dataclass(frozen=True)
class Cell:
    """An item, its upper left corner px from that of the frame, and the type that leaves it."""

    item: Item
    inner: Frame | None
    x: float
    y: float
    w: float
    h: float
    type: str


@dataclass(frozen=True)
class Mention:
    """Stands at the end of an edge too long to draw, and names its source; `x`, `y` its centre."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Line:
    """An edge; `arrow` where it ends at a box and not at the border."""

    points: list[Point]
    arrow: bool


@dataclass(frozen=True)
class Frame:
    w: float
    h: float
    cells: list[Cell]
    lines: list[Line]
    mentions: list[Mention]
    entries: list[Port]
    exits: list[Port]


@dataclass(frozen=True)
class Plan:
    """What is laid out: the items of a graph or inside a holder, and the insides of open ones."""

    outline: Outline
    graph: int
    holder: Item | None
    items: list[Item]
    inner: list[Frame | None]


def size_of(item: Item) -> tuple[float, float]:
    """The size of a closed box, or of an open one's title."""
    height, least, side = (
        (PILL_HEIGHT, PILL_LEAST, PILL_SIDE) if item.is_pill else (BOX_HEIGHT, BOX_LEAST, BOX_SIDE)
    )
    texts = [text for text in (item.label, item.note, count_of(item)) if text]
    wide = sum(text_width(text) + APART for text in texts) - APART
    return math.ceil(max(least, wide + 2 * side)), height


def count_of(item: Item) -> str:
    if not item.count:
        return ""
    if item.count >= ENDLESS:
        return f"over {ENDLESS:,} eqns"
    return f"{item.count:,} eqns" if item.count > 1 else "1 eqn"


def layout_frame(plan: Plan) -> Frame:
    """Edges too long to draw are cut, and then laid out again with a mention at their end."""
    whole = plan.holder is None or (plan.holder.kind != "group" and _is_graph(plan))
    wiring = wire(
        plan.items,
        [frame.entries if frame else [] for frame in plan.inner],
        [frame.exits if frame else [] for frame in plan.inner],
        None if whole else plan.holder,
    )
    cut: set[tuple[End, End]] = set()
    sketch = _Sketch(plan, wiring, cut)
    placement = layout_region(sketch.region(), OPTIONS)
    for _ in range(ROUNDS):
        more = {ends for ends, e in sketch.edge.items() if placement.cut[e]} - cut
        if not more:
            break
        cut |= more
        sketch = _Sketch(plan, wiring, cut)
        placement = layout_region(sketch.region(), OPTIONS)
    frame = sketch.frame(placement)
    return replace(frame, **_ports_of_body(plan, frame)) if whole and plan.holder else frame


def _is_graph(plan: Plan) -> bool:
    """Whether the holder shows the items of its one body, and not its bodies side by side."""
    return not any(item.kind == "body" for item in plan.items)


class _Sketch:
    """A region with one box for each port, mention and item of a plan."""

    def __init__(self, plan: Plan, wiring: Wiring, cut: set[tuple[End, End]]) -> None:
        self.plan, self.wiring, self.cut = plan, wiring, cut
        self.width: list[float] = []
        self.height: list[float] = []
        self.pin: list[int] = []
        self.reach: list[float] = []
        self.size = [
            (frame.w, frame.h) if frame else size_of(item)
            for item, frame in zip(plan.items, plan.inner, strict=True)
        ]
        self.types = [self._type(index) for index in range(len(plan.items))]
        self.mention: dict[tuple[End, End], int] = {}
        self.entry = [self._box(PORT_WIDTH, 0.0, Pin.FIRST) for _ in wiring.entries]
        self.item = [self._item(index) for index in range(len(plan.items))]
        self._mentions(BORDER)
        self.exit = [self._box(PORT_WIDTH, 0.0, Pin.LAST) for _ in wiring.exits]
        self.edge = {ends: e for e, ends in enumerate(wiring.wires)}

    def _box(self, width: float, height: float, pin: Pin, label: str = "") -> int:
        self.width.append(width)
        self.height.append(height)
        self.pin.append(int(pin))
        self.reach.append(BESIDE + text_width(label, SMALL) if label else 0.0)
        return len(self.width) - 1

    def _item(self, index: int) -> int:
        self._mentions(index)
        item, holder = self.plan.items[index], self.plan.holder
        pinned = holder is not None and holder.kind != "group"
        pin = Pin.FREE
        if item.kind == "output":
            pin = Pin.LAST if pinned else Pin.LOW
        elif item.kind == "input" and pinned:
            pin = Pin.FIRST
        return self._box(*self.size[index], pin, self.types[index])

    def _mentions(self, target: int) -> None:
        for ends in self.wiring.wires:
            if ends in self.cut and ends[1][0] == target:
                wide = text_width(self._text(ends), SMALL) + 8
                self.mention[ends] = self._box(wide, MENTION_HEIGHT, Pin.FREE)

    def _text(self, ends: tuple[End, End]) -> str:
        source = ends[0][0]
        if source != BORDER:
            return tail(self.plan.items[source].label, MENTION)
        record = self.plan.outline.stage.graphs[self.plan.graph]
        return tail(name_of(record, self.wiring.wires[ends][0]), MENTION)

    def _type(self, index: int) -> str:
        if self.plan.inner[index] is not None:
            return ""
        leaving: dict[int, None] = {}
        for (source, _), variables in self.wiring.wires.items():
            if source[0] == index:
                leaving.update(dict.fromkeys(variables))
        gathered = self.plan.items[index].kind == "input" and self.plan.items[index].note
        return "" if gathered else self._types(list(leaving))

    def _types(self, variables: list[int]) -> str:
        stage = self.plan.outline.stage
        return types_of(stage, stage.graphs[self.plan.graph], variables)

    def region(self) -> Region:
        ends = self.wiring.wires
        return Region(
            width=self.width,
            height=self.height,
            source=[self.mention.get(end, self._node(end[0], self.entry)) for end in ends],
            target=[self._node(target, self.exit) for _, target in ends],
            source_x=[0.0 if end in self.cut else self._port(end[0], False, 0.0) for end in ends],
            target_x=[self._port(target, True, math.nan) for _, target in ends],
            reach=self.reach,
            pin=self.pin,
        )

    def _node(self, end: End, ports: list[int]) -> int:
        return ports[end[1]] if end[0] == BORDER else self.item[end[0]]

    def _port(self, end: End, entering: bool, otherwise: float) -> float:
        frame = None if end[0] == BORDER else self.plan.inner[end[0]]
        if frame is None or end[1] == PLAIN:
            return otherwise
        return (frame.entries if entering else frame.exits)[end[1]].x - frame.w / 2

    def frame(self, placement: Placement) -> Frame:
        holder = self.plan.holder
        title = size_of(holder)[0] if holder else 0.0
        top = FRAME_TITLE + (0 if self.wiring.entries else FRAME_END) if holder else 0
        end = FRAME_END if holder and not self.wiring.exits else 0
        side = FRAME_SIDE if holder else 0
        w = math.ceil(max(placement.width + 2 * side, title))
        left = (w - placement.width) / 2
        x = [left + value for value in placement.x]
        y = [top + value for value in placement.y]
        cells = [
            Cell(item, self.plan.inner[i], x[box] - wide / 2, y[box] - high / 2, wide, high, type_)
            for i, (item, box, (wide, high), type_) in enumerate(
                zip(self.plan.items, self.item, self.size, self.types, strict=True)
            )
        ]
        lines = [
            Line([(left + px, top + py) for px, py in points], ends[1][0] != BORDER)
            for ends, points in zip(self.wiring.wires, placement.points, strict=True)
            if not placement.cut[self.edge[ends]]
        ]
        return Frame(
            w=w,
            h=top + placement.height + end,
            cells=cells,
            lines=lines,
            mentions=[Mention(self._text(e), x[box], y[box]) for e, box in self.mention.items()],
            entries=[Port(v, x[b]) for v, b in zip(self.wiring.entries, self.entry, strict=True)],
            exits=[Port(v, x[b]) for v, b in zip(self.wiring.exits, self.exit, strict=True)],
        )


def _ports_of_body(plan: Plan, frame: Frame) -> dict[str, list[Port]]:
    """A body's values cross its border above and below its own inputs and outputs."""
    holder = plan.holder
    assert holder is not None
    eqn = plan.outline.stage.graphs[holder.graph].eqns[holder.span[0]]
    body = eqn.bodies[holder.body]
    own = plan.outline.stage.graphs[body.graph]

    def ports(mapping: list[int], outer: list[int], inner: list[int], kind: str) -> list[Port]:
        found: list[Port] = []
        for cell in frame.cells:
            if cell.item.kind != kind:
                continue
            bound = set(cell.item.makes if kind == "input" else cell.item.takes)
            crossing = dict.fromkeys(
                outer[position]
                for position, var in zip(mapping, inner, strict=True)
                if position >= 0 and var in bound
            )
            if crossing:
                found.append(Port(tuple(crossing), cell.x + cell.w / 2))
        return found

    return {
        "entries": ports(body.inputs, eqn.invars, own.invars, "input"),
        "exits": ports(body.outputs, eqn.outvars, own.outvars, "output"),
    }
