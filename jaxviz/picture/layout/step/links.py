"""The edges of a step. As `js/src/layout/step/links.ts`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxviz.picture.layout.frame import Link, LinkMention, Points
from jaxviz.picture.layout.measure import SMALL, head, text_width
from jaxviz.picture.layout.step.atoms import ARC, Atom, Drawn, Geometry, Rect
from jaxviz.picture.layout.step.bundles import Bundle, Label, by_lane, carried, label_of
from jaxviz.picture.layout.step.points import port_of, port_x, tidy
from jaxviz.picture.model.outline import Item

CLEAR, APART = 10, 5
"""How far edges stand from what they pass, and from one another, px."""
SINGLY = 2
"""Of an atom beside the lanes, edges to more rows than this become one to the lane."""
CROSSING = 6
"""Edges that may cross rows in the space between two lanes."""
MENTION = 14
BESIDE = 8
ALONE = 90
"""Room for the name above an atom that is in no lane."""


def links_of(
    plan: Drawn, atoms: Sequence[Atom], bundles: Sequence[Bundle], geometry: Geometry
) -> tuple[list[Link], float]:
    """The edges of a step, with the lowest y that they reach."""
    router = _Router(plan, geometry)
    for bundle in bundles:
        if bundle.kind == "next":
            router.next(bundle)
        elif bundle.kind == "arc":
            router.arc(bundle)
        elif bundle.kind == "level":
            router.level(bundle)
    far = by_lane(bundles)
    for atom in atoms:
        for group in far.get(atom, {}).values():
            router.far(atom, group)
    router.mentions()
    return router.links, router.bottom


class _Router:
    def __init__(self, plan: Drawn, geometry: Geometry) -> None:
        self.plan, self.geometry = plan, geometry
        self.links: list[Link] = []
        self.bottom = geometry.bottom
        self.crossing = 0
        self.below = 0
        self.afar: dict[Atom, tuple[list[Item], Link]] = {}

    def next(self, bundle: Bundle) -> None:
        """To the row below, or above where the lane runs up."""
        source, target = bundle.source, bundle.target
        up = source.column == "backward"
        for wire in bundle.wires:
            start = port_x(source, "exits", wire.source.port)
            stop = port_x(target, "entries", wire.target.port)
            points = (
                [(start, source.y), (stop, target.y + target.h)]
                if up
                else [(start, source.y + source.h), (stop, target.y)]
            )
            self._add(source, target, wire.vars, points, "up" if up else "down")

    def arc(self, bundle: Bundle) -> None:
        """Past a few rows, beside the lane."""
        source, target = bundle.source, bundle.target
        right = source.column == "backward"
        left, end = self._column_of(source)
        middle = (left + end) / 2
        half = source.list.width["backward" if right else "forward"] / 2 if source.list else 0.0
        by = ARC * (bundle.track + 1)
        x = middle + half + by if right else middle - half - by
        start, stop = (source.x + source.w, target.x + target.w) if right else (source.x, target.x)
        off = -5 if right else 5
        first, last = source.mid + off, target.mid - off
        points = [(start, first), (x, first), (x, last), (stop, last)]
        self._add(source, target, bundle.vars, points, "left" if right else "right")

    def level(self, bundle: Bundle) -> None:
        """To the lane beside, on the same row; through a channel below what is open."""
        source, target = bundle.source, bundle.target
        exits = source.frame.exits if source.frame else []
        entries = target.frame.entries if target.frame else []
        text = label_of(self.plan, bundle)
        if not (exits or entries) or not self._adjacent(source.column, target.column):
            self._across(bundle, text)
            return
        low = max(source.y + source.h, target.y + target.h) + CLEAR
        out, into = source.x + source.w + CLEAR, target.x - CLEAR
        for wire in bundle.wires:
            start = port_of(source, "exits", wire.source.port)
            end = port_of(target, "entries", wire.target.port)
            begin = (
                [(source.x + source.w, source.mid), (out, source.mid), (out, low)]
                if start is None
                else [(source.x + start, source.y + source.h), (source.x + start, low)]
            )
            finish = (
                [(into, low), (into, target.mid), (target.x, target.mid)]
                if end is None
                else [(target.x + end, low), (target.x + end, target.y + target.h)]
            )
            way = "right" if end is None else "up"
            self._add(source, target, wire.vars, [*begin, *finish], way)
        _label(self.links[-1], text, (source.x + source.w + target.x) / 2, low)

    def far(self, atom: Atom, group: list[Bundle]) -> None:
        """What goes from one column to another, but not level."""
        source, target = group[0].source, group[0].target
        lane = target.column if atom is source else source.column
        frame = self.geometry.frames.get(lane)
        outside = source.list is None or target.list is None
        adjacent = self._adjacent(source.column, target.column)
        held = [one for one in group if frame and _within(_other(one, atom), frame[1])]
        gathered = held if outside and len(held) > SINGLY and adjacent else []
        if frame and gathered:
            self._to_lane(atom, frame, gathered)
            for bundle in gathered:
                self._across(bundle, None, True)
        for bundle in group:
            if bundle in gathered:
                continue
            if source.column == target.column:
                self._cut(bundle)
            elif outside and adjacent:
                self._across(bundle, None)
            elif outside and target.column == "outputs" and len(group) <= SINGLY:
                self._under(bundle)
            elif source.column == "inputs":
                self._cut(bundle)
            elif adjacent and self.crossing < CROSSING:
                self._across(bundle, None, aside=APART * self.crossing)
                self.crossing += 1
            else:
                self._cut(bundle)

    def _to_lane(self, atom: Atom, frame: tuple[Item, Rect], group: list[Bundle]) -> None:
        """One edge for all from or to the rows of a lane."""
        item, rect = frame
        variables = list(dict.fromkeys(var for bundle in group for var in bundle.vars))
        outward = atom is group[0].source
        y = min(max(atom.mid, rect.y + 12), rect.y + rect.h - 12)
        near = atom.x + atom.w if outward else atom.x
        far = rect.x if outward else rect.x + rect.w
        turn = (far if outward else near) - 2 * CLEAR
        if outward:
            points = [(near, atom.mid), (turn, atom.mid), (turn, y), (far, y)]
            self._push(atom.item.id, item.id, variables, points, "right")
            return
        points = [(far, y), (turn, y), (turn, atom.mid), (near, atom.mid)]
        link = self._push(item.id, atom.item.id, variables, points, "right")
        if group[0].source.column == "backward" and len(variables) > 1:
            text = carried(self.plan, variables, "gradients")
            _label(link, text, (far + turn) / 2, y)

    def _across(
        self, bundle: Bundle, text: Label | None, cut: bool = False, aside: float = 0
    ) -> None:
        """From the right side of one to the left side of the other, turning between the columns."""
        source, target = bundle.source, bundle.target
        left, right = self._gap_before(target.column)
        turn = right - CLEAR - aside
        if source.column == "inputs":
            turn = left + CLEAR + APART * (source.order % 5)
        x, y = source.x + source.w, source.mid
        points = [(x, y), (turn, y), (turn, target.mid), (target.x, target.mid)]
        link = self._add(source, target, bundle.vars, points, "right", cut)
        if text:
            _label(link, text, (left + right - CLEAR) / 2, y)

    def _under(self, bundle: Bundle) -> None:
        """Below all lanes, to the outputs."""
        source, target = bundle.source, bundle.target
        low = self.geometry.bottom + 2 * CLEAR + APART * self.below
        self.below += 1
        turn = self._gap_before("outputs")[0] + CLEAR + APART * (target.order % 5)
        last = "forward" not in self.geometry.columns or (
            source.y + source.h >= self._lowest(source)
        )
        right = self._column_of(source)[1]
        middle = source.x + source.w / 2
        start = (
            [(middle, source.y + source.h), (middle, low)]
            if last
            else [(source.x + source.w, source.mid), (right + CLEAR, source.mid),
                  (right + CLEAR, low)]
        )  # fmt: skip
        self.bottom = max(self.bottom, low)
        points = [*start, (turn, low), (turn, target.mid), (target.x, target.mid)]
        self._add(source, target, bundle.vars, points, "right")

    def _lowest(self, atom: Atom) -> float:
        frame = self.geometry.frames.get(atom.column)
        return frame[1].y + frame[1].h - 30 if frame else 0

    def _cut(self, bundle: Bundle) -> None:
        """Not drawn at rest: its user names it."""
        source, target = bundle.source, bundle.target
        turn = self._gap_before(target.column)[1] - CLEAR
        high = -CLEAR
        x, y = source.x + source.w, source.mid
        points = [(x, y), (x + CLEAR, y), (x + CLEAR, high), (turn, high), (turn, target.mid),
                  (target.x, target.mid)]  # fmt: skip
        link = self._add(source, target, bundle.vars, points, "right", True)
        if source.column != "inputs":
            self.afar.setdefault(target, ([], link))[0].append(source.item)

    def mentions(self) -> None:
        """Names where what comes from afar is made, above the left half of its user (below, where
        the lane runs up). An input says itself where it goes."""
        for atom, (sources, link) in self.afar.items():
            half = ALONE
            if atom.list:
                half = max(atom.w, atom.list.width[atom.column]) / 2 - BESIDE
            more = f" +{len(sources) - 1}" if len(sources) > 1 else ""
            text = head(sources[0].label, math.floor(half / (SMALL * 0.6)) - len(more)) + more
            w = text_width(text, SMALL)
            y = atom.y + atom.h + 2 if atom.column == "backward" else atom.y - MENTION - 2
            x = atom.x + atom.w / 2 - BESIDE - w if atom.list else atom.x
            link.mention = LinkMention(text, x, y, w, MENTION)

    def _add(
        self,
        source: Atom,
        target: Atom,
        variables: list[int],
        points: Points,
        way: str,
        cut: bool = False,
    ) -> Link:
        return self._push(source.item.id, target.item.id, variables, points, way, cut)

    def _push(
        self,
        source: str,
        target: str,
        variables: list[int],
        points: Points,
        way: str,
        cut: bool = False,
    ) -> Link:
        self.links.append(Link(source, target, variables, tidy(points), way, cut))
        return self.links[-1]

    def _column_of(self, atom: Atom) -> tuple[float, float]:
        return self.geometry.columns.get(atom.column, (0, 0))

    def _adjacent(self, one: str, other: str) -> bool:
        """Whether nothing stands between two columns, the second on the right."""
        columns = list(self.geometry.columns)
        at = {column: index for index, column in enumerate(columns)}
        return at.get(other, -1) - at.get(one, -1) == 1

    def _gap_before(self, column: str) -> tuple[float, float]:
        """The space on the left of a column."""
        columns = self.geometry.columns
        left = columns.get(column, (0, 0))[0]
        return max([0, *(end for _, end in columns.values() if end <= left)]), left


def _label(link: Link, written: Label, x: float, y: float) -> None:
    link.label, link.note = written
    link.label_x, link.label_y = x, y


def _other(bundle: Bundle, atom: Atom) -> Atom:
    return bundle.target if atom is bundle.source else bundle.source


def _within(atom: Atom, rect: Rect) -> bool:
    return rect.y <= atom.y and atom.y + atom.h <= rect.y + rect.h
