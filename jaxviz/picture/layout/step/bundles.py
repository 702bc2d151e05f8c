"""All that flows from one atom of a step to another. As `js/src/layout/step/bundles.ts`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jaxviz.picture.layout.caption import types_of
from jaxviz.picture.layout.measure import SMALL, head, text_width
from jaxviz.picture.layout.step.atoms import Atom, Drawn, List
from jaxviz.picture.layout.wires import Wire
from jaxviz.picture.model.describe import bytes_text

PASSES = 4
"""An arc passes at most this many rows."""
TRACKS = 4
SINGLE = 16
"""Columns of a type that is written on an edge."""


@dataclass(eq=False)
class Bundle:
    source: Atom
    target: Atom
    wires: list[Wire]
    vars: list[int]
    kind: str
    """`next` (to the next row of the lane), `level` (across to the same row), `arc` (past a few
    rows of the same list) or `far` (any other way)."""
    track: int = 0
    """How far from the lane an arc runs, counted from 0."""


def bundles_of(atoms: Sequence[Atom], wires: Sequence[Wire]) -> list[Bundle]:
    """The bundles of a step. Lists learn how many arcs run beside them."""
    found: dict[tuple[int, int], Bundle] = {}
    for wire in wires:
        key = wire.source.item, wire.target.item
        source, target = atoms[key[0]], atoms[key[1]]
        known = found.setdefault(key, Bundle(source, target, [], [], _kind_of(source, target)))
        known.wires.append(wire)
        known.vars += wire.vars
    bundles = list(found.values())
    for bundle in bundles:
        bundle.vars = list(dict.fromkeys(bundle.vars))
    _lay_arcs(bundles)
    return bundles


def _kind_of(source: Atom, target: Atom) -> str:
    column = source.column
    if column == "after" and target.column == "after":
        return "next"
    if column == target.column and column in ("forward", "backward"):
        step = (target.order - source.order) * (1 if column == "forward" else -1)
        if step == 1:
            return "next"
        return "arc" if source.list is target.list and 1 < step <= PASSES else "far"
    across = source.list is not None and source.list is target.list and source.row == target.row
    return "level" if across else "far"


def _lay_arcs(bundles: Sequence[Bundle]) -> None:
    """Gives arcs tracks so that none of one list and lane overlap; what finds none is far."""
    used: dict[tuple[List, str, int], list[tuple[int, int]]] = {}
    arcs = [bundle for bundle in bundles if bundle.kind == "arc"]
    for arc in sorted(arcs, key=lambda arc: abs(arc.source.row - arc.target.row)):
        lanes = arc.source.list
        assert lanes is not None
        first, last = sorted((arc.source.row, arc.target.row))
        for track in range(TRACKS):
            taken = used.setdefault((lanes, arc.source.column, track), [])
            if all(end <= first or last <= begin for begin, end in taken):
                taken.append((first, last))
                arc.track = track
                lanes.arcs = max(lanes.arcs, track + 1)
                break
        else:
            arc.kind = "far"


class Label(NamedTuple):
    """What is written on an edge, above its line and below it."""

    label: str = ""
    note: str = ""

    @property
    def width(self) -> float:
        return max(text_width(self.label, SMALL), text_width(self.note, SMALL))


def label_of(plan: Drawn, bundle: Bundle) -> Label:
    """What is written on a bundle from lane to lane: how many values, and their bytes."""
    start, stop = bundle.source.column, bundle.target.column
    if bundle.kind != "level" or (start == "forward" and stop != "backward"):
        return Label()
    if start == "forward":
        return carried(plan, bundle.vars, "residuals")
    return carried(plan, bundle.vars, "gradients") if start == "backward" else Label()


def carried(plan: Drawn, variables: Sequence[int], noun: str) -> Label:
    """`9 residuals`, and below it `12.4 MiB`; of one value its type."""
    if len(variables) == 1:
        return Label(head(types_of(plan.stage, plan.graph, list(variables)), SINGLE))
    sizes = [plan.stage.avals[plan.graph.vars[var].aval].bytes for var in variables]
    known = [size for size in sizes if size is not None]
    note = bytes_text(sum(known)) if len(known) == len(sizes) else ""
    return Label(f"{len(variables)} {noun}", note)


def by_lane(bundles: Sequence[Bundle]) -> dict[Atom, dict[tuple[str, str], list[Bundle]]]:
    """The far bundles of each atom beside the lanes by the lane at their other end; of one in a
    lane those to lanes, which nothing else counts."""
    found: dict[Atom, dict[tuple[str, str], list[Bundle]]] = {}
    for bundle in bundles:
        if bundle.kind == "far":
            source, target = bundle.source, bundle.target
            atom = target if target.list is None and source.list is not None else source
            groups = found.setdefault(atom, {})
            groups.setdefault((source.column, target.column), []).append(bundle)
    return found
