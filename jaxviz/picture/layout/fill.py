"""The inside of an open item, or of the whole program, laid out. The work of
`js/src/layout/frame.ts`."""

from __future__ import annotations

import math
from dataclasses import replace

from jaxviz.picture.layout.caption import is_pill
from jaxviz.picture.layout.crowd import gathered, uncrowded
from jaxviz.picture.layout.frame import Cell, Frame, Mention, Plan, Points, Route
from jaxviz.picture.layout.measure import (
    FRAME_END,
    FRAME_SIDE,
    FRAME_TITLE,
    PORT_WIDTH,
    SMALL,
    text_width,
)
from jaxviz.picture.layout.mentions import (
    MENTION_HEIGHT,
    mention_text,
    mention_width,
    mentions_of,
)
from jaxviz.picture.layout.region import OPTIONS, Pin, Placement, Region, layout_region
from jaxviz.picture.layout.sketch import Sketch, sketch_of
from jaxviz.picture.layout.wires import BORDER, End, Port
from jaxviz.picture.model.outline import Item

BESIDE = 6
"""Space between the label under a box and the edge that it belongs to."""
UNDER = 4
"""Space between a box and the label under it."""
TURN = 8
"""Edges that go less aside than this count as upright."""
ROUNDS = 3


def layout_frame(whole: Plan) -> Frame:
    """Edges too long to draw are cut, and then all is laid out again with a mention at their
    end."""
    crowd = uncrowded(whole.wiring)
    plan = replace(whole, wiring=crowd.wiring)
    cut = crowd.named
    placed = _Placed(plan, cut)
    for _ in range(1, ROUNDS):
        more = placed.newly_cut()
        if not more:
            break
        wiring, cut = gathered(plan.wiring, [*cut, *more])
        plan = replace(plan, wiring=wiring)
        placed = _Placed(plan, cut)
    frame = placed.frame()
    for wire in crowd.outward:
        x, y = _leaving(frame, wire.source, 0)
        frame.routes.append(Route(wire, [(x, y), (x, frame.h)], True))
    return frame


class _Placed:
    """A region with one box for each port, mention and item, and where each of these got its
    place."""

    def __init__(self, plan: Plan, cut: list[int]) -> None:
        self.plan, self.cut = plan, cut
        self.texts = {
            index: mention_text(plan.outline, plan.graph, plan.wiring, [index]) for index in cut
        }
        self.sketch: Sketch = sketch_of(
            plan.outline, plan.graph, plan.items, self._sizes(), plan.wiring, cut
        )
        self.width: list[float] = []
        self.height: list[float] = []
        self.pin: list[int] = []
        self.reach: list[float] = []
        self.mention: dict[int, int] = {}
        self.entry = [self._box(PORT_WIDTH, 0, Pin.FIRST) for _ in plan.wiring.entries]
        self.item = self._items()
        self.exit = self._exits()
        self.placement: Placement = self._place()

    def _sizes(self) -> list[tuple[float, float] | None]:
        return [(frame.w, frame.h) if frame else None for frame in self.plan.inner]

    def _box(self, width: float, height: float, pin: Pin, label: str = "") -> int:
        self.width.append(width)
        self.height.append(height)
        self.pin.append(int(pin))
        self.reach.append(BESIDE + text_width(label, SMALL) if label else 0.0)
        return len(self.width) - 1

    def _mention(self, index: int, pin: Pin) -> int:
        self.mention[index] = self._box(mention_width(self.texts[index]), MENTION_HEIGHT, pin)
        return self.mention[index]

    def _items(self) -> list[int]:
        plan, sketch = self.plan, self.sketch
        waiting = mentions_of(plan.items, plan.wiring, self.cut, "user")
        boxes: list[int] = []
        for at, item in enumerate(plan.items):
            for index in waiting.get(at, ()):
                self._mention(index, Pin.FREE)
            pin = _pin_of(item, plan.pinned)
            boxes.append(self._box(sketch.width[at], sketch.height[at], pin, sketch.types[at]))
        return boxes

    def _exits(self) -> list[int]:
        plan = self.plan
        waiting = mentions_of(plan.items, plan.wiring, self.cut, "border")
        boxes: list[int] = []
        for port in range(len(plan.wiring.exits)):
            first = waiting.get(port, [-1])[0]
            plain = first == -1
            boxes.append(
                self._box(PORT_WIDTH, 0, Pin.LAST) if plain else self._mention(first, Pin.LAST)
            )
        return boxes

    def _place(self) -> Placement:
        source: list[int] = []
        target: list[int] = []
        source_x: list[float] = []
        target_x: list[float] = []
        for index, wire in enumerate(self.plan.wiring.wires):
            mention = None if wire.target.item == BORDER else self.mention.get(index)
            source.append(self._node(wire.source, self.entry) if mention is None else mention)
            target.append(self._node(wire.target, self.exit))
            source_x.append(self._port(wire.source, "exits", 0.0) if mention is None else 0.0)
            target_x.append(self._port(wire.target, "entries", math.nan))
        region = Region(
            width=self.width,
            height=self.height,
            source=source,
            target=target,
            source_x=source_x,
            target_x=target_x,
            reach=self.reach,
            pin=self.pin,
        )
        return layout_region(region, replace(OPTIONS, shape=self.plan.shape))

    def _node(self, end: End, ports: list[int]) -> int:
        return ports[end.port] if end.item == BORDER else self.item[end.item]

    def _port(self, end: End, side: str, otherwise: float) -> float:
        frame = None if end.item == BORDER else self.plan.inner[end.item]
        if frame is None or end.port < 0:
            return otherwise
        ports = frame.exits if side == "exits" else frame.entries
        return ports[end.port].x - self.sketch.width[end.item] / 2

    def newly_cut(self) -> list[int]:
        known = set(self.cut)
        return [e for e, cut in enumerate(self.placement.cut) if cut and e not in known]

    def frame(self) -> Frame:
        plan, sketch, placement = self.plan, self.sketch, self.placement
        wiring = plan.wiring
        inside = plan.title != 0
        top = FRAME_TITLE + (0 if wiring.entries else FRAME_END) if inside else 0
        end = FRAME_END if inside and not wiring.exits else 0
        side = FRAME_SIDE if inside else 0
        w = math.ceil(max(placement.width + 2 * side, plan.title))
        left = (w - placement.width) / 2

        def corner(box: int, width: float, height: float) -> tuple[float, float, float, float]:
            x = left + placement.x[box] - width / 2
            return x, top + placement.y[box] - height / 2, width, height

        def points_of(edge: int) -> Points:
            return [(x + left, y + top) for x, y in placement.points[edge]]

        def ports(values: list[list[int]], boxes: list[int]) -> list[Port]:
            pairs = zip(values, boxes, strict=True)
            return [Port(variables, left + placement.x[box]) for variables, box in pairs]

        frame = Frame(
            w=w,
            h=top + placement.height + end,
            title=FRAME_TITLE if inside else 0,
            cells=[
                Cell(
                    item,
                    sketch.captions[at],
                    plan.inner[at],
                    *corner(self.item[at], sketch.width[at], sketch.height[at]),
                    type=sketch.types[at],
                )
                for at, item in enumerate(plan.items)
            ],
            entries=ports(wiring.entries, self.entry),
            exits=ports(wiring.exits, self.exit),
        )
        mentioned: dict[int, Mention] = {}
        for index in self.cut:
            if index not in self.mention:
                continue
            wire, text = wiring.wires[index], self.texts[index]
            spot = corner(self.mention[index], mention_width(text), MENTION_HEIGHT)
            points = [] if wire.target.item == BORDER else points_of(index)
            mentioned[index] = Mention(wire, text, *spot, points)
        frame.mentions = list(mentioned.values())
        for index, wire in enumerate(wiring.wires):
            mention = mentioned.get(index)
            if mention:
                points = [
                    _leaving(frame, wire.source, top),
                    (mention.x + mention.w / 2, mention.y),
                ]
                frame.routes.append(Route(wire, points, True))
                continue
            points = points_of(index)
            if wire.target.item == BORDER:
                points[-1] = (points[-1][0], frame.h)
            frame.routes.append(Route(wire, points, placement.cut[index]))
        _beside_edges(frame)
        return frame


def _pin_of(item: Item, pinned: bool) -> Pin:
    if item.is_output:
        return Pin.LAST if pinned else Pin.LOW
    return Pin.FIRST if pinned and is_pill(item) and item.kind != "const" else Pin.FREE


def _beside_edges(frame: Frame) -> None:
    """Puts the type of each box on the side that its edges do not turn to, where it has room
    there."""
    left: set[int] = set()
    right: set[int] = set()
    for route in frame.routes:
        if route.cut:
            continue
        aside = route.points[-1][0] - route.points[0][0]
        if aside < -TURN:
            left.add(route.wire.source.item)
        if aside > TURN:
            right.add(route.wire.source.item)
    for index, cell in enumerate(frame.cells):
        width = text_width(cell.type, SMALL) + BESIDE
        middle = cell.x + cell.w / 2
        turned = index in right and index not in left and width <= cell.w / 2
        cell.type_x = middle - width if turned else middle + BESIDE
        cell.type_y = cell.y + cell.h + UNDER


def _leaving(frame: Frame, source: End, top: float) -> tuple[float, float]:
    """Where a wire leaves its source."""
    if source.item == BORDER:
        there = 0 <= source.port < len(frame.entries)
        return (frame.entries[source.port].x if there else frame.w / 2), top
    cell = frame.cells[source.item]
    port = cell.inner.exits[source.port].x if cell.inner and source.port >= 0 else cell.w / 2
    return cell.x + port, cell.y + cell.h
