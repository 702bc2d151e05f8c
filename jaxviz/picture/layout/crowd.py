"""What crosses a border in too many places to draw each of them. As `js/src/layout/crowd.ts`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from jaxviz.picture.layout.wires import BORDER, PLAIN, End, Wire, Wiring

MOST_PORTS = 8
"""Ports of a border beside which no more find their way."""


MOST_NAMES = 3
"""Names beside one user; of more there is one for all."""


@dataclass(frozen=True)
class Uncrowded:
    wiring: Wiring
    """Without ports where there were too many: what comes in is one wire for each user then."""
    named: list[int]
    """The wires that come in without a port: names beside their users stand for them."""
    outward: list[Wire]
    """The wires that go out without a port."""


def uncrowded(wiring: Wiring) -> Uncrowded:
    crowded_in = len(wiring.entries) > MOST_PORTS
    crowded_out = len(wiring.exits) > MOST_PORTS
    kept: list[Wire] = []
    inward: list[Wire] = []
    outward: list[Wire] = []
    for wire in wiring.wires:
        if crowded_out and wire.target.item == BORDER:
            outward.append(wire)
        elif crowded_in and wire.source.item == BORDER:
            inward.append(wire)
        else:
            kept.append(wire)
    named = _by_user(inward)
    return Uncrowded(
        Wiring(
            [*kept, *named],
            [] if crowded_in else wiring.entries,
            [] if crowded_out else wiring.exits,
        ),
        [len(kept) + index for index in range(len(named))],
        outward,
    )


def gathered(wiring: Wiring, cut: list[int]) -> tuple[Wiring, list[int]]:
    """The same wiring with one wire for all cut wires of a user that has too many to be named
    singly, and which wires are cut then."""
    far = set(cut)
    counts = Counter(wiring.wires[index].target.item for index in cut)
    kept: list[int] = []
    many: list[Wire] = []
    for index, wire in enumerate(wiring.wires):
        user = wire.target.item
        if index in far and user != BORDER and counts[user] > MOST_NAMES:
            many.append(Wire(wire.source, End(user, PLAIN), wire.vars))
        else:
            kept.append(index)
    merged = _by_user(many)
    wires = [*(wiring.wires[index] for index in kept), *merged]
    named = [at for at, index in enumerate(kept) if index in far]
    return replace(wiring, wires=wires), [*named, *range(len(kept), len(wires))]


def _by_user(wires: list[Wire]) -> list[Wire]:
    found: dict[int, Wire] = {}
    for wire in wires:
        known = found.setdefault(wire.target.item, Wire(wire.source, wire.target, []))
        known.vars = list(dict.fromkeys([*known.vars, *wire.vars]))
    return list(found.values())
