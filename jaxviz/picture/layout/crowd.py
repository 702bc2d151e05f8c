"""What crosses a border in too many places to draw each of them. As `js/src/layout/crowd.ts`."""

from __future__ import annotations

from dataclasses import dataclass

from jaxviz.picture.layout.wires import BORDER, Wire, Wiring

MOST_PORTS = 12
"""Ports of a border beside which no more find their way."""


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


def _by_user(wires: list[Wire]) -> list[Wire]:
    found: dict[int, Wire] = {}
    for wire in wires:
        known = found.setdefault(wire.target.item, Wire(wire.source, wire.target, []))
        known.vars = list(dict.fromkeys([*known.vars, *wire.vars]))
    return list(found.values())
